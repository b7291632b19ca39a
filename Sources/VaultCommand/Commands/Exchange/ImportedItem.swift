import FoundationEssentials
import VaultCredentials
import VaultSealing
import VaultStorage

/// What another program's file holds, before it is compared with the vault.
///
/// Files that are in clear already pass through ordinary memory; what `gpg` decrypts does not.
package struct ImportedItem {
  /// Where it stood, for the report.
  var origin: String
  /// The name that it is to have.
  var name: String
  var main: SecretBytes
  var fields: [String: SecretBytes] = [:]
  var tags: [String] = []
  var attributes: [String: String] = [:]
  var kind = Item.Kind.login
  var expires: Date?
  var note: String?
  /// Whether the name was put together here, out of a title and folders: not what the file calls it.
  var isNamedByUs = false
  /// Whether it is an item although all its secrets are empty.
  var mayBeEmpty = false
  /// What is not exactly as the file has it.
  private(set) var adjustments: [String] = []
  /// The number for a further field of a name.
  private var numbers: [String: Int] = [:]

  init(origin: String, name: String, main: SecretBytes) {
    self.origin = origin
    self.name = name
    self.main = main
  }

  /// Adds a field, if it is not empty; a second one of a name gets a number.
  mutating func add(_ field: String, _ value: String?) throws {
    guard let value, !value.isEmpty else { return }
    add(field, try ServiceCredential.bytes(value))
  }

  mutating func add(_ field: String, _ value: SecretBytes) {
    let base = Self.fieldName(field)
    if !base.isSame(as: field), !field.isEmpty {
      adjustments.append("a field is called '\(base)', since its own name cannot be one")
    }
    var name = base
    while fields[name] != nil {
      // Where the last search ended: thousands of fields may have one name.
      let number = numbers[base] ?? 2
      name = "\(base)~\(number)"
      numbers[base] = number + 1
    }
    fields[name] = value
  }

  /// Leaves out and cuts nothing: what no item can hold is named, and goes.
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

  /// A hash of main secret and fields: equal for items that hold the same.
  func digest() throws -> [UInt8] {
    var parts: [SecretBytes] = []
    func put(_ bytes: SecretBytes) throws {
      parts += [try ServiceCredential.bytes("\(bytes.count) "), bytes]
    }
    try put(main)
    for (name, value) in fields.sorted(by: {
      $0.key.utf8.lexicographicallyPrecedes($1.key.utf8)
    }) {
      try put(ServiceCredential.bytes(name))
      try put(value)
    }
    return try SecretInput.joined(parts).withBytes { try Hash.blake2b($0, count: 32) }
  }

  private static func fieldName(_ text: String) -> String {
    var name = text.replacingControls(with: "_")
    // Room for a number behind it.
    while name.utf8.count > 200 { name.removeLast() }
    return name.isEmpty ? "field" : name
  }
}

extension String {
  /// The text with a scalar in the place of each that no name or tag may hold.
  func replacingControls(with substitute: Unicode.Scalar) -> String {
    guard !ItemLimits.isPlain(self) else { return self }
    var result = ""
    for scalar in unicodeScalars {
      result.unicodeScalars.append(ItemLimits.isPlain(String(scalar)) ? scalar : substitute)
    }
    return result
  }
}

/// All that a file holds, and what of it cannot be taken.
package struct ImportReading {
  /// Something that is left out, told by name.
  struct Loss {
    let origin: String
    let reason: String
  }

  var items: [ImportedItem] = []
  var losses: [Loss] = []
  /// What a person should know that is no loss.
  var notes: [Loss] = []

  /// How many items there are.
  package var count: Int { items.count }

  mutating func lose(_ origin: String, _ reason: String) {
    losses.append(Loss(origin: origin, reason: reason))
  }

  mutating func note(_ origin: String, _ reason: String) {
    notes.append(Loss(origin: origin, reason: reason))
  }
}

/// A program whose secrets can be taken over.
package enum ImportFormat: String, CaseIterable {
  case pass
  case onePassword = "1password"
  case bitwarden, keepassxc, chrome, firefox, dotenv, json

  /// Reads everything at `path`.
  ///
  /// - Parameters:
  ///   - path: The file, or the folder of pass.
  ///   - keyFile: What opens a KeePassXC database beside its password.
  ///   - hasPassword: Whether it has a password.
  /// - Returns: All that is there.
  /// - Throws: ``CommandError`` with code `import-unreadable`, `keepassxc-failed`, `program-missing`.
  func read(
    _ path: String, keyFile: String? = nil, hasPassword: Bool = true
  ) throws -> ImportReading {
    switch self {
    case .pass: return try PassImport.read(path)
    case .keepassxc:
      let name = path.lowercased()
      if name.ends(with: ".csv") { return try CSVImport.read(Self.bytes(path)) }
      guard name.ends(with: ".kdbx") else { return try read(Self.bytes(path)) }
      let options =
        (keyFile.map { ["--key-file", $0] } ?? []) + (hasPassword ? [] : ["--no-password"])
      // keepassxc-cli asks for the database's password, on our stdin.
      let run = try ChildProgram.runInstalled(
        ["keepassxc-cli", "export", "--format", "xml"] + options + ["--", path], input: .inherited)
      guard run.isSuccess else {
        throw CommandError(
          "keepassxc-failed", "keepassxc-cli could not open the database",
          hint: "a key-file is given with --kdbx-key-file", status: .noPermission)
      }
      return try read(run.output.withBytes { $0.array(0..<$0.byteCount) })
    default: return try read(Self.bytes(path))
    }
  }

  /// Reads a file of this format; KeePassXC's is XML here.
  package func read(_ bytes: [UInt8]) throws -> ImportReading {
    switch self {
    case .pass: throw Self.unreadable("it is no folder")
    case .onePassword, .chrome, .firefox: try CSVImport.read(bytes)
    case .bitwarden: try BitwardenImport.read(bytes)
    case .json: try JSONImport.read(bytes)
    case .dotenv: try DotenvImport.read(bytes)
    case .keepassxc: try KeePassImport.read(bytes)
    }
  }

  private static func bytes(_ path: String) throws -> [UInt8] {
    let limit = 256 << 20
    let secret =
      path == "-"
      ? try SecretInput.read(0, limit: limit) : try SecretInput.read(file: path, limit: limit)
    return secret.withBytes { $0.array(0..<$0.byteCount) }
  }

  /// Reads a JSON document.
  ///
  /// - Returns: The document with one member of each name, and the paths of the repeated ones.
  /// - Throws: ``CommandError`` with code `import-unreadable`.
  static func json(_ bytes: [UInt8]) throws -> (value: JSONValue, repeated: [String]) {
    do {
      return try JSONValue.parse(bytes).removingRepeatedMembers()
    } catch {
      throw unreadable(error.message)
    }
  }

  static func unreadable(_ reason: String) -> CommandError {
    CommandError(
      "import-unreadable", "the file is not in this format: \(reason)",
      hint: "formats: \(Self.allCases.map(\.rawValue).joined(separator: ", "))", status: .damaged)
  }
}
