import CVaultLinux
import Glibc
import VaultCredentials
import VaultStorage
import VaultTerminal

/// What a command behind the wall sees of the home and of other places: the working folder, and what
/// the line names.
///
/// A folder is opened, and judged by the path that the kernel has for what was opened: neither `..`
/// nor a link leads past that, and what is bound later is what was judged.
package struct GuardedFolders {
  /// A folder or file that is shown.
  package struct Shown {
    /// Its path, without a link in it.
    package let path: String
    /// A descriptor of it: open(2), `O_PATH`.
    let descriptor: Int32
    /// Whether it is written to.
    package let isWritable: Bool
  }

  /// In the order in which they are bound: what lies deeper comes later.
  package let all: [Shown]
  /// The working folder.
  package let working: String

  /// Opens and judges the working folder and what is named.
  ///
  /// - Parameters:
  ///   - writable: The names of `--rw`.
  ///   - readable: The names of `--ro`.
  ///   - places: What must not be shown.
  /// - Throws: ``CommandError`` with code `.fileNotFound` or `.notAllowed`.
  package init(writable: [String], readable: [String], places: GuardPlaces) throws {
    let current = try Self.open(".", isWritable: true)
    try places.checkWorkingFolder(current.path)
    working = current.path
    var shown = [current]
    var named: [(name: String, shown: Shown)] = []
    for (names, isWritable) in [(writable, true), (readable, false)] {
      for name in names {
        let one = try Self.open(name, isWritable: isWritable)
        try places.check(one.path, as: name, isWritable: isWritable)
        named.append((name, one))
        shown.removeAll { GuardPlaces.isSame($0.path, one.path) }
        shown.append(one)
      }
    }
    let writableFolders = [current.path] + named.filter(\.shown.isWritable).map(\.shown.path)
    for (name, one) in named {
      try Self.checkWay(to: one, by: name, from: current.path, writable: writableFolders)
      try GuardSockets.refuse(below: one.descriptor, one.path, as: name)
    }
    shown += try Self.parents(of: shown)
    all = shown.sorted { $0.path.utf8.count < $1.path.utf8.count }
  }

  /// Refuses a name that a link leads away from where it stands, if a command behind the wall may
  /// have made that link: one that ran here before, or one that runs now.
  private static func checkWay(
    to one: Shown, by name: String, from working: String, writable: [String]
  ) throws {
    let way = GuardWay(name, from: working)
    let isWhole = GuardPlaces.isSame(way.end, one.path)
    guard !isWhole || !way.links.isEmpty else { return }
    // Within one folder a link shows nothing that is not shown already.
    let isLedAway = (way.links + (isWhole ? [] : way.folders)).contains { folder in
      writable.contains { GuardPlaces.holds($0, folder) && !GuardPlaces.holds($0, one.path) }
    }
    guard !isLedAway else {
      throw CommandError(
        .notAllowed, "'\(name)' is a link in a folder that commands write to, and leads out of it",
        hint: "look where it leads, and name that: \(Sanitizer.visible(one.path))")
    }
  }

  /// The folders between one that is written to and what is to be read alone below it.
  ///
  /// Bound onto themselves they cannot be renamed, and what lies in them stays where it is.
  private static func parents(of shown: [Shown]) throws -> [Shown] {
    var all: [Shown] = []
    for one in shown where !one.isWritable {
      let above = shown.filter {
        !GuardPlaces.isSame($0.path, one.path) && GuardPlaces.holds($0.path, one.path)
      }
      guard let nearest = above.max(by: { $0.path.utf8.count < $1.path.utf8.count }),
        nearest.isWritable
      else { continue }
      var folder = HelperProgram.parent(of: one.path)
      while folder.utf8.count > nearest.path.utf8.count {
        if !(shown + all).contains(where: { GuardPlaces.isSame($0.path, folder) }) {
          let parent = try Self.open(folder, isWritable: true)
          guard GuardPlaces.isSame(parent.path, folder) else {
            throw CommandError(
              .notAllowed, "'\(Sanitizer.visible(folder))' was changed meanwhile",
              hint: "try again, while nothing else runs there")
          }
          all.append(parent)
        }
        folder = HelperProgram.parent(of: folder)
      }
    }
    return all
  }

  /// Refuses a program that asks the person, and that the command could put its own in the place of.
  ///
  /// - Throws: ``CommandError`` with code `.notAllowed`.
  package func checkAskpass() throws {
    guard let program = AskpassProgram.configured else { return }
    let isWhole = program.utf8.first == 0x2F
    let way = GuardWay(program, from: working)
    let places = [way.end, program] + way.folders
    let isReached = all.contains { folder in
      folder.isWritable && places.contains { GuardPlaces.holds(folder.path, $0) }
    }
    guard isWhole, !isReached else {
      throw CommandError(
        .notAllowed,
        isWhole
          ? "the command may change the program that asks: \(Sanitizer.visible(program))"
          : "the program that asks is not named by its whole path: \(Sanitizer.visible(program))",
        hint: "name one outside of what is written: \(AskpassProgram.variable)=/usr/bin/ssh-askpass"
      )
    }
  }

  private static func open(_ name: String, isWritable: Bool) throws -> Shown {
    do {
      let descriptor = try System.open(name, in: AT_FDCWD, flags: cvault_o_path)
      guard let bytes = System.linkTarget("/proc/self/fd/\(descriptor)"),
        let path = String(validating: bytes, as: UTF8.self), path.utf8.first == 0x2F
      else { throw System.Failure(errno: ENOENT) }
      let status = try System.status(descriptor)
      // A folder that was removed under the shell has no name that could be shown.
      guard status.linkCount > 0 else { throw System.Failure(errno: ENOENT) }
      guard status.isDirectory || status.isRegular else {
        throw CommandError(
          .notAllowed, "'\(name)' is neither a folder nor a file",
          hint: "sockets and devices stay outside: name a folder")
      }
      return Shown(path: path, descriptor: descriptor, isWritable: isWritable)
    } catch let failure as System.Failure {
      throw CommandError(
        .fileNotFound, "'\(name)' cannot be shown to the command: \(failure.reason)",
        hint: "name a folder that is there")
    }
  }
}

/// The way that a name leads, component by component.
struct GuardWay {
  /// Where it ends, as far as links say so.
  private(set) var end = ""
  /// The folders in which a link lies that it leads through.
  private(set) var links: [String] = []
  /// All folders that it leads through.
  private(set) var folders: [String] = []

  /// Follows a name.
  ///
  /// - Parameters:
  ///   - name: A path.
  ///   - working: The working folder, without links, from which it begins if it is not whole.
  init(_ name: String, from working: String) {
    var left = Array(name.parts(at: "/").map { String($0) }.reversed())
    var path = name.utf8.first == 0x2F ? "" : working
    if working == "/", path == "/" { path = "" }
    // path_resolution(7): a way has at most forty links.
    while let part = left.popLast(), links.count <= 40 {
      if part.isEmpty || part == "." { continue }
      folders.append(path.isEmpty ? "/" : path)
      guard part != ".." else {
        path = HelperProgram.parent(of: path)
        continue
      }
      guard let bytes = System.linkTarget("\(path)/\(part)") else {
        path += "/\(part)"
        continue
      }
      links.append(path.isEmpty ? "/" : path)
      let target = String(decoding: bytes, as: UTF8.self)
      if target.utf8.first == 0x2F { path = "" }
      left += target.parts(at: "/").map { String($0) }.reversed()
    }
    end = path.isEmpty ? "/" : path
  }
}
