#ifndef CVAULT_LINUX_SHIM_H
#define CVAULT_LINUX_SHIM_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <linux/openat2.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

// Variadic functions and open-file-description locks, which Swift's Glibc module does not import.

static inline int cvault_prctl(int option, unsigned long argument) {
  return prctl(option, argument, 0UL, 0UL, 0UL);
}

// Names the calling thread, as debuggers and top(1) show it.
static inline int cvault_prctl_name(const char *name) { return prctl(PR_SET_NAME, name, 0, 0, 0); }

// Open-file-description locks belong to the descriptor, not to the process: fcntl(2).
static inline int cvault_ofd_lock(int descriptor, int exclusive) {
  struct flock lock;
  memset(&lock, 0, sizeof lock);
  lock.l_type = exclusive ? F_WRLCK : F_RDLCK;
  lock.l_whence = SEEK_SET;
  return fcntl(descriptor, F_OFD_SETLK, &lock);
}

// Not by <sys/xattr.h>: it includes sys/select.h, which with _GNU_SOURCE declares fd_set differently
// from Swift's Glibc module.
static inline int cvault_has_access_list(const char *path) {
  if (syscall(SYS_getxattr, path, "system.posix_acl_access", NULL, 0) >= 0) return 1;
  return errno != ENODATA && errno != ENOTSUP;
}

// When a file was made, in nanoseconds since 1970; 0 if its file system does not keep that: statx(2).
static inline int64_t cvault_birth_time(const char *path) {
  struct statx status;
  if (statx(AT_FDCWD, path, 0, STATX_BTIME, &status) != 0) return 0;
  if (!(status.stx_mask & STATX_BTIME)) return 0;
  return (int64_t)status.stx_btime.tv_sec * 1000000000 + status.stx_btime.tv_nsec;
}

static inline int cvault_open(const char *path, int flags, unsigned int mode) {
  return open(path, flags, mode);
}

static inline int cvault_openat(int directory, const char *path, int flags, unsigned int mode) {
  return openat(directory, path, flags, mode);
}

// openat2(2) has no wrapper in glibc.
static inline int cvault_openat2(int directory, const char *path, uint64_t flags, uint64_t mode,
                                 uint64_t resolve) {
  struct open_how how;
  memset(&how, 0, sizeof how);
  how.flags = flags;
  how.mode = mode;
  how.resolve = resolve;
  return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
}

// O_PATH is declared for _GNU_SOURCE only: a descriptor for reaching files, not for reading.
static const int cvault_o_path = O_PATH;

// The kernel's key service has no wrapper in glibc: keyctl(2), add_key(2).
static inline int32_t cvault_add_key(const char *type, const char *description,
                                     const void *payload, size_t length, int32_t keyring) {
  return (int32_t)syscall(SYS_add_key, type, description, payload, length, keyring);
}

static inline long cvault_keyctl(int operation, unsigned long a, unsigned long b, unsigned long c,
                                 unsigned long d) {
  return syscall(SYS_keyctl, operation, a, b, c, d);
}

// memfd_secret(2): pages that not even root can read through /proc/PID/mem. The kernel may have it
// disabled. It takes open(2)'s flag and refuses FD_CLOEXEC, although its manual page names that.
static inline int cvault_memfd_secret(void) {
#ifdef SYS_memfd_secret
  return (int)syscall(SYS_memfd_secret, (unsigned int)O_CLOEXEC);
#else
  errno = ENOSYS;
  return -1;
#endif
}

static inline int cvault_memfd_create(const char *name, unsigned int flags) {
  return memfd_create(name, flags);
}

static inline int cvault_fcntl(int descriptor, int command, long argument) {
  return fcntl(descriptor, command, argument);
}

static inline int cvault_window_size(int descriptor, unsigned short *columns,
                                     unsigned short *rows) {
  struct winsize size;
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0) return -1;
  *columns = size.ws_col;
  *rows = size.ws_row;
  return 0;
}

static inline int cvault_set_window_size(int descriptor, int terminal) {
  struct winsize size;
  if (ioctl(terminal, TIOCGWINSZ, &size) != 0) return -1;
  return ioctl(descriptor, TIOCSWINSZ, &size);
}

// A pseudo-terminal's controlling side: pts(4).
static inline int cvault_open_pseudoterminal(void) {
  int descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);
  int unlocked = 0;
  if (descriptor >= 0 && ioctl(descriptor, TIOCSPTLCK, &unlocked) != 0) {
    close(descriptor);
    return -1;
  }
  return descriptor;
}

