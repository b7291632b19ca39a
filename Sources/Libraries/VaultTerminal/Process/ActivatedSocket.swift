import CVaultLinux
import Glibc
import VaultStorage

/// The socket that systemd listens on for a service, and passes to it at the first connection.
///
/// sd_listen_fds(3), systemd.socket(5): the service accepts the connections itself.
package enum ActivatedSocket {
  /// Variables that speak of the socket; no program that is started afterwards needs them.
  package static let variables: Set<String> = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"]
  /// SD_LISTEN_FDS_START.
  private static let first: Int32 = 3

  /// The one socket that was passed to this process, which does not block; `nil` without one.
  package static var passed: Int32? {
    guard ProcessState.variable("LISTEN_PID").flatMap({ Int32($0) }) == getpid(),
      ProcessState.variable("LISTEN_FDS").flatMap({ Int($0) }) == 1,
      cvault_is_listening(first) == 1
    else { return nil }
    let flags = cvault_fcntl(first, F_GETFL, 0)
    guard flags >= 0, cvault_fcntl(first, F_SETFL, Int(flags | O_NONBLOCK)) >= 0,
      cvault_fcntl(first, F_SETFD, Int(FD_CLOEXEC)) >= 0
    else { return nil }
    return first
  }

  /// Ends the connections that wait to be accepted.
  ///
  /// A service that fails with connections waiting is started again at once, until systemd gives
  /// the socket up; and the programs would wait for ever. So they learn it, and the next one starts
  /// the service again.
  ///
  /// - Parameter socket: The socket; the one that was passed if omitted.
  package static func refuseWaiting(at socket: Int32? = passed) {
    guard let socket else { return }
    while true {
      let connection = cvault_accept(socket)
      guard connection >= 0 else { return }
      close(connection)
    }
  }
}
