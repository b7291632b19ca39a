// toml++ without exceptions: nothing here throws, since the command is linked without the tables
// that unwinding needs. Without formatters, which nothing calls.
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#define TOML_ENABLE_WINDOWS_COMPAT 0
// Numbers by from_chars: streams would bring all of the C++ library's locales, 0.3 MB.
#define TOML_FLOAT_CHARCONV 1

#include <csetjmp>

// toml++ 3.3 meets some documents, "[." for one, with an assertion. That must end the parsing, and
// not the process; and without a check (NDEBUG) the compiler would take what is asserted for true.
// Each parse runs on a thread of its own, which it leaves this way; what it had allocated is lost.
#undef NDEBUG
[[noreturn]] void cvault_toml_fail();
#define TOML_ASSERT(expr)                  \
  do {                                     \
    if (!(expr)) ::cvault_toml_fail();     \
  } while (false)
#include <toml++/toml.h>

#include <pthread.h>

#include <string>
#include <string_view>
#include <vector>

#include "CVaultTOML.h"

struct cvault_toml_document {
  std::vector<cvault_toml_token> tokens;
  std::string characters;

  cvault_toml_text keep(std::string_view text) {
    const cvault_toml_text part{characters.size(), text.size()};
    characters.append(text);
    return part;
  }

  void fail(toml::source_position position, std::string_view what) {
    tokens.clear();
    cvault_toml_token token{};
    token.kind = CVAULT_TOML_ERROR;
    token.line = position.line;
    token.column = position.column;
    token.text = keep(what);
    tokens.push_back(token);
  }
};

namespace {

// Days since 1970 of a civil date: howardhinnant.github.io/date_algorithms.html.
int64_t days(const toml::date &date) {
  const int64_t year = date.year - (date.month <= 2 ? 1 : 0);
  const int64_t era = (year >= 0 ? year : year - 399) / 400;
  const int64_t year_of_era = year - era * 400;
  const int64_t month = date.month + (date.month > 2 ? -3 : 9);
  const int64_t day_of_year = (153 * month + 2) / 5 + date.day - 1;
  const int64_t leap_days = year_of_era / 4 - year_of_era / 100;
  return era * 146097 + year_of_era * 365 + leap_days + day_of_year - 719468;
}

int64_t seconds(const toml::time &time) {
  return int64_t{time.hour} * 3600 + int64_t{time.minute} * 60 + time.second;
}

class Walk {
 public:
  Walk(cvault_toml_document &document, size_t depth_limit)
      : document_(document), depth_limit_(depth_limit) {}

  // False: it goes deeper than the limit, and the document says so.
  bool add(
      const toml::node &node, cvault_toml_text key, toml::source_position position, size_t depth) {
    cvault_toml_token token{};
    token.line = position.line;
    token.column = position.column;
    token.end_line = node.source().end.line;
    token.end_column = node.source().end.column;
    token.key = key;
    if ((node.is_table() || node.is_array()) && depth >= depth_limit_) {
      document_.fail(position, "too many arrays and tables inside each other");
      return false;
    }
    if (const auto *table = node.as_table()) {
      token.kind = CVAULT_TOML_TABLE;
      token.integer = static_cast<int64_t>(table->size());
      token.is_inline = table->is_inline() ? 1 : 0;
      document_.tokens.push_back(token);
      for (auto &&[name, value] : *table) {
        const auto kept = document_.keep(name.str());
        const auto begin = value.is_table() ? value.source().begin : name.source().begin;
        if (!add(value, kept, begin, depth + 1)) return false;
      }
      return true;
    }
    if (const auto *array = node.as_array()) {
      token.kind = CVAULT_TOML_ARRAY;
      token.integer = static_cast<int64_t>(array->size());
      document_.tokens.push_back(token);
      for (auto &&element : *array) {
        if (!add(element, {}, element.source().begin, depth + 1)) return false;
      }
      return true;
    }
    if (const auto *text = node.as_string()) {
      token.kind = CVAULT_TOML_STRING;
      token.text = document_.keep(text->get());
    } else if (const auto *integer = node.as_integer()) {
      token.kind = CVAULT_TOML_INTEGER;
      token.integer = integer->get();
    } else if (const auto *real = node.as_floating_point()) {
      token.kind = CVAULT_TOML_REAL;
      token.real = real->get();
    } else if (const auto *boolean = node.as_boolean()) {
      token.kind = CVAULT_TOML_BOOLEAN;
      token.integer = boolean->get() ? 1 : 0;
    } else if (const auto *moment = node.as_date_time()) {
      token.kind = CVAULT_TOML_DATE;
      const auto offset = moment->get().offset.value_or(toml::time_offset{});
      token.integer = days(moment->get().date) * 86400 + seconds(moment->get().time) -
                      int64_t{offset.minutes} * 60;
      token.nanoseconds = moment->get().time.nanosecond;
    } else if (const auto *date = node.as_date()) {
      token.kind = CVAULT_TOML_DATE;
      token.integer = days(date->get()) * 86400;
    } else {
      token.kind = CVAULT_TOML_TIME;
    }
    document_.tokens.push_back(token);
    return true;
  }

