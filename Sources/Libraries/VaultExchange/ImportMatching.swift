import VaultCredentials
import VaultSealing
import VaultStorage

/// Finds the item of a vault that an entry of a file is.
///
/// An entry is found by the other program's id of it; else by name, user and address; never by its
/// place in the file, which changes with each export. What could be one of several is not guessed.
struct ImportMatching {
  /// An entry of the file.
  struct Entry {
    var item: ImportedItem
    /// Its preferred name, with the prefix.
    let preferred: String
    /// Of its secrets.
    let digest: [UInt8]
    /// Of its main secret alone.
    let mainDigest: [UInt8]
    let origin: ImportOrigin
    /// Its user; empty without one.
    let user: String
    /// Its address; empty without one.
    let address: String

    init(_ item: ImportedItem, preferred: String, digest: [UInt8], prefix: String) throws {
      (self.item, self.preferred, self.digest) = (item, preferred, digest)
      mainDigest = try ImportedItem.digest(item.main, [:])
      origin = try ImportOrigin(item, preferred: preferred, prefix: prefix)
      (user, address) = (item.text(of: "user"), item.text(of: "url"))
    }
  }

  /// What is known of an item of the vault beside its name.
  private struct Account {
    let user: String
    let address: String
    let digest: [UInt8]
    let mainDigest: [UInt8]
    /// Whether the other program has an id of it.
    let hasID: Bool
    /// Whether an import has made it, or given it a version.
    let isImported: Bool
  }

  /// The items, by the place of their entries.
  private(set) var found: [Int: Item] = [:]
  /// The places of entries that could be one of several items.
  private(set) var unclear: Set<Int> = []

  private let entries: [Entry]
  private let snapshot: VaultSnapshot
  private let items: [Item]
  private var claimed: Set<Int> = []
  private var accounts: [Int: Account] = [:]

  /// Finds the items.
  ///
  /// - Parameters:
  ///   - entries: The entries; none is in the list twice.
  ///   - snapshot: The vault.
  /// - Throws: `CredentialError` with code `.damaged`, `SealingError` with code `.outOfMemory`.
  init(_ entries: [Entry], in snapshot: VaultSnapshot) throws {
    (self.entries, self.snapshot) = (entries, snapshot)
    items = snapshot.items()
    guard !items.isEmpty, !entries.isEmpty else { return }
    try findByName()
    try findByOrigin()
    guard !open.isEmpty else { return }
    let relatives = Self.relatives(items, of: Set(open.map { Self.normal(entries[$0].preferred) }))
    guard !relatives.isEmpty else { return }
    // The address has changed: not the secret, or else it is another account, as of two routers
    // whose user is `admin`.
    try find(among: relatives, isStrict: false, byEqualSecrets: true) {
      $0.origin.hasID ? nil : Key($0.user, "")
    } of: {
      $0.hasID ? nil : Key($0.user, "")
    }
    try find(among: relatives, isStrict: true) {
      Key($0.user, $0.address)
    } of: {
      Key($0.user, $0.address)
    }
    try find(among: relatives, isStrict: false, byEqualSecrets: true) {
      Key($0.user, "")
    } of: {
      Key($0.user, "")
    }
    // An address was added, or is gone.
    try find(among: relatives, isStrict: false) {
      Key($0.user, "")
    } of: {
      $0.address.isEmpty ? Key($0.user, "") : nil
    }
    try find(among: relatives, isStrict: false) {
      $0.address.isEmpty ? Key($0.user, "") : nil
    } of: {
      Key($0.user, "")
    }
    // A user was added, or is gone.
    try find(among: relatives, isStrict: false) {
      Key("", $0.address)
    } of: {
      $0.user.isEmpty ? Key("", $0.address) : nil
    }
    try find(among: relatives, isStrict: false) {
      $0.user.isEmpty ? Key("", $0.address) : nil
    } of: {
      Key("", $0.address)
    }
  }

