public import FoundationEssentials
public import VaultCredentials
public import VaultSealing
import VaultStorage

/// An item of another program's file, before it is compared with a vault.
public struct ImportedItem: Sendable {
  /// The item's place in the file, for reports: its name there, or a row or line.
  public var origin: String
  /// The preferred name; ``ImportPlan`` makes it valid and unique.
  public var name: String
  /// The main secret.
  public var main: SecretBytes
  /// The further fields, by name.
  public var fields: [String: SecretBytes] = [:]
  /// Fields that the file says are open (`true`) or concealed, see `ItemChanges.openFields`.
  public var openFields: [String: Bool] = [:]
  /// The tags, as the file has them.
  public var tags: [String] = []
  /// The attributes, by name.
  public var attributes: [String: String] = [:]
  /// The kind of the item.
  public var kind = Item.Kind.login
  /// The time when the secret expires.
  public var expires: Date?
  /// A note that is not secret.
  public var note: String?
  /// The other program's id of the entry, with the program's name before it: `bitwarden:…`.
  public var sourceID: String?
  /// The versions that the entry had in the other program, the oldest first.
  public var earlier: [ItemDraft.Earlier] = []
  /// Whether the name is all that tells an entry from others: one of the same name is a new version.
  var isKnownByName = false
  /// Whether ``name`` was composed of a title and folders, so that a change of it is not worth a
  /// note.
  var hasComposedName = false
  /// Whether this is an item although all its secrets are empty.
  var mayBeEmpty = false
  /// Differences from the file, as the beginnings of sentences.
  private(set) var adjustments: [String] = []
  /// The number for the next field with a name that is taken.
  private var numbers: [String: Int] = [:]

  /// Creates an item.
  ///
  /// - Parameters:
  ///   - origin: The item's place in the file.
  ///   - name: The preferred name.
  ///   - main: The main secret.
  public init(origin: String, name: String, main: SecretBytes) {
    self.origin = origin
    self.name = name
    self.main = main
  }

  /// Says what a program of Windows left in the secret, which is kept as it is.
  mutating func remarkOnWindows() {
    let (isMarked, hasReturn) = main.withBytes { bytes in
      let count = bytes.byteCount
      return (
        count >= 3 && bytes.matches([0xEF, 0xBB, 0xBF], at: 0..<3),
        count > 0 && bytes.byte(at: count - 1) == 0x0D
      )
    }
    if isMarked { adjustments.append("its secret begins with a byte order mark") }
    if hasReturn { adjustments.append("its secret ends in a carriage return: a file of Windows") }
  }

  /// Sets the other program's id of the entry, if it has one.
  mutating func identify(_ id: String?, in program: String) {
    if let id, !id.isEmpty { sourceID = "\(program):\(id)" }
  }

  /// Adds a secret that the entry had before, after those that are there.
  mutating func addEarlier(
    _ main: SecretBytes, fields: [String: SecretBytes]? = nil, written: Date?
  ) {
    earlier.append(
      ItemDraft.Earlier(
        main: Secret(main), fields: fields?.mapValues(Secret.init), written: written))
  }

  /// Adds a field if it is not empty.
  mutating func add(_ field: String, _ value: String?, isOpen: Bool? = nil) throws {
    guard let value, !value.isEmpty else { return }
    add(field, try SecretBytes(text: value), isOpen: isOpen)
  }

  /// Adds a field; a second one with the same name gets a number.
  mutating func add(_ field: String, _ value: SecretBytes, isOpen: Bool? = nil) {
    let base = Self.fieldName(field)
    if !base.isSame(as: field), !field.isEmpty {
      adjustments.append("a field is named '\(base)', since its own name cannot be used")
    }
    var name = base
    while fields[name] != nil {
      // Where the last search ended: thousands of fields may have one name.
      let number = numbers[base] ?? 2
      name = "\(base)~\(number)"
      numbers[base] = number + 1
    }
    fields[name] = value
    // A second address is as open as the first.
    openFields[name] = isOpen ?? (name.isSame(as: base) ? nil : Item.isUsuallyOpen(field: base))
  }

  /// Makes the tags valid.
  ///
  /// - Returns: A reason for each tag that no item can hold; it is removed, never cut.
  mutating func adjustTags() -> [String] {
    var lost: [String] = []
    var kept: [String] = []
    for tag in tags {
      let plain = tag.replacingControls(with: " ").trimmingBlanks
      if plain.utf8.count > ItemLimits.tag {
        lost.append("a tag that is longer than 255 bytes")
      } else if !plain.isEmpty {
        if !plain.isSame(as: tag) { adjustments.append("a tag is written '\(plain)'") }
        kept.append(plain)
      }
    }
    tags = kept
    return lost
  }

  /// Returns a hash of the main secret and all fields, equal for items with equal secrets.
  func digest() throws -> [UInt8] { try Self.digest(main, fields) }

  /// Returns a hash of secrets, as ``digest()`` does.
  static func digest(_ main: SecretBytes, _ fields: [String: SecretBytes]) throws -> [UInt8] {
    var parts: [SecretBytes] = []
    func put(_ bytes: SecretBytes) throws {
      parts += [try SecretBytes(text: "\(bytes.count) "), bytes]
    }
    try put(main)
    for (name, value) in fields.sorted(by: {
      $0.key.utf8.lexicographicallyPrecedes($1.key.utf8)
    }) {
      try put(SecretBytes(text: name))
      try put(value)
    }
    return try SecretBytes.joined(parts).withBytes { try Hash.blake2b($0, count: 32) }
  }

  /// Returns a valid name for a field.
  private static func fieldName(_ text: String) -> String {
    var name = text.replacingControls(with: "_")
    // Room for a number behind it.
    while name.utf8.count > 200 { name.removeLast() }
    return name.isEmpty ? "field" : name
  }
}

extension String {
  /// Returns the text with `substitute` for each scalar that no name or tag may hold.
  func replacingControls(with substitute: Unicode.Scalar) -> String {
    guard !ItemLimits.isPlain(self) else { return self }
    var result = ""
    for scalar in unicodeScalars {
      result.unicodeScalars.append(ItemLimits.isPlain(String(scalar)) ? scalar : substitute)
    }
    return result
  }
}
