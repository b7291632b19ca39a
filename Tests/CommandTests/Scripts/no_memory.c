/* Preloaded: a long mapping fails while the file TEST_NO_MEMORY is there. malloc(3) has mappings of its own, and is not
   concerned. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static int fails(size_t length, int flags) {
  const char *path = getenv("TEST_NO_MEMORY");
  return length > (100 << 10) && (flags & MAP_ANONYMOUS) && path && access(path, F_OK) == 0;
}

void *mmap(void *address, size_t length, int protection, int flags, int file, off_t offset) {
  static void *(*real)(void *, size_t, int, int, int, off_t);
  if (!real) real = (void *(*)(void *, size_t, int, int, int, off_t))dlsym(RTLD_NEXT, "mmap");
  if (!fails(length, flags)) return real(address, length, protection, flags, file, offset);
  errno = ENOMEM;
  return MAP_FAILED;
}

void *mmap64(void *address, size_t length, int protection, int flags, int file, off64_t offset) {
  return mmap(address, length, protection, flags, file, offset);
}
