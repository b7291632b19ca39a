public import VaultCredentials
import VaultStorage

/// The layout of a password store: a file for each item, encrypted for the keys in `.gpg-id`.
///
/// passwordstore.org; pass(1), "FILES".
public enum PassStore {
  /// The name of the file that lists the keys.
  public static let keyFile = ".gpg-id"
  /// The end of the name of an item's file.
  public static let suffix = ".gpg"

  /// Returns the keys of a `.gpg-id` file.
  ///
  /// - Parameter text: One key a line; a `#` begins a comment.
  /// - Returns: The keys, as gpg takes them for recipients.
  public static func keys(in text: String) -> [String] {
    text.parts(at: "\n").map { line in
      (line.halves(at: "#")?.before ?? line).trimmingBlanks
    }.filter { !$0.isEmpty }
  }

  /// Returns the path of an item's file below the store.
  ///
  /// - Parameter name: The item's name.
  /// - Returns: The relative path.
  /// - Throws: ``ExchangeError`` with code `.invalidRequest` for a part like `..`, which would lead
  ///   out of the store, or one that `pass` would not list.
  public static func path(of name: ItemName) throws(ExchangeError) -> String {
    guard !isHidden(name.text) else {
      throw ExchangeError(
        .invalidRequest, "'\(name.text)' has a part that begins with a dot", remedy: .rename)
    }
    return name.text + suffix
  }

  /// Returns the item's name for a file.
  ///
  /// - Parameter path: The path below the store.
  /// - Returns: The name; `nil` if it is not an encrypted file.
  public static func name(ofFile path: String) -> String? {
    path.ends(with: suffix) ? String(path.utf8.dropLast(suffix.utf8.count)) : nil
  }

  /// Says whether a file belongs to another program, which keeps it in the store: git's, or former
  /// versions of files that a syncer or the desktop keeps.
  ///
  /// `pass` opens other files below a name with a dot, although it does not list them.
  ///
  /// - Parameter path: The path below the store.
  /// - Returns: `true` for a path that holds no item.
  package static func isForeign(_ path: String) -> Bool {
    guard isHidden(path) else { return false }
    let folders = [".git", ".extensions", ".public-keys", ".stversions", ".dtrash"]
    return name(ofFile: path) == nil && !path.ends(with: ".age")
      || path.parts(at: "/").contains { part in
        folders.contains { part == $0 } || part.begins(with: ".Trash")
      }
  }

  /// Says whether a part of a path begins with a dot: `.git`, `.gpg-id`.
  ///
  /// - Parameter path: The path below the store.
  /// - Returns: `true` for a path that holds no item.
  public static func isHidden(_ path: String) -> Bool {
    path.parts(at: "/").contains { $0.begins(with: ".") }
  }
}
