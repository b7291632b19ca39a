// What Swift's libraries refer to and no program of ours reaches: scripts/link puts it in the place of libdispatch and of
// the backtraces of swiftCore, so that the linker takes neither.
//
// No line of the command creates a task, which scripts/link holds. So the executor of Swift's concurrency never runs, and
// libdispatch, which it would run on, would only be started: the loader writes 17 pages for its table of queues.
//
// Backtraces are off in a program without the tables that unwind a stack. What is left of them looks for another program
// in eight places at each start.

#include <stdbool.h>
#include <stdlib.h>

#define NEVER(name) \
  void name(void) { abort(); }

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

char _dispatch_main_q[256];
char _dispatch_queue_attr_concurrent[64];
char _dispatch_source_type_timer[64];

// Zeros: off.
__attribute__((visibility("hidden"))) char _swift_backtraceSettings[512];
bool _swift_backtrace_isThunkFunction(const char *name) { return false; }