// The side for programs. TIOCGPTPEER needs no path, which another mount namespace may lack.
static inline int cvault_open_pseudoterminal_peer(int descriptor) {
  return ioctl(descriptor, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
}

// execvpe(3) is a GNU extension.
static inline int cvault_execvpe(const char *file, char *const arguments[],
                                 char *const environment[]) {
  return execvpe(file, arguments, environment);
}

// SIG_DFL and SIG_IGN are casts, which Swift cannot compare. Returns whether the signal was ignored.
static inline int cvault_default_signal(int number) {
  return signal(number, SIG_DFL) == SIG_IGN;
}

static inline void cvault_ignore_signal(int number) { signal(number, SIG_IGN); }

static inline int cvault_is_ignored(int number) {
  struct sigaction action;
  return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

// environ(7) as a function: Swift sees two declarations of the variable in unistd.h.
static inline char **cvault_environment(void) { return environ; }

// pipe2(2): the read end in the upper half, the write end in the lower; negative on failure.
static inline int64_t cvault_pipe(int flags) {
  int ends[2];
  if (pipe2(ends, flags) != 0) return -1;
  return (int64_t)((uint64_t)ends[0] << 32 | (uint32_t)ends[1]);
}

// A program to start by cvault_start_program.
struct cvault_program {
  char *const *arguments;
  char *const *environment;
  // What becomes its streams; negative: as they are.
  int streams[3];
  // Its controlling terminal, in a session of its own; negative: the session of this process.
  int terminal;
  // Where what happens to it is written, as struct cvault_event; and from where it is continued.
  int events, control;
  // Pairs of a descriptor and the number that the program expects it at.
  const int *placements;
  int placement_count;
  // Variables of the environment that are wiped where they are not needed.
  char *const *secrets;
  int secret_count;
  // Whether it leads a process group, and the terminal whose foreground this group takes; negative:
  // none.
  int leads_group, foreground;
  // What it gets when this process is killed; 0: SIGKILL.
  int death_signal;
};

struct cvault_event {
  // 0: a status of waitpid(2), 1: an errno of execve(2), 2: the program has been started, with its
  // process id.
  int32_t kind;
  int32_t value;
};

static inline void cvault_tell_event(int descriptor, int32_t kind, int32_t value) {
  struct cvault_event event = {kind, value};
  while (write(descriptor, &event, sizeof event) < 0 && errno == EINTR) {}
}

static inline void cvault_wipe_secrets(const struct cvault_program *program) {
  for (int index = 0; index < program->secret_count; index++)
    explicit_bzero(program->secrets[index], strlen(program->secrets[index]));
}

static inline void cvault_become_program(const struct cvault_program *program, pid_t parent,
                                         const sigset_t *mask) {
  // Ends with the process that masks what it writes, or watches it, as if there were only one.
  prctl(PR_SET_PDEATHSIG, program->death_signal ? program->death_signal : SIGKILL, 0, 0, 0);
  if (getppid() != parent) _exit(1);
  if (program->terminal >= 0 || program->leads_group) setpgid(0, 0);
  // A process in the background may set the foreground only while SIGTTOU is blocked.
  if (program->terminal >= 0) tcsetpgrp(program->terminal, getpid());
  if (program->leads_group && program->foreground >= 0) tcsetpgrp(program->foreground, getpid());
  for (int stream = 0; stream < 3; stream++)
    if (program->streams[stream] >= 0) dup2(program->streams[stream], stream);
  for (int index = 0; index < program->placement_count; index++)
    dup2(program->placements[2 * index], program->placements[2 * index + 1]);
  for (int number = 1; number < NSIG; number++) {
    struct sigaction action;
    if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_IGN) {
      memset(&action, 0, sizeof action);
      action.sa_handler = SIG_DFL;
      sigaction(number, &action, NULL);
    }
  }
  sigprocmask(SIG_SETMASK, mask, NULL);
  execvpe(program->arguments[0], program->arguments, program->environment);
  cvault_tell_event(program->events, 1, errno);
  _exit(127);
}

// The leader of the program's session. Without it, the program's process group would be orphaned,
// and the kernel would ignore what stops it: POSIX, 2.4.3 of the general concepts.
static inline void cvault_lead_session(const struct cvault_program *program, pid_t parent,
                                       const sigset_t *mask) {
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (getppid() != parent) _exit(1);
  setsid();
  ioctl(program->terminal, TIOCSCTTY, 0);
  pid_t leader = getpid();
  pid_t child = fork();
  if (child == 0) cvault_become_program(program, leader, mask);
  cvault_wipe_secrets(program);
  if (child < 0) {
    cvault_tell_event(program->events, 1, errno);
    _exit(127);
  }
  setpgid(child, child);
  cvault_tell_event(program->events, 2, child);
  // Nothing else may be held open here: the ends of pipes, files.
  dup2(program->terminal, 0);
  dup2(program->events, 1);
  dup2(program->control, 2);
  syscall(SYS_close_range, 3U, ~0U, 0U);
  for (;;) {
    int status;
    pid_t ended = waitpid(child, &status, WUNTRACED);
    if (ended < 0 && errno == EINTR) continue;
    if (ended < 0) _exit(1);
    cvault_tell_event(1, 0, status);
    if (!WIFSTOPPED(status)) _exit(0);
    char byte;
    while (read(2, &byte, 1) < 0 && errno == EINTR) {}
    tcsetpgrp(0, child);
    kill(-child, SIGCONT);
  }
}

// fork(2), which Swift does not import, with all signals blocked meanwhile: their handlers belong to
// this process. Returns the process to wait for, or -1.
static inline pid_t cvault_start_program(const struct cvault_program *program) {
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  pid_t parent = getpid();
  pid_t child = fork();
  if (child == 0) {
    if (program->terminal >= 0) cvault_lead_session(program, parent, &before);
    cvault_become_program(program, parent, &before);
  }
  int saved = errno;
  cvault_wipe_secrets(program);
  sigprocmask(SIG_SETMASK, &before, NULL);
  errno = saved;
  return child;
}

// SIGTSTP, SIGTTIN and the like stop this process's whole group, as a terminal does it.
static inline void cvault_stop_group(int number) {
  struct sigaction stop, before;
  memset(&stop, 0, sizeof stop);
  stop.sa_handler = SIG_DFL;
  sigaction(number, &stop, &before);
  sigset_t set, mask;
  sigemptyset(&set);
  sigaddset(&set, number);
  sigprocmask(SIG_UNBLOCK, &set, &mask);
  kill(0, number);
  sigprocmask(SIG_SETMASK, &mask, NULL);
  sigaction(number, &before, NULL);
}

// The user at the other end of a local socket; -1 if unknown: unix(7), SO_PEERCRED. A plain system
// call, because sys/socket.h with _GNU_SOURCE declares fd_set differently from Swift's Glibc module.
static inline int64_t cvault_peer_user(int descriptor) {
  struct { int32_t pid; uint32_t uid; uint32_t gid; } peer;
  uint32_t size = sizeof peer;
  const int sol_socket = 1, so_peercred = 17;
  if (syscall(SYS_getsockopt, descriptor, sol_socket, so_peercred, &peer, &size) != 0) return -1;
  return peer.uid;
}

// The process at the other end, the same way; 0 if it is in a namespace that cannot be seen from here.
static inline int64_t cvault_peer_process(int descriptor) {
  struct { int32_t pid; uint32_t uid; uint32_t gid; } peer;
  uint32_t size = sizeof peer;
  const int sol_socket = 1, so_peercred = 17;
  if (syscall(SYS_getsockopt, descriptor, sol_socket, so_peercred, &peer, &size) != 0) return -1;
  return peer.pid;
}

// Whether a descriptor is a local stream socket that listens: socket(7), SO_DOMAIN, SO_TYPE, SO_ACCEPTCONN.
static inline int cvault_is_listening(int descriptor) {
  const int sol_socket = 1, af_unix = 1, sock_stream = 1;
  const int options[] = {39, 3, 30}, wanted[] = {af_unix, sock_stream, 1};
  for (int i = 0; i < 3; i++) {
    int value = 0;
    uint32_t size = sizeof value;
    if (syscall(SYS_getsockopt, descriptor, sol_socket, options[i], &value, &size) != 0) return 0;
    if (value != wanted[i]) return 0;
  }
  return 1;
}

// accept4(2) is a GNU extension, and sys/socket.h is not included for the reason above.
static inline int cvault_accept(int listening) {
  return (int)syscall(SYS_accept4, listening, NULL, NULL, O_CLOEXEC | O_NONBLOCK);
}

// pidfd_open(2) has no wrapper in older glibc. The descriptor can be read when the process has ended.
static inline int cvault_process_descriptor(int process) {
#ifdef SYS_pidfd_open
  return (int)syscall(SYS_pidfd_open, process, 0);
#else
  errno = ENOSYS;
  return -1;
#endif
}

// Starts a program that is nobody's child: fork(2) twice, which Swift does not offer. The program has a process group of
// its own, /dev/null as stdin and stdout, and keeps `kept` descriptors beside stderr. Only calls of signal-safety(7) are
// made between fork and execve. Returns 0, or the errno of what failed.
static inline int cvault_start_alone(const char *path, char *const arguments[],
                                     char *const environment[], const int *kept, int count) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return errno;
  pid_t child = fork();
  if (child < 0) {
    int failure = errno;
    close(ends[0]);
    close(ends[1]);
    return failure;
  }
  if (child == 0) {
    pid_t grandchild = fork();
    if (grandchild > 0) _exit(0);
    if (grandchild == 0) {
      // A session of its own: it can then read a terminal whose programs are others, where the
      // kernel would stop a background process of the same session (tty_ioctl(4), SIGTTIN).
      setsid();
      int nothing = open("/dev/null", O_RDWR);
      if (nothing >= 0) {
        dup2(nothing, 0);
        dup2(nothing, 1);
        if (nothing > 2) close(nothing);
      }
      for (int index = 0; index < count; index++) fcntl(kept[index], F_SETFD, 0);
      execve(path, arguments, environment);
    }
    int failure = errno;
    if (write(ends[1], &failure, sizeof failure) < 0) _exit(2);
    _exit(1);
  }
  close(ends[1]);
  int failure = 0;
  ssize_t length;
  do { length = read(ends[0], &failure, sizeof failure); } while (length < 0 && errno == EINTR);
  close(ends[0]);
  while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
  return length == (ssize_t)sizeof failure ? failure : 0;
}

