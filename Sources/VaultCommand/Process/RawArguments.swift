import Glibc

/// The words that the process was started with, byte for byte.
///
/// execve(2) hands over bytes, which need not be UTF-8; `CommandLine.arguments` puts U+FFFD in place of those that
/// are not, and names another file then.
@safe package enum RawArguments {
  /// Every word, the program's own name first; `nil` where the system does not say.
  ///
  /// Swift's runtime reads them from `/proc/self/cmdline`: proc_pid_cmdline(5).
  static let all: [[UInt8]]? = {
    guard unsafe access("/proc/self/cmdline", R_OK) == 0 else { return nil }
    var words: [[UInt8]] = []
    while words.count < Int(CommandLine.argc),
      let word = unsafe CommandLine.unsafeArgv[words.count]
    {
      unsafe words.append(Array(UnsafeRawBufferPointer(start: word, count: strlen(word))))
    }
    return words
  }()

  /// The last words of the line, such as the command of `vault run`.
  static func last(_ count: Int) -> [[UInt8]] { (all ?? []).suffix(count) }

  /// The word as text, with U+FFFD in place of what is not UTF-8: for reading, never for handing on.
  package static func shown(_ word: [UInt8]) -> String { String(decoding: word, as: UTF8.self) }

  /// Whether the word is UTF-8.
  package static func isText(_ word: [UInt8]) -> Bool {
    String(validating: word, as: UTF8.self) != nil
  }
}
