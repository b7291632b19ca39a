// What Swift's libraries refer to and the command seldom or never reaches: scripts/link puts it in the place of
// libdispatch, of the backtraces of swiftCore, and of libm.
//
// No line of the command creates a task: scripts/link checks that. So the executor of Swift's concurrency never runs,
// and libdispatch, which it would run on, would only be started: the loader writes the 17 pages of its table of queues.
//
// The command takes the signals of a crash away from Swift's backtraces (ProcessState), since these print what is in
// memory. What is left of them looks for another program in eight places at each start.
//
// libm is opened when one of its functions is first called, as SQLite calls them for a query that asks for one: to map
// it and to look up 44 symbols is a twenty-fifth of a `list`. What hash tables and dates round by is here.

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Tasks

#define NEVER(name)                                               \
  void name(void) {                                               \
    static const char text[] = "vault: " #name " is left out\n";  \
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1); \
    (void)written;                                                \
    abort();                                                      \
  }

NEVER(dispatch_activate)
NEVER(dispatch_after_f)
NEVER(dispatch_assert_queue)
NEVER(dispatch_async_f)
NEVER(dispatch_main)
NEVER(dispatch_queue_attr_make_with_qos_class)
NEVER(dispatch_queue_create)
NEVER(dispatch_queue_set_width)
NEVER(dispatch_release)
NEVER(dispatch_set_context)
NEVER(dispatch_source_create)
NEVER(dispatch_source_set_event_handler_f)
NEVER(dispatch_source_set_timer)
NEVER(dispatch_walltime)

_Alignas(64) char _dispatch_main_q[256];
_Alignas(64) char _dispatch_queue_attr_concurrent[64];
_Alignas(64) char _dispatch_source_type_timer[64];

// Backtraces: zeros are off.

__attribute__((visibility("hidden"))) _Alignas(64) char _swift_backtraceSettings[512];
bool _swift_backtrace_isThunkFunction(const char *name) { return false; }

// Numbers

static void *found(const char *name) {
  // Two threads open the same library.
  void *library = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
  void *function = library ? dlsym(library, name) : NULL;
  if (!function) {
    static const char text[] = "vault: error: libm.so.6 cannot be opened\nvault: hint: install all of glibc\n";
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)written;
    exit(69);  // Gives the terminal back.
  }
  return function;
}

#define OF_ONE(type, name)                          \
  type name(type x) {                               \
    static type (*function)(type);                  \
    if (!function) function = found(#name);         \
    return function(x);                             \
  }
#define OF_TWO(type, name)                          \
  type name(type x, type y) {                       \
    static type (*function)(type, type);            \
    if (!function) function = found(#name);         \
    return function(x, y);                          \
  }
#define OF_THREE(type, name)                        \
  type name(type x, type y, type z) {               \
    static type (*function)(type, type, type);      \
    if (!function) function = found(#name);         \
    return function(x, y, z);                       \
  }
#define OF_ALL(type, suffix)                        \
  OF_ONE(type, round##suffix)                       \
  OF_ONE(type, trunc##suffix)                       \
  OF_ONE(type, rint##suffix)                        \
  OF_ONE(type, sqrt##suffix)                        \
  OF_TWO(type, fmod##suffix)                        \
  OF_TWO(type, remainder##suffix)                   \
  OF_THREE(type, fma##suffix)

OF_ALL(float, f)
OF_ALL(double, )
OF_ALL(long double, l)
OF_ONE(float, ceilf)
OF_ONE(float, floorf)
OF_ONE(long double, ceill)
OF_ONE(long double, floorl)

OF_ONE(double, acos)
OF_ONE(double, acosh)
OF_ONE(double, asin)
OF_ONE(double, asinh)
OF_ONE(double, atan)
OF_TWO(double, atan2)
OF_ONE(double, atanh)
OF_ONE(double, cos)
OF_ONE(double, cosh)
OF_ONE(double, exp)
OF_ONE(double, log)
OF_ONE(double, log2)
OF_TWO(double, pow)
OF_ONE(double, sin)
OF_ONE(double, sinh)
OF_ONE(double, tan)
OF_ONE(double, tanh)

// IEEE 754, 5.9: toward negative and positive infinity. From 2^52 on, and of what is no number, nothing is to be
// rounded; what is rounded to zero keeps its sign.
static double rounded(double x, double step) {
  uint64_t bits, sign;
  memcpy(&bits, &x, sizeof bits);
  sign = bits & 1ULL << 63;
  if ((bits >> 52 & 0x7FF) >= 1023 + 52) return x;
  double whole = (double)(int64_t)x;
  if (step < 0 ? whole > x : whole < x) whole += step;
  memcpy(&bits, &whole, sizeof bits);
  bits |= sign;
  memcpy(&whole, &bits, sizeof whole);
  return whole;
}

double floor(double x) { return rounded(x, -1); }
double ceil(double x) { return rounded(x, 1); }
