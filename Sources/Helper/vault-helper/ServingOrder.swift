import Glibc
import VaultCredentials
import VaultSealing
import VaultStorage
import VaultTerminal

/// What the command asks of the helper: vault keys, then a JSON document, through a pipe.
struct ServingOrder {
  private static let keyLength = 32
  private static let limit = 64 << 10

  /// A vault that is to be served as a collection.
  struct Vault {
    /// The last part of the collection's path.
    let collection: String
    /// What clients show.
    let label: String
    /// The vault's own name; `nil` for the default one.
    let name: String?
    /// The vault, and as it was opened with the key in the order; `nil` if that has none.
    let locked: LockedVault
    let openedIfAny: UnlockedVault?
    /// The vault file, to be watched.
    let file: (folder: String, name: String)

    /// The vault as it was opened.
    var opened: UnlockedVault {
      get throws {
        guard let openedIfAny else { throw HelperFailure("the order cannot be read") }
        return openedIfAny
      }
    }
  }

  /// Patterns of the items that are served; all of them if there is none.
  let patterns: [String]
  let isReadOnly: Bool
  /// Folders in which a hostile program may write: no socket is made there.
  let writable: [String]
  /// Whether a person is asked before a program may use an item.
  let confirms: Bool
  /// Patterns of the items that a person is asked about behind a wall.
  let confirmed: [String]
  /// Whether keys of ssh sign behind a wall.
  let servesKeys: Bool
  /// Patterns of the items that nobody is asked about before a coding agent uses them.
  let unconfirmed: [String]
  /// Variables that no program gets: they hold what opens a vault, or lead to it.
  let hidden: [String]
  /// The version of the command.
  let version: String
  /// The file of the command; `nil` where it is not known.
  let program: String?
  /// The folder of the vaults, where it is not the usual one.
  let home: String?
  /// How many seconds a person has for an answer.
  let patience: Int
  /// The terminal of whoever has started this; `nil` without one.
  let terminal: Int32?
  /// Whether it takes the place of another keyring.
  let replaces: Bool
  /// The path of the socket; `nil` where it is not chosen by the command.
  let path: String?
  /// The process that becomes the command.
  let process: Int32
  /// The process of the command; `nil` where this one serves in its place.
  var command: Int32? { process == getpid() ? nil : process }
  /// At least one; the first is the default collection.
  let vaults: [Vault]

  /// Reads the order, and opens the vaults with the keys in it.
  static func read(_ descriptor: Int32) throws -> ServingOrder {
    let unreadable = HelperFailure("the order cannot be read")
    let whole = try SecretInput.read(descriptor, limit: limit)
    close(descriptor)
    guard whole.count > 0 else { throw unreadable }
    let count = Int(whole.withBytes { $0.byte(at: 0) })
    let end = 1 + count * keyLength
    guard whole.count > end else { throw unreadable }
    let text = whole.withBytes { $0.array(end..<$0.byteCount) }
    guard let document = try? JSONValue.parse(text),
      let process = number(document["process"]), let patience = number(document["patience"]),
      let only = document["only"], let vaults = document["vaults"]?.elements,
      // No key at all: the vault is locked, and whoever serves it can wait.
      vaults.count == count || count == 0 && vaults.count == 1
    else { throw unreadable }
    var options = VaultOptions()
    // The desktop's keyring is another one, or this one: neither is asked from here.
    options.usesKeyring = false
    options.sessionSeconds = 0
    // The clients are programs; what they store is no change of the person's.
    options.origin = .program
    options.acceptsRollback = document["acceptsRollback"] == .bool(true)
    let location =
      try document["home"]?.scalarText.map { StoreLocation(home: $0) } ?? StoreLocation()
    return ServingOrder(
      patterns: only.elements.compactMap(\.scalarText),
      isReadOnly: document["isReadOnly"] == .bool(true),
      writable: document["writable"]?.elements.compactMap(\.scalarText) ?? [],
      confirms: document["confirms"] == .bool(true),
      confirmed: document["confirmed"]?.elements.compactMap(\.scalarText) ?? [],
      servesKeys: document["servesKeys"] == .bool(true),
      unconfirmed: document["unconfirmed"]?.elements.compactMap(\.scalarText) ?? [],
      hidden: document["hidden"]?.elements.compactMap(\.scalarText) ?? [],
      version: document["version"]?.scalarText ?? "", program: document["program"]?.scalarText,
      home: document["home"]?.scalarText,
      patience: Int(patience),
      terminal: number(document["terminal"]), replaces: document["replaces"] == .bool(true),
      path: document["path"]?.scalarText, process: process,
      vaults: try vaults.enumerated().map { index, vault in
        guard let collection = vault["collection"]?.scalarText,
          let label = vault["label"]?.scalarText
        else { throw unreadable }
        let start = 1 + index * keyLength
        return try Self.vault(
          collection, label, name: vault["name"]?.scalarText,
          key: count == 0 ? nil : whole.slice(start..<start + keyLength), location, options)
      })
  }

  private static func number(_ value: JSONValue?) -> Int32? {
    value?.scalarText.flatMap { Int32($0) }
  }

  private static func vault(
    _ collection: String, _ label: String, name: String?, key: SecretBytes?,
    _ location: StoreLocation, _ options: VaultOptions
  ) throws -> Vault {
    let locked = try LockedVault(location: location, name: name, options: options)
    return Vault(
      collection: collection, label: label, name: name, locked: locked,
      openedIfAny: try key.map { try locked.blocking.unlock(with: [.vaultKey($0)]) },
      file: locked.place)
  }
}
