import VaultCredentials
import VaultStorage

/// Names for new items: of several with one name, by user and address, as people know them.
struct ImportNames {
  private var names = FreeNames()
  private let snapshot: VaultSnapshot?
  /// A longer user or address is of no help in a name.
  private static let longest = 80

  init(_ snapshot: VaultSnapshot?) { self.snapshot = snapshot }

  /// What the items of this file have that want a name: it tells none of them from others.
  private var known: [String: Set<String>] = [:]

  /// Returns a name that no item has, here or in the file: `GitHub`, `GitHub (ann)`,
  /// `GitHub (github.com)`, `GitHub (ann, github.com)`, `GitHub~2`, the first that is free and says
  /// what differs.
  mutating func next(for item: ImportedItem, like preferred: String) throws -> ItemName {
    func isTaken(_ name: ItemName) -> Bool { snapshot?[name] != nil }
    let user = Self.plain(item.text(of: "user"))
    let host = Self.plain(CSVImport.host(item.text(of: "url")))
    let both = user.flatMap { user in host.map { "\(user), \($0)" } }
    let own = [user, host, both].compactMap(\.self)
    let differing = own.filter { known[preferred]?.contains($0) != true }
    known[preferred, default: []].formUnion(own)
    for behind in [""] + differing.map({ " (\($0))" }) {
      if let name = try names.take(preferred + behind, isTaken: isTaken) { return name }
    }
    return try names.next(like: preferred, isTaken: isTaken)
  }

  /// A text that can stand in a name; `nil` for one that says nothing, or too much.
  private static func plain(_ text: String) -> String? {
    let plain = text.replacingControls(with: " ").substituting("/", with: "-").trimmingBlanks
    return plain.isEmpty || plain.utf8.count > longest ? nil : plain
  }
}
