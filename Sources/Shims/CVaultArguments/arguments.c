#include "CVaultArguments.h"

static int argument_count;
static char **argument_words;

// glibc calls the constructors of a program with what main gets: call_init in csu/libc-start.c.
__attribute__((constructor)) static void keep_arguments(int count, char **words) {
  argument_count = count;
  argument_words = words;
}

char **_swift_stdlib_getUnsafeArgvArgc(int *count) {
  *count = argument_count;
  return argument_words;
}