  /// The places of entries that have no item yet.
  private var open: [Int] {
    entries.indices.filter { found[$0] == nil && !unclear.contains($0) }
  }

  private mutating func claim(_ place: Int, for entry: Int) {
    found[entry] = items[place]
    claimed.insert(place)
  }

  // MARK: - By name and id

  /// Finds the items of files in which a name is the whole identity.
  private mutating func findByName() throws {
    let places = Dictionary(uniqueKeysWithValues: items.indices.map { (items[$0].name.text, $0) })
    for entry in entries.indices where entries[entry].item.isKnownByName {
      if let place = places[Self.normal(entries[entry].preferred)], !claimed.contains(place) {
        claim(place, for: entry)
      }
    }
  }

  private mutating func findByOrigin() throws {
    var marked: [String: [Int]] = [:]
    for (place, item) in items.enumerated() where !claimed.contains(place) {
      if let origin = ImportOrigin(mark: item.importMark) {
        marked[origin.key, default: []].append(place)
      }
    }
    var groups: [(entries: [Int], places: [Int])] = []
    var numbers: [String: Int] = [:]
    for entry in open where !entries[entry].item.isKnownByName {
      let key = entries[entry].origin.key
      guard let places = marked[key] else { continue }
      if let number = numbers[key] {
        groups[number].entries.append(entry)
      } else {
        numbers[key] = groups.count
        groups.append(([entry], places))
      }
    }
    for group in groups {
      try settle(
        group.entries, group.places, isStrict: true,
        isOne: entries[group.entries[0]].origin.hasID)
    }
  }

  // MARK: - By name, user and address

  /// What an entry and an item have in common beside the name.
  private struct Key: Hashable {
    let user: String
    let address: String
    var name = ""

    /// Whether nothing but the name is in common.
    var isNameAlone: Bool { user.isEmpty && address.isEmpty }

    init(_ user: String, _ address: String) { (self.user, self.address) = (user, address) }
  }

  /// Pairs entries with items of their names.
  ///
  /// - Parameters:
  ///   - relatives: The places of items, by the names that they may have got theirs from.
  ///   - isStrict: Whether what fits is the same account, so that of several none is a new one.
  ///   - byEqualSecrets: True if only one entry and one item are paired that have the same main
  ///     secret.
  ///   - entryKey: What an entry has to have in common; `nil` for one that is not meant.
  ///   - itemKey: The same for an item.
  /// - Throws: `CredentialError` with code `.damaged`, `SealingError` with code `.outOfMemory`.
  private mutating func find(
    among relatives: [String: [Int]], isStrict: Bool, byEqualSecrets: Bool = false,
    _ entryKey: (Entry) -> Key?, of itemKey: (Account) -> Key?
  ) throws {
    var groups: [Key: [Int]] = [:]
    var order: [Key] = []
    for entry in open where !entries[entry].item.isKnownByName {
      guard var key = entryKey(entries[entry]) else { continue }
      key.name = Self.normal(entries[entry].preferred)
      guard relatives[key.name] != nil else { continue }
      if groups[key] == nil { order.append(key) }
      groups[key, default: []].append(entry)
    }
    var places: [Key: [Int]] = [:]
    for name in Set(order.map(\.name)) {
      for place in relatives[name] ?? [] where !claimed.contains(place) {
        guard var key = itemKey(try account(place)) else { continue }
        key.name = name
        if groups[key] != nil { places[key, default: []].append(place) }
      }
    }
    for key in order {
      let candidates = groups[key] ?? []
      // An id of its own says that the item is another entry's; unless that one is gone, and all
      // else is the same.
      let haveIDs = !isStrict && candidates.contains { entries[$0].origin.hasID }
      let free = (places[key] ?? []).filter {
        !claimed.contains($0) && !(haveIDs && accounts[$0]?.hasID == true)
          // A name alone makes nobody's own item another program's entry.
          && (isStrict || byEqualSecrets || !key.isNameAlone || accounts[$0]?.isImported == true)
      }
      // Where one has no user, another secret makes it another account.
      if byEqualSecrets || !isStrict && key.user.isEmpty {
        try pair(candidates, free)
      } else {
        try settle(candidates, free, isStrict: isStrict, isOne: false)
      }
    }
  }

