import Glibc
import VaultCredentials
import VaultStorage

/// The processes behind a wall, as the kernel has them outside.
///
/// Other programs of the user find the socket, too, and are not meant by the line.
enum GuardedProcess {
  /// The longest line of ancestors that is followed.
  private static let maximumDepth = 4096
  private static let limit = 64 << 10

  /// Whether a process descends from another one.
  ///
  /// One that has lost its parent goes to process 1 of its own namespace, and stays below. A program
  /// that lets nobody look into it still has its parent in `status`: proc(5).
  ///
  /// - Parameters:
  ///   - process: The process.
  ///   - root: The one that has started all of them.
  /// - Returns: Whether it does.
  static func isWithin(_ process: Int32, below root: Int32) -> Bool {
    var process = process
    for _ in 0..<maximumDepth {
      guard process > 1, let parent = parent(of: process) else { return false }
      if parent == root { return true }
      process = parent
    }
    return false
  }

  /// The highest ancestor in the session of a process that has a terminal: the shell in which it was
  /// started, by whatever is in between; the process itself where it has no terminal, since there
  /// a session may be the whole desktop.
  static func top(of process: Int32) -> Int32 {
    var top = process
    let session = getsid(process)
    guard UsageCaller(process: process, user: geteuid()).terminalDevice != 0 else { return top }
    for _ in 0..<maximumDepth {
      guard let parent = parent(of: top), parent > 1, getsid(parent) == session else { break }
      top = parent
    }
    return top
  }

  private static func parent(of process: Int32) -> Int32? {
    field("PPid", of: process)?.first.flatMap { Int32($0) }
  }

  /// The words of a line of `/proc/PID/status`, for this process without a number.
  static func field(_ name: String, of process: Int32?) -> [String]? {
    let file = "/proc/\(process.map { String($0) } ?? "self")/status"
    guard let bytes = try? UserFile.bytes(of: file, limit: limit) else { return nil }
    // The name of a process cannot make a line of its own: the kernel escapes it. By bytes, since each
    // request of a program behind a wall is looked at so, up to the one that started all.
    let mark = Array("\(name):\t".utf8)
    var start = 0
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
      if bytes[start..<end].starts(with: mark) {
        return bytes[(start + mark.count)..<end].split(separator: UInt8(ascii: "\t"))
          .map { String(decoding: $0, as: UTF8.self) }
      }
      start = end + 1
    }
    return nil
  }
}
