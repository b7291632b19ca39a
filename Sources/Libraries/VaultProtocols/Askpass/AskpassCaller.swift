import VaultStorage

/// The program that shows a prompt through askpass, as far as it says what the prompt does not.
///
/// Whoever starts the askpass program chooses the prompt, too, so this is trusted as much as that.
public struct AskpassCaller: Sendable {
  /// The folder that the program runs in, which its askpass program begins in, too.
  public var folder: String?
  /// The program's own line: its name and arguments; empty if that is not known.
  public var arguments: [String]

  /// Creates a caller.
  ///
  /// - Parameters:
  ///   - folder: The folder that it runs in.
  ///   - arguments: Its name and arguments.
  public init(folder: String? = nil, arguments: [String] = []) {
    (self.folder, self.arguments) = (folder, arguments)
  }

  /// The key file of ssh-keygen's line, such as git's `ssh-keygen -Y sign -n git -f KEY FILE`.
  ///
  /// It takes the private key beside a public one that the line names: ssh-keygen(1), `-Y sign`. A
  /// certificate is signed by the key of `-s`.
  var keyPath: String? {
    guard let program = arguments.first, program.lastComponent.isSame(as: "ssh-keygen") else {
      return nil
    }
    if let authority = option("s") { return wholePath(authority) }
    guard var path = option("f") else { return nil }
    for suffix in [".pub", "-cert"] where path.ends(with: suffix) {
      path = String(path.dropLast(suffix.count))
    }
    return wholePath(path)
  }

  /// Options of ssh-keygen that have a value, in all versions since 7: `ssh-keygen.c`, getopt.
  private static let optionsWithValue = "CDEFGIJKMNOPRSTVWYZabfjmnrstwz"

  /// The value of an option: `-f KEY`, `-fKEY`, or behind others as in `-yf KEY`; getopt(3).
  private func option(_ wanted: Unicode.Scalar) -> String? {
    var found: String?
    var position = 1
    while position < arguments.count {
      let word = arguments[position]
      position += 1
      if word.isSame(as: "--") { break }
      guard word.begins(with: "-"), word.utf8.count > 1 else { continue }
      let letters = word.unicodeScalars.dropFirst()
      guard
        let option = letters.indices.first(where: {
          Self.optionsWithValue.unicodeScalars.contains(letters[$0])
        })
      else { continue }
      var value = String(letters[letters.index(after: option)...])
      if value.isEmpty {
        guard position < arguments.count else { break }
        value = arguments[position]
        position += 1
      }
      if letters[option] == wanted { found = value }
    }
    return found
  }

  /// The path from the root; `nil` for a relative one where the folder is not known.
  func wholePath(_ path: String) -> String? {
    if path.begins(with: "/") { return path }
    guard let folder, folder.begins(with: "/"), !path.isEmpty else { return nil }
    var parts = folder.parts(at: "/").map(String.init)
    for part in path.parts(at: "/").map(String.init) where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return "/" + parts.joined(separator: "/")
  }
}
