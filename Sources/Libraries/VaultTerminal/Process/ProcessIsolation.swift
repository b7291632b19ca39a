import CVaultLinux
import Glibc

/// What this process gives up before it becomes a program that must not have it.
package enum ProcessIsolation {
  /// Whether the kernel keeps a process from abstract sockets and processes outside: Landlock
  /// version 6, Linux 6.12.
  package static var canBeScoped: Bool { cvault_landlock_version() >= 6 }

  /// Gives up abstract sockets, signals to what is outside, and new privileges, for good.
  ///
  /// - Returns: Whether the kernel has done so.
  package static func scope() -> Bool { cvault_landlock_scope() == 0 }

  /// Leaves the kernel's session keyring, and with it what it leads to, for an empty one: keyctl(2),
  /// `KEYCTL_JOIN_SESSION_KEYRING`.
  ///
  /// Where the key service is refused there is nothing to leave.
  package static func leaveSessionKeyring() { _ = cvault_keyctl(1, 0, 0, 0, 0) }

  /// Keeps all descriptors from the next program but stdin, stdout, stderr and these.
  ///
  /// - Parameter kept: Descriptors that it gets.
  package static func keepDescriptors(_ kept: [Int32]) {
    cvault_close_on_exec_from(3)
    for descriptor in kept { _ = cvault_fcntl(descriptor, F_SETFD, 0) }
  }
}
