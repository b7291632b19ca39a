// What ThreadSanitizer does not see of the toolchain's libraries, which are built without it.
//
// scripts/test-threads links it into the tests, and into the program that they start.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

// The sanitizer's: what was done before a release is seen after the acquire of the same address.
void __tsan_acquire(void *address);
void __tsan_release(void *address);

// Synchronization's Mutex. Its fast ways are inlined into the program, and seen. Where a thread has
// to wait, functions of the library change the same word: they are called from here.
#define MUTEX "$s15Synchronization12_MutexHandleV"
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *mutex

SWIFT void lock_slow(uint32_t thread, SELF) __asm__(MUTEX "9_lockSlowyys6UInt32VF");
SWIFT void lock_slow(uint32_t thread, SELF) {
  typedef SWIFT void (*Function)(uint32_t, SELF);
  ((Function)dlsym(RTLD_NEXT, MUTEX "9_lockSlowyys6UInt32VF"))(thread, mutex);
  __tsan_acquire(mutex);
}

SWIFT bool try_lock_slow(SELF) __asm__(MUTEX "12_tryLockSlowSbyF");
SWIFT bool try_lock_slow(SELF) {
  typedef SWIFT bool (*Function)(SELF);
  bool is_locked = ((Function)dlsym(RTLD_NEXT, MUTEX "12_tryLockSlowSbyF"))(mutex);
  if (is_locked) __tsan_acquire(mutex);
  return is_locked;
}

SWIFT void unlock_slow(SELF) __asm__(MUTEX "11_unlockSlowyyF");
SWIFT void unlock_slow(SELF) {
  typedef SWIFT void (*Function)(SELF);
  __tsan_release(mutex);
  ((Function)dlsym(RTLD_NEXT, MUTEX "11_unlockSlowyyF"))(mutex);
}
