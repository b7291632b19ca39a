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
  /// It takes the private key beside a public one that the line names: ssh-keygen(1), `-Y sign`.
  var keyPath: String? {
    guard let program = arguments.first, program.lastComponent.isSame(as: "ssh-keygen"),
      !arguments.contains("-s"), let option = arguments.firstIndex(of: "-f"),
      option + 1 < arguments.count
    else { return nil }
    var path = arguments[option + 1]
    for suffix in [".pub", "-cert"] where path.ends(with: suffix) {
      path = String(path.dropLast(suffix.count))
    }
    return wholePath(path)
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
