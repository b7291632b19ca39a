import Glibc

/// Who uses a secret: a process and the programs that started it, as far as the kernel tells.
///
/// The paths and names are bytes: a program may have any name. Command lines are not kept, since
/// they may hold secrets of other programs.
package struct UsageCaller: Sendable, Equatable {
  /// A process of the chain.
  package struct Program: Sendable, Equatable {
    /// The process's id, as it was then.
    package let pid: Int32
    /// The path of its executable, or where that cannot be read, as of another user's process, the
    /// name that the process gives itself.
    package let name: [UInt8]
    /// Whether ``name`` is a path that the kernel vouches for.
    package let isPath: Bool

    /// A process.
    package init(pid: Int32, name: [UInt8], isPath: Bool) {
      self.pid = pid
      self.name = name
      self.isPath = isPath
    }

    /// A program whose name cannot be believed.
    fileprivate static func unknown(_ pid: Int32, _ words: String) -> Program {
      Program(pid: pid, name: Array(words.utf8), isPath: false)
    }

    /// Whether ``name`` is one of our own sentences, in place of a name that cannot be believed.
    ///
    /// A process cannot call itself so: its own name has 15 bytes at most, proc_pid_comm(5).
    package var isUnknown: Bool {
      !isPath && [UsageCaller.elsewhere, UsageCaller.changed].contains { name == Array($0.utf8) }
    }

    /// The last component of ``name``.
    package var shortName: [UInt8] {
      guard isPath, let slash = name.lastIndex(of: UInt8(ascii: "/")) else { return name }
      return Array(name[(slash + 1)...])
    }
  }

  /// What stands in place of a name that a program could choose.
  private static let elsewhere = "a program in another namespace"
  private static let changed = "a program that was another one when it connected"

  /// The longest chain that is recorded, and the longest name in it.
  static let maximumPrograms = 16
  static let maximumName = 1024

  /// The process that asks, then the one that started it, and so on.
  package var programs: [Program] = []
  /// The user whose rights apply.
  package var user: UInt32
  /// The user who logged in, before any change to another one: proc(5), `loginuid`.
  package var loginUser: UInt32?
  /// The number of the controlling terminal's device; 0 without one.
  package var terminalDevice: UInt32 = 0
  /// The control group, such as `/user.slice/…/session-3.scope`; empty if unknown.
  package var controlGroup: [UInt8] = []

  /// A caller of whom only the user is known.
  package init(user: UInt32) { self.user = user }

  /// Who started this process.
  package static func current() -> UsageCaller {
    var caller = UsageCaller(user: geteuid())
    let own = ProcessFile("self")
    let status = own.status()
    caller.terminalDevice = status?.terminal ?? 0
    caller.addPlace(of: own)
    caller.addPrograms(from: status?.parent ?? 0)
    return caller
  }

  /// Who is at the other end of a socket.
  ///
  /// - Parameters:
  ///   - process: Its id: unix(7), `SO_PEERCRED`.
  ///   - user: Its user.
  ///   - isSameProgram: Whether it is known to be the program that connected: the process may have
  ///     ended, or have run another one.
  ///   - known: The path of a file that is called so wherever it is mounted, such as this command,
  ///     which a wall shows at a place of its own.
  package init(process: Int32, user: UInt32, isSameProgram: Bool = true, known: String? = nil) {
    self.user = user
    let file = ProcessFile("\(process)")
    terminalDevice = file.status()?.terminal ?? 0
    addPlace(of: file)
    addPrograms(from: process, known: known)
    if !isSameProgram, !programs.isEmpty { programs[0] = .unknown(process, Self.changed) }
  }

  private mutating func addPlace(of process: ProcessFile) {
    loginUser = process.loginUser()
    controlGroup = process.controlGroup()
  }

  private mutating func addPrograms(from first: Int32, known: String? = nil) {
    var pid = first
    while pid > 0, programs.count < Self.maximumPrograms {
      let file = ProcessFile("\(pid)")
      guard let status = file.status() else { break }
      switch file.executable(known: known) {
      case .path(let path):
        programs.append(
          Program(pid: pid, name: Array(path.prefix(Self.maximumName)), isPath: true))
      case .elsewhere: programs.append(.unknown(pid, Self.elsewhere))
      case nil:
        programs.append(
          Program(pid: pid, name: Array(status.name.prefix(Self.maximumName)), isPath: false))
      }
      // A chain has no loop but while processes end and their ids are given away again.
      guard status.parent != pid else { break }
      pid = status.parent
    }
  }

  /// The terminal's name below `/dev`, such as `pts/3`; `nil` without one.
  package var terminal: String? {
    guard terminalDevice != 0 else { return nil }
    // makedev(3), as the kernel encodes it for user space; Documentation/admin-guide/devices.txt.
    let major = terminalDevice >> 8 & 0xFFF
    let minor = terminalDevice & 0xFF | terminalDevice >> 12 & 0xFFF00
    switch major {
    case 136...143: return "pts/\((major - 136) << 20 | minor)"
    case 4 where minor < 64: return "tty\(minor)"
    case 4: return "ttyS\(minor - 64)"
    default: return "device \(major):\(minor)"
    }
  }

  /// The systemd unit of the control group: its last part that is a service or a scope.
  package var unit: [UInt8]? {
    let parts = controlGroup.split(separator: UInt8(ascii: "/"))
    let endings = [Array(".service".utf8), Array(".scope".utf8)]
    let found = parts.last { part in
      endings.contains { part.count > $0.count && part.suffix($0.count).elementsEqual($0) }
    }
    return found.map { Array($0) }
  }
}
