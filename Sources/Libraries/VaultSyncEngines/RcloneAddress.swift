import VaultStorage
import VaultSync

/// `rclone:REMOTE:path`: a folder of a remote that is in rclone's own configuration.
package struct RcloneAddress: Sendable, Equatable {
  /// The address.
  package let text: String
  /// The remote and the folder, as rclone takes them.
  package let folder: String

  private static let scheme = "rclone:"
  private static let example = "such as rclone:drive:vault, where 'rclone listremotes' has drive:"

  /// Whether a text is meant as an address: it has a second colon, which `host:path` has not.
  package static func isAddress(_ text: String) -> Bool {
    text.hasPrefix(scheme) && text.utf8.dropFirst(scheme.utf8.count).contains(UInt8(ascii: ":"))
  }

  /// Reads an address.
  ///
  /// A remote is a name. What rclone calls a connection string has options in it, and these may be
  /// passwords.
  ///
  /// - Throws: `SyncError` with code `.notAllowed`.
  package init(_ text: String) throws {
    var rest = text.dropFirst(Self.scheme.count)
    guard Self.isAddress(text), text.utf8.count <= 4096, Quoting.isVisible(text),
      let colon = rest.utf8.firstIndex(of: UInt8(ascii: ":"))
    else { throw Self.wrong("this is not the address of a remote of rclone") }
    guard Self.isName(rest[..<colon]) else {
      throw Self.wrong(
        "between rclone: and the next colon stands the name of a remote, without options",
        hint: "write its options into rclone's configuration: rclone config; \(Self.example)")
    }
    let path = rest[rest.utf8.index(after: colon)...]
    guard !path.split(separator: "/").contains("..") else {
      throw Self.wrong("the path of a remote has no '..' in it")
    }
    while rest.hasSuffix("/"), !rest.hasSuffix(":/") { rest.removeLast() }
    folder = String(rest)
    self.text = Self.scheme + folder
  }

  /// A place below the folder, as rclone takes it.
  ///
  /// - Parameter place: Names with slashes between them.
  /// - Returns: The remote and the place.
  package func below(_ place: String) -> String {
    folder.hasSuffix(":") || folder.hasSuffix("/") ? folder + place : "\(folder)/\(place)"
  }

  /// rclone.org/docs, "Valid remote names".
  private static func isName(_ name: Substring) -> Bool {
    guard let first = name.utf8.first, first != UInt8(ascii: "-"), first != UInt8(ascii: " "),
      name.utf8.last != UInt8(ascii: " ")
    else { return false }
    return name.unicodeScalars.allSatisfy { scalar in
      switch scalar {
      case "0"..."9", "A"..."Z", "a"..."z", "_", "-", ".", "+", "@", " ": true
      default: scalar.value >= 0x80
      }
    }
  }

  private static func wrong(_ message: String, hint: String = example) -> SyncError {
    SyncError(.notAllowed, message, hint: hint)
  }
}