// A datagram to a service manager's socket, whose name may be abstract: sd_notify(3). A manager that does not read is
// not waited for. Plain system calls, as for cvault_peer_user().
static inline int cvault_notify(const char *path, const char *text) {
  const int af_unix = 1, sock_dgram = 2, sock_cloexec = O_CLOEXEC, msg_dontwait = 0x40, msg_nosignal = 0x4000;
  struct { uint16_t family; char path[108]; } address = {.family = (uint16_t)af_unix};
  size_t length = strlen(path);
  if (length >= sizeof address.path || (path[0] != '/' && path[0] != '@')) return -1;
  memcpy(address.path, path, length);
  if (path[0] == '@') address.path[0] = 0;
  int descriptor = (int)syscall(SYS_socket, af_unix, sock_dgram | sock_cloexec, 0);
  if (descriptor < 0) return -1;
  long sent = syscall(SYS_sendto, descriptor, text, strlen(text), msg_nosignal | msg_dontwait, &address,
                      (uint32_t)(offsetof(__typeof__(address), path) + length));
  close(descriptor);
  return sent < 0 ? -1 : 0;
}

// The version of Landlock's calls: landlock_create_ruleset(2); 0 without it.
static inline int cvault_landlock_version(void) {
  long version = syscall(444, NULL, 0UL, 1U);
  return version < 0 ? 0 : (int)version;
}

// Lets this process, and what it starts, reach no abstract socket and send no signal to what is outside: Landlock
// version 6, LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET and LANDLOCK_SCOPE_SIGNAL. Neither files nor mounts are touched. New
// privileges are given up for good: prctl(2), PR_SET_NO_NEW_PRIVS. Returns 0, or an errno.
static inline int cvault_landlock_scope(void) {
  struct { uint64_t files, network, scoped; } rules = {0, 0, 3};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL) != 0) return errno;
  long set = syscall(444, &rules, sizeof rules, 0U);
  if (set < 0) return errno;
  int failure = syscall(446, (int)set, 0U) == 0 ? 0 : errno;
  close((int)set);
  return failure;
}

// Closes all descriptors from a number on when another program is run: close_range(2), Linux 5.11, or one by one.
static inline void cvault_close_on_exec_from(unsigned int first) {
  if (syscall(SYS_close_range, first, ~0U, 4U) == 0) return;
  long end = sysconf(_SC_OPEN_MAX);
  for (long number = first; number < end; number++) fcntl((int)number, F_SETFD, FD_CLOEXEC);
}

#endif
