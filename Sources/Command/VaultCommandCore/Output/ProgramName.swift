import Synchronization
import VaultStorage

/// The name that the command was installed under, such as `lvault` beside HashiCorp's `vault`.
///
/// Every text that says what to type takes the name from here when it is made;
/// ``VaultProgram/main()`` sets it first.
package enum ProgramName {
  package static let standard = "vault"

  private static let called = Mutex(standard)

  package static var current: String { called.withLock { $0 } }

  /// Sets the name from the path that the program was started by.
  package static func adopt(_ path: String) {
    let name = name(calledAs: path)
    called.withLock { $0 = name }
  }

  /// The last component of the path; of a link for another program, the part that names the
  /// command.
  package static func name(calledAs path: String) -> String {
    var name = path.lastComponent
    for prefix in ["git-credential-", "docker-credential-"] where name.hasPrefix(prefix) {
      name = name.dropFirst(prefix.count)
    }
    if name.hasSuffix("-askpass") { name = name.dropLast("-askpass".count) }
    let isPlain = name.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte | 0x20) || byte == 0x2d
    }
    // Links that do not name the command. No command is asked for its word here: its help would be
    // made with the name that is about to be replaced.
    let isOther = name == "defaults" || name == "keyring"
    return name.isEmpty || !isPlain || isOther ? standard : String(name)
  }
}
