#ifndef CVAULT_ARGUMENTS_H
#define CVAULT_ARGUMENTS_H

// The arguments of the process, for Swift's `CommandLine`: in the place of the runtime's own
// function, which looks for them through /proc/self/maps at each start.
// Documentation/design/runtime-tricks.md.
char **_swift_stdlib_getUnsafeArgvArgc(int *count);

#endif
