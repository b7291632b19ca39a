import VaultCredentials
import VaultStorage

/// Finds accounts that two exports spell in two ways: `GitHub` and `git hub`, of one user.
///
/// They are two items, since a name is a name; but nobody wants to change a password in one of them
/// and log in with the other.
struct ImportLikeness {
  private let snapshot: VaultSnapshot
  private var items: [String: [Item]] = [:]
  /// The items of a folded name by their folded users, for names that were asked about.
  private var users: [String: [String: ItemName]] = [:]

  init(_ snapshot: VaultSnapshot) {
    self.snapshot = snapshot
    for item in snapshot.items() {
      for word in Set(ImportMatching.ancestors(of: item.name.text).map(Self.folded)) {
        items[word, default: []].append(item)
      }
    }
  }

  /// The item that may be the same account as a new one; `nil` where there is none, or it has another
  /// user.
  mutating func account(
    like entry: ImportMatching.Entry, prefix: String
  ) throws -> ItemName? {
    let user = Self.folded(entry.user)
    let own = [entry.preferred, String(entry.preferred.dropFirst(prefix.count))]
    for word in Set(own.map(Self.folded)) {
      if let name = try users(of: word)[user] { return name }
    }
    return nil
  }

  private mutating func users(of word: String) throws -> [String: ItemName] {
    if let known = users[word] { return known }
    var found: [String: ItemName] = [:]
    for item in items[word] ?? [] {
      let user = try snapshot.secrets(of: item).fields["user"]?.text ?? ""
      found[Self.folded(user)] = item.name
    }
    users[word] = found
    return found
  }

  /// A name without what spellings differ by: case, blanks, and the marks that stand for blanks.
  private static func folded(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text.lowercased().unicodeScalars
    where !scalar.properties.isWhitespace && !"-_".unicodeScalars.contains(scalar) {
      scalars.append(scalar)
    }
    return String(scalars)
  }
}
