import Glibc
import VaultStorage

/// The program that a line was typed into or stands in: what a person looks for in `history`.
///
/// `defaults` itself says nothing there. It is the script, or the program that started this one; a
/// program that only starts others, such as `sudo`, is passed over. Of a command line nothing but
/// the name of a file is kept, since its other words may be secrets.
package enum CallingProgram {
  /// Its name, such as `setup.sh`, `bash`, `make`; "defaults" where nothing is known of it.
  package static var name: String {
    var process = getppid()
    // Programs that start others are hardly ever nested deeper.
    for _ in 0..<8 where process > 1 {
      guard let words = words(of: process), let program = name(of: words) else { break }
      if !starters.contains(program) { return program }
      guard let parent = parent(of: process) else { break }
      process = parent
    }
    return "defaults"
  }

  /// The name of a command line: its script, if it has one, else its program.
  package static func name(of words: [String]) -> String? {
    guard let first = words.first, let program = lastPart(first) else { return nil }
    guard isInterpreter(program) else { return program }
    var rest = words.dropFirst()
    while let word = rest.popFirst() {
      // A program in the words themselves has no name.
      if word == "--" { return rest.first.flatMap(lastPart) ?? program }
      guard word.begins(with: "-") || word.begins(with: "+") else {
        return lastPart(word) ?? program
      }
      let isLong = word.begins(with: "--")
      if !isLong, word.utf8.contains(where: { Array("ceEm".utf8).contains($0) }) { return program }
      if optionsWithValue.contains(word) { _ = rest.popFirst() }
    }
    return program
  }

  private static let starters: Set = [
    "sudo", "doas", "su", "env", "xargs", "nice", "nohup", "setsid", "timeout", "time", "command",
    "stdbuf", "ionice", "chrt", "runuser", "strace", "script", "vault", "defaults", "plutil",
    "PlistBuddy",
  ]

  private static let optionsWithValue: Set = ["-o", "-O", "+o", "+O", "--rcfile", "--init-file"]

  /// Whether a program runs the file that its first word names; `python3.12` is one, too.
  private static func isInterpreter(_ name: String) -> Bool {
    let letters = name.unicodeScalars.prefix { scalar in
      scalar != "." && !("0"..."9").contains(scalar)
    }
    return [
      "sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "fish", "python", "perl", "ruby", "node",
      "lua", "php", "tclsh", "osascript",
    ].contains(String(Substring(letters)))
  }

  /// The name of a file, without what a terminal would act on; a login shell's begins with a dash.
  private static func lastPart(_ path: String) -> String? {
    // What a shell reads from a descriptor has no name; a script may lie in /dev/shm.
    let nameless = ["/dev/fd/", "/dev/std", "/proc/"]
    if nameless.contains(where: { path.begins(with: $0) }) { return nil }
    guard var name = path.parts(at: "/").last else { return nil }
    if name.begins(with: "-") { name = name.dropFirst() }
    let shown = Quoting.visible(String(name.unicodeScalars.prefix(64)))
    return shown.isEmpty ? nil : shown
  }

  /// proc(5), `/proc/PID/cmdline`.
  private static func words(of process: Int32) -> [String]? {
    guard let line = try? UserFile.bytes(of: "/proc/\(process)/cmdline", limit: 256 << 10) else {
      return nil
    }
    return line.split(separator: 0, omittingEmptySubsequences: false).dropLast()
      .map { String(decoding: $0, as: UTF8.self) }
  }

  /// proc(5), `/proc/PID/stat`: the second word after the name in parentheses.
  private static func parent(of process: Int32) -> Int32? {
    guard let line = try? UserFile.bytes(of: "/proc/\(process)/stat", limit: 4_096),
      let end = line.lastIndex(of: 0x29)
    else { return nil }
    let words = line[(end + 1)...].split(separator: 0x20)
    return words.count > 1 ? Int32(String(decoding: words[1], as: UTF8.self)) : nil
  }
}
