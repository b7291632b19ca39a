import CVaultLinux
import Glibc

/// The arguments of the process, byte for byte.
///
/// Arguments are bytes, which need not be UTF-8: execve(2). `CommandLine.arguments` replaces what
/// is not UTF-8 by U+FFFD, so a path in it may name another file.
@safe package enum RawArguments {
  /// All arguments, the program's name first; `nil` if /proc is not mounted.
  ///
  /// The installed command has them from main's arguments (`CVaultArguments`); Swift's runtime, where
  /// a program uses that, looks for them by way of `/proc/self/maps`.
  package static let all: [[UInt8]]? = {
    // The link itself: what it leads to is made when somebody looks at it.
    var status = stat()
    guard unsafe lstat("/proc/self", &status) == 0 else { return nil }
    var words: [[UInt8]] = []
    while words.count < Int(CommandLine.argc),
      let word = unsafe CommandLine.unsafeArgv[words.count]
    {
      unsafe words.append(Array(UnsafeRawBufferPointer(start: word, count: strlen(word))))
    }
    return words
  }()

  /// The last arguments, such as a command to run.
  package static func last(_ count: Int) -> [[UInt8]] { (all ?? []).suffix(count) }

  /// The argument as text, with U+FFFD for what is not UTF-8; never pass this on.
  package static func shown(_ word: [UInt8]) -> String { String(decoding: word, as: UTF8.self) }

  /// Whether the argument is UTF-8.
  package static func isText(_ word: [UInt8]) -> Bool {
    String(validating: word, as: UTF8.self) != nil
  }
}
