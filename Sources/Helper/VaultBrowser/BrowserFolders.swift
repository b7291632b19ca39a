import VaultCredentials
import VaultSealing
import VaultStorage

/// The folders of a vault as the extension's groups, each with an id that stays.
struct BrowserFolders {
  private static let (maximum, maximumDepth) = (2000, 16)
  /// What the folder of all is called.
  private static let rootName = "vault"

  private let vaultID: String
  private var paths: Set<String> = []

  init(of snapshot: VaultSnapshot?, vaultID: String) {
    self.vaultID = vaultID
    for name in snapshot?.names() ?? [] where paths.count < Self.maximum {
      let parts = name.parts(at: "/").dropLast().prefix(Self.maximumDepth)
      for count in parts.indices {
        paths.insert(parts[...count].joined(separator: "/"))
      }
    }
  }

  /// Adds a folder, which comes into being with its first item.
  mutating func add(_ path: String) { paths.insert(path) }

  func id(of path: String) -> String {
    let hash = try? Hash.blake2b(Array("vault-browser/folder\n\(vaultID)\n\(path)".utf8), count: 16)
    return Hexadecimal.text(hash ?? [])
  }

  /// The path of a folder; `nil` if none has the id, or it is the one of all.
  func path(withID id: String) -> String? { paths.first { self.id(of: $0).isSame(as: id) } }

  /// As the extension takes it.
  var json: JSONValue {
    .object([
      (
        "groups",
        .array([group(Self.rootName, "", sorted)])
      )
    ])
  }

  private var sorted: [String] {
    paths.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  private func group(_ name: String, _ path: String, _ below: [String]) -> JSONValue {
    let start = path.isEmpty ? "" : "\(path)/"
    let children = below.filter { candidate in
      candidate.begins(with: start) && !candidate.dropFirst(start.count).contains(bytes: "/")
    }
    return .object([
      ("name", .string(name)), ("uuid", .string(id(of: path))),
      (
        "children",
        .array(
          children.map { child in
            group(
              String(child.lastComponent), child, below.filter { $0.begins(with: "\(child)/") })
          })
      ),
    ])
  }
}
