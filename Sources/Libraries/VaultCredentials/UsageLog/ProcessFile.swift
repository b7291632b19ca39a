import Glibc
import VaultStorage

/// What the kernel tells of a process: proc(5).
struct ProcessFile {
  /// The fields of `stat` that are used here.
  struct Status: Equatable {
    /// The name that the process gives itself, 15 bytes at most.
    let name: [UInt8]
    let parent: Int32
    /// The device of the controlling terminal; 0 without one.
    let terminal: UInt32

    /// The longest name that the kernel tells, with its parentheses: `fs/proc/array.c`.
    private static let longestName = 66

    /// Reads a line of `/proc/PID/stat`.
    ///
    /// The name may hold any bytes, also a closing parenthesis: its end is the last one.
    init?(_ line: [UInt8]) {
      guard let start = line.firstIndex(of: UInt8(ascii: "(")),
        let end = line[start..<min(line.count, start + Self.longestName)]
          .lastIndex(of: UInt8(ascii: ")"))
      else { return nil }
      name = Array(line[(start + 1)..<end])
      // Behind the name: state, parent, group, session, terminal.
      var position = end + 1
      var parent: Int64?
      var terminal: Int64?
      for field in 0..<5 {
        while position < line.count, line[position] == UInt8(ascii: " ") { position += 1 }
        guard position < line.count else { return nil }
        var isNegative = false
        var number: Int64 = 0
        while position < line.count, line[position] != UInt8(ascii: " ") {
          let byte = line[position]
          if byte == UInt8(ascii: "-") {
            isNegative = true
          } else if byte >= 0x30, byte <= 0x39 {
            number = number &* 10 &+ Int64(byte - 0x30)
          }
          position += 1
        }
        if field == 1 { parent = isNegative ? -number : number }
        if field == 4 { terminal = isNegative ? -number : number }
      }
      guard let parent, let terminal, let parent = Int32(exactly: parent) else { return nil }
      self.parent = parent
      self.terminal = UInt32(truncatingIfNeeded: terminal)
    }
  }

  private let folder: String

  /// The files of a process.
  ///
  /// - Parameter process: Its number, or `self`.
  init(_ process: String) { folder = "/proc/" + process }

  func status() -> Status? { read("/stat").flatMap { Status($0) } }

  /// The executable of a process.
  enum Executable {
    /// Its path, at which the file is, or was when the process started.
    case path([UInt8])
    /// The process lives among other mounts: what it calls by that path is another file here.
    case elsewhere
  }

  /// Its executable; `nil` where that is not for this user.
  ///
  /// Whoever makes a namespace of mounts chooses under which path a program is run there; so a path
  /// is believed if the same file is there for this process, too. A file that is known is called by its
  /// path here, wherever it is mounted there.
  func executable(known: String? = nil) -> Executable? {
    guard let path = System.linkTarget(folder + "/exe"),
      let file = try? System.targetStatus(of: folder + "/exe", in: AT_FDCWD)
    else { return nil }
    let here = try? System.targetStatus(of: String(decoding: path, as: UTF8.self), in: AT_FDCWD)
    if let here, here.isSameFile(as: file) { return .path(path) }
    if let known, let own = try? System.targetStatus(of: known, in: AT_FDCWD),
      own.isSameFile(as: file)
    {
      return .path(Array(known.utf8))
    }
    // The file was replaced or removed, as by an update, if the mounts are the same.
    let mounts = try? System.targetStatus(of: folder + "/ns/mnt", in: AT_FDCWD)
    let own = try? System.targetStatus(of: "/proc/self/ns/mnt", in: AT_FDCWD)
    if let mounts, let own, mounts.isSameFile(as: own) { return .path(path) }
    return .elsewhere
  }

  /// The user who logged in; `nil` for none, as in a service.
  func loginUser() -> UInt32? {
    guard let digits = read("/loginuid") else { return nil }
    var number: UInt32 = 0
    for digit in digits where (0x30...0x39).contains(digit) {
      number = number &* 10 &+ UInt32(digit - 0x30)
    }
    return number == .max ? nil : number
  }

  /// The path of its control group: cgroups(7), of version 2 or else the last of version 1, which
  /// is systemd's own.
  func controlGroup() -> [UInt8] {
    guard var lines = read("/cgroup") else { return [] }
    if lines.last == UInt8(ascii: "\n") { lines.removeLast() }
    let start = lines.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    var colons = 0
    for position in start..<lines.count where lines[position] == UInt8(ascii: ":") {
      colons += 1
      if colons == 2 {
        return Array(lines[(position + 1)...].prefix(UsageCaller.maximumName))
      }
    }
    return []
  }

  private func read(_ name: String) -> [UInt8]? {
    guard
      let file = try? System.open(folder + name, in: AT_FDCWD, flags: O_RDONLY | O_NOCTTY)
    else { return nil }
    defer { System.close(file) }
    return try? System.readAll(file, expected: 511, limit: 1 << 16)
  }
}
