#ifndef CVAULT_SWIFT_RUNTIME_SHIM_H
#define CVAULT_SWIFT_RUNTIME_SHIM_H

#include <stddef.h>
#include <stdint.h>

// Functions of Swift's runtime, declared as swift_retain is. An unowned reference keeps an object's
// memory, not the object; swift_tryRetain retains the object, or returns NULL if it is being
// destroyed or gone. swift/stdlib/public/SwiftShims/swift/shims/HeapObject.h
void *_Nonnull swift_unownedRetain(void *_Nonnull object);
void swift_unownedRelease(void *_Nonnull object);
void *_Nullable swift_tryRetain(void *_Nonnull object);

// Values of the calling thread, NULL at first, which are faster to reach than those of
// pthread_getspecific. Each object file that calls one of these has a value of its own: only one
// function may call it, and it must not be inlined.
static inline void *_Nullable *_Nonnull cvault_thread_probe(void) {
  static __thread void *_Nullable value;
  return &value;
}

static inline void *_Nullable *_Nonnull cvault_thread_record(void) {
  static __thread void *_Nullable value;
  return &value;
}

// A number of the calling thread that no other one has while it lives; even, and not 0. It costs one
// instruction, where pthread_self is a call.
static inline uintptr_t cvault_thread_number(void) {
  return (uintptr_t)__builtin_thread_pointer();
}

#endif