  /// Pairs an entry and an item that alone have the same main secret.
  private mutating func pair(_ candidates: [Int], _ places: [Int]) throws {
    let digests = Dictionary(grouping: candidates) { entries[$0].mainDigest }
    for (digest, same) in try Dictionary(grouping: places, by: { try account($0).mainDigest }) {
      guard same.count == 1, let entry = digests[digest], entry.count == 1 else { continue }
      claim(same[0], for: entry[0])
    }
  }

  /// Pairs entries with items that they could all be: those with equal secrets, then the last two.
  private mutating func settle(
    _ candidates: [Int], _ places: [Int], isStrict: Bool, isOne: Bool
  ) throws {
    var places = places
    var candidates = candidates
    // The digests of all of them only where there is a choice.
    if places.count + candidates.count > 2 {
      var byDigest: [[UInt8]: [Int]] = [:]
      for place in places.reversed() {
        byDigest[try account(place).digest, default: []].append(place)
      }
      candidates.removeAll { entry in
        guard let place = byDigest[entries[entry].digest]?.popLast() else { return false }
        claim(place, for: entry)
        return true
      }
      places.removeAll { claimed.contains($0) }
    }
    guard let entry = candidates.first, let place = places.first else { return }
    if candidates.count == 1, places.count == 1 || isOne {
      let named = places.first { items[$0].name.text.isSame(as: entries[entry].preferred) }
      claim(named ?? place, for: entry)
    } else if isStrict {
      unclear.formUnion(candidates)
    }
  }

  private mutating func account(_ place: Int) throws -> Account {
    if let known = accounts[place] { return known }
    let whole = try snapshot.secrets(of: items[place])
    let origin = ImportOrigin(mark: items[place].importMark)
    let fields = try whole.fields.filter { field, _ in try origin?.had(field: field) ?? true }
    let account = Account(
      user: whole.fields["user"]?.text ?? "", address: whole.fields["url"]?.text ?? "",
      digest: try ImportedItem.digest(whole.main.bytes, fields.mapValues(\.bytes)),
      mainDigest: try ImportedItem.digest(whole.main.bytes, [:]),
      hasID: origin?.hasID == true, isImported: origin != nil)
    accounts[place] = account
    return account
  }

  // MARK: - Names

  /// Items by the names that they may have got their own from: `GitHub~2` and `GitHub (ann)` are
  /// relatives of `GitHub`.
  private static func relatives(_ items: [Item], of names: Set<String>) -> [String: [Int]] {
    var relatives: [String: [Int]] = [:]
    for (place, item) in items.enumerated() {
      for name in ancestors(of: item.name.text) where names.contains(name) {
        relatives[name, default: []].append(place)
      }
    }
    return relatives
  }

  /// A name, and what it may have been before ``ImportNames`` put something behind it.
  static func ancestors(of name: String) -> Set<String> {
    var names: Set = [name]
    if let short = withoutNumber(name) { names.insert(short) }
    for name in names where name.ends(with: ")") {
      let scalars = name.unicodeScalars
      for start in scalars.indices where scalars[start...].starts(with: " (".unicodeScalars) {
        names.insert(String(scalars[..<start]))
      }
    }
    return names
  }

  private static func withoutNumber(_ name: String) -> String? {
    guard let mark = name.unicodeScalars.lastIndex(of: "~") else { return nil }
    let digits = name.unicodeScalars[mark...].dropFirst()
    guard !digits.isEmpty, digits.allSatisfy({ ("0"..."9").contains($0) }) else { return nil }
    return String(name[..<mark])
  }

  /// A preferred name as an item has it that got it unchanged.
  static func normal(_ preferred: String) -> String {
    (try? FreeName.like(preferred) { _ in false })?.text ?? preferred
  }
}