 private:
  cvault_toml_document &document_;
  const size_t depth_limit_;
};

struct Job {
  std::string_view text;
  size_t depth_limit;
  cvault_toml_document *document;
  bool failed = false;
};

thread_local jmp_buf *exit_of_parser = nullptr;

// Parses and walks.
void parse(Job &job);

void *run(void *context) {
  auto &job = *static_cast<Job *>(context);
  jmp_buf exit;
  exit_of_parser = &exit;
  if (setjmp(exit) == 0) {
    parse(job);
  } else {
    job.failed = true;
  }
  exit_of_parser = nullptr;
  return nullptr;
}

void parse(Job &job) {
  const auto result = toml::parse(job.text);
  if (!result) {
    job.document->fail(result.error().source().begin, result.error().description());
  } else {
    Walk(*job.document, job.depth_limit).add(result.table(), {}, result.table().source().begin, 0);
  }
}

// Runs a job on a thread of its own; false: there is no thread to be had.
bool perform(Job &job) {
  // A key of n parts (a.a.a…) makes n tables, and toml++ 3.3 frees them by recursion, with 80 bytes
  // of stack for each where it is optimized: 8 MiB end at 100,000. It costs no memory until used.
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  const bool runs =
      pthread_attr_setstacksize(&attributes, (size_t{1} << 20) + 512 * job.text.size()) == 0 &&
      pthread_create(&thread, &attributes, run, &job) == 0;
  pthread_attr_destroy(&attributes);
  return runs && pthread_join(thread, nullptr) == 0;
}

// Where an assertion ended the parsing: behind the longest beginning that ends without one.
size_t end_of_parsing(std::string_view text) {
  size_t parsed = 0, failed = text.size();
  while (failed - parsed > 1) {
    const size_t middle = parsed + (failed - parsed) / 2;
    cvault_toml_document scratch;
    Job job{text.substr(0, middle), 1, &scratch};
    if (!perform(job)) break;
    (job.failed ? failed : parsed) = middle;
  }
  return parsed;
}

toml::source_position position_of(size_t offset, std::string_view text) {
  toml::source_position position{1, 1};
  for (const char character : text.substr(0, offset)) {
    if (character == '\n') {
      position = {position.line + 1, 1};
    } else if ((static_cast<unsigned char>(character) & 0xC0) != 0x80) {
      position.column++;
    }
  }
  return position;
}

// TOML 1.0 has no control character but tab and the ends of lines anywhere in a document. toml++ 3.3
// meets some of them with an assertion: "[" and a NUL end the process.
bool has_control_character(std::string_view text, toml::source_position &position) {
  position = {1, 1};
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte == '\n') {
      position = {position.line + 1, 1};
      continue;
    }
    if ((byte < 0x20 && byte != '\t' && byte != '\r') || byte == 0x7F) return true;
    // A character of UTF-8 is one column, and has one byte that continues none.
    if ((byte & 0xC0) != 0x80) position.column++;
  }
  return false;
}

}  // namespace

void cvault_toml_fail() { longjmp(*exit_of_parser, 1); }

extern "C" {

cvault_toml_document *cvault_toml_read(const char *bytes, size_t count, size_t depth_limit) {
  if (count > cvault_toml_size_limit) return nullptr;
  auto *document = new cvault_toml_document;
  if (toml::source_position position; has_control_character({bytes, count}, position)) {
    document->fail(position, "a control character");
    return document;
  }
  Job job{std::string_view(bytes, count), depth_limit, document};
  const bool ran = perform(job);
  if (ran && job.failed) {
    document->fail(position_of(end_of_parsing(job.text), job.text), "this is no TOML");
  }
  if (ran) return document;
  delete document;
  return nullptr;
}

void cvault_toml_free(cvault_toml_document *document) { delete document; }

const cvault_toml_token *cvault_toml_tokens(const cvault_toml_document *document, size_t *count) {
  *count = document->tokens.size();
  return document->tokens.data();
}

const char *cvault_toml_characters(const cvault_toml_document *document, size_t *count) {
  *count = document->characters.size();
  return document->characters.data();
}

const char *cvault_toml_version(void) {
#define CVAULT_TEXT_OF(x) #x
#define CVAULT_TEXT(x) CVAULT_TEXT_OF(x)
  return CVAULT_TEXT(TOML_LIB_MAJOR) "." CVAULT_TEXT(TOML_LIB_MINOR) "." CVAULT_TEXT(TOML_LIB_PATCH);
}

}  // extern "C"
