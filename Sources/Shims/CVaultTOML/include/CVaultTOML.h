#ifndef CVAULT_TOML_H
#define CVAULT_TOML_H

// toml++ as C: a document as a list of tokens, which nothing of C++ is needed to read.

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum cvault_toml_kind {
  CVAULT_TOML_ERROR,
  CVAULT_TOML_TABLE,
  CVAULT_TOML_ARRAY,
  CVAULT_TOML_STRING,
  CVAULT_TOML_INTEGER,
  CVAULT_TOML_REAL,
  CVAULT_TOML_BOOLEAN,
  CVAULT_TOML_DATE,
  CVAULT_TOML_TIME,
};

// A part of the document's text.
typedef struct cvault_toml_text {
  size_t offset;
  size_t count;
} cvault_toml_text;

// A value, a container's elements behind it.
typedef struct cvault_toml_token {
  enum cvault_toml_kind kind;
  // Where its key stands in the file, or an array's element, from 1. Of a table: where it begins,
  // which is in the line of its first member if it has no header of its own.
  uint32_t line;
  uint32_t column;
  // Behind the value; of a table with a header, behind the header.
  uint32_t end_line;
  uint32_t end_column;
  // The member's key, if this is one of a table.
  cvault_toml_text key;
  // A string; what is wrong.
  cvault_toml_text text;
  // An integer or boolean; how many elements a container has; of a date, seconds since 1970 in UTC.
  int64_t integer;
  double real;
  // Of a date.
  uint32_t nanoseconds;
  // Of a table: 1 if it is written in braces.
  uint32_t is_inline;
} cvault_toml_token;

typedef struct cvault_toml_document cvault_toml_document;

// The larger a document, the deeper its keys may reach, and toml++ goes down into them by
// recursion: the stack is made for the size, and this is the limit to it.
static const size_t cvault_toml_size_limit = 1 << 20;

// Reads a document; the first token is its table, or what is wrong. NULL: no memory, or too large.
// The caller frees what is returned.
cvault_toml_document *cvault_toml_read(const char *bytes, size_t count, size_t depth_limit);
void cvault_toml_free(cvault_toml_document *document);

// Valid until the document is freed.
const cvault_toml_token *cvault_toml_tokens(const cvault_toml_document *document, size_t *count);
const char *cvault_toml_characters(const cvault_toml_document *document, size_t *count);

// toml++'s version, such as "3.3.0".
const char *cvault_toml_version(void);

#ifdef __cplusplus
}
#endif

#endif
