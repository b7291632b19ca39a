import Glibc
import VaultSealing

/// The system calls that a command behind the wall does not get: seccomp(2), as bubblewrap takes it.
///
/// Namespaces leave these open. The kernel's key service knows no mount and no process: whoever has a
/// key's number links the user's keyring, and reads the session of a vault (keyctl(2)). `TIOCSTI`
/// types into the terminal that is left behind (CVE-2017-5226), and so does `TIOCLINUX`; only the low
/// half of the argument counts, as the kernel has it (CVE-2019-10063). A namespace of its own inside
/// would bring back rights that were given up.
package enum SystemCallFilter {
  /// The numbers of one architecture.
  struct Numbers {
    /// linux/audit.h, `AUDIT_ARCH_…`.
    let architecture: UInt32
    /// Refused as a thing that is not permitted.
    let refused: [UInt32]
    let ioctl: UInt32
    let clone: UInt32
    let unshare: UInt32
    let socket: UInt32
    let ptrace: UInt32
  }

  /// Where no filter is written for, nothing is started.
  static var native: Numbers? {
    #if arch(x86_64)
    .x86
    #elseif arch(arm64)
    .arm
    #else
    nil
    #endif
  }

  /// The program for this machine's processor; `nil` where there is none.
  package static var program: [UInt8]? { native.map { program($0) } }

  /// linux/bpf_common.h and linux/filter.h.
  private enum Operation: UInt16 {
    case load = 0x20
    case equals = 0x15
    case atLeast = 0x35
    case hasBits = 0x45
    case end = 0x06
  }

  private static let allow: UInt32 = 0x7FFF_0000
  private static func fail(_ errno: Int32) -> UInt32 { 0x0005_0000 | UInt32(errno) }

  /// linux/seccomp.h, `struct seccomp_data`: the number, the architecture, the arguments' low halves.
  private static let (number, architecture): (UInt32, UInt32) = (0, 4)
  private static func argument(_ index: UInt32) -> UInt32 { 16 + 8 * index }

  /// Numbers that are the same everywhere: clone3, whose flags cannot be looked at, and io_uring.
  ///
  /// The latter does what it is asked past this filter. Programs go on without them.
  private static let absent: [UInt32] = [435, 425, 426, 427]
  /// x32's numbers would get past those of x86-64.
  private static let x32: UInt32 = 0x4000_0000

  static func program(_ numbers: Numbers) -> [UInt8] {
    var program: [UInt8] = []
    func add(_ operation: Operation, _ value: UInt32, then: UInt8 = 0, else other: UInt8 = 0) {
      program.append(littleEndian: operation.rawValue)
      program += [then, other]
      program.append(littleEndian: value)
    }
    func refuse(_ call: UInt32, _ errno: Int32) {
      add(.equals, call, else: 1)
      add(.end, fail(errno))
    }
    /// Refuses a call whose argument passes the test, and allows it else.
    func refuse(
      _ call: UInt32, where index: UInt32, _ test: Operation, _ values: [UInt32], _ errno: Int32
    ) {
      let count = UInt8(values.count)
      add(.equals, call, else: count + 3)
      add(.load, argument(index))
      for (place, value) in values.enumerated() {
        let left = count - UInt8(place)
        add(test, value, then: left, else: 0)
      }
      add(.end, allow)
      add(.end, fail(errno))
    }
    add(.load, architecture)
    add(.equals, numbers.architecture, then: 1)
    add(.end, fail(ENOSYS))
    add(.load, number)
    add(.atLeast, x32, else: 1)
    add(.end, fail(ENOSYS))
    for call in absent { refuse(call, ENOSYS) }
    for call in numbers.refused { refuse(call, EPERM) }
    // asm-generic/ioctls.h: TIOCSTI, TIOCLINUX.
    refuse(numbers.ioctl, where: 1, .equals, [0x5412, 0x541C], EPERM)
    // linux/sched.h: CLONE_NEWUSER.
    refuse(numbers.clone, where: 0, .hasBits, [0x1000_0000], EPERM)
    refuse(numbers.unshare, where: 0, .hasBits, [0x1000_0000], EPERM)
    // bits/socket.h: AF_VSOCK, which knows no namespace.
    refuse(numbers.socket, where: 0, .equals, [40], EAFNOSUPPORT)
    // Process 1 builds the wall, and ends the command: one that is stopped never would. Its memory
    // is no file (GuardWall), and the calls that write to another process's are refused.
    refuse(numbers.ptrace, where: 1, .equals, [1], EPERM)
    add(.end, allow)
    return program
  }
}

// In the order of the lines: add_key, request_key, keyctl; setns, mount, umount2, pivot_root, and the
// newer calls on mounts; open_by_handle_at; perf_event_open, bpf, userfaultfd; syslog, acct, quotactl;
// process_vm_readv, process_vm_writev, pidfd_getfd, process_madvise.
extension SystemCallFilter.Numbers {
  static let x86 = SystemCallFilter.Numbers(
    architecture: 0xC000_003E,
    refused: [
      248, 249, 250,
      308, 165, 166, 155, 428, 429, 430, 431, 432, 433, 442,
      304,
      298, 321, 323,
      103, 163, 179,
      310, 311, 438, 440,
    ], ioctl: 16, clone: 56, unshare: 272, socket: 41, ptrace: 101)

  static let arm = SystemCallFilter.Numbers(
    architecture: 0xC000_00B7,
    refused: [
      217, 218, 219,
      268, 40, 39, 41, 428, 429, 430, 431, 432, 433, 442,
      265,
      241, 280, 282,
      116, 89, 60,
      270, 271, 438, 440,
    ], ioctl: 29, clone: 220, unshare: 97, socket: 198, ptrace: 117)
}
