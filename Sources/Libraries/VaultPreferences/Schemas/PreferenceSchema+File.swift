import Glibc
import VaultStorage

/// Schemas as files, in TOML.
///
/// Beside `description` and `version`, a file has a table for each key below `keys`, and
/// `migrations`:
///
/// ```toml
/// description = "An editor"
/// version = 2
///
/// [keys.fontSize]
/// type = "integer"
/// default = 12
/// minimum = 6
/// renamedFrom = ["size"]
///
/// [[migrations]]
/// version = 2
/// change = { theme = [[1, "dark"], [0, "light"]] }
/// ```
extension PreferenceSchema {
  /// Reads a schema.
  ///
  /// - Parameter toml: TOML.
  /// - Throws: ``PreferenceError`` with code `.syntax`, also for a word that means nothing here.
  public init(toml: String) throws(PreferenceError) { try self.init(Array(toml.utf8), path: nil) }

  /// The schema that is installed for a domain; `nil` if there is none.
  ///
  /// - Parameter domain: The domain's name.
  /// - Returns: `DOMAIN.toml` in the first of `/etc/vault/schemas` and `vault/schemas` below
  ///   `XDG_DATA_HOME` and each of `XDG_DATA_DIRS` that has one.
  /// - Throws: ``PreferenceError`` with code `.syntax` for a file that cannot be read.
  public static func installed(for domain: String) throws(PreferenceError) -> PreferenceSchema? {
    try of(domain, in: directories())
  }

  /// The folders of schemas, the strongest first: `/etc/vault/schemas`, and `vault/schemas` below
  /// `XDG_DATA_HOME` and each of `XDG_DATA_DIRS` (XDG Base Directory Specification 0.8).
  package static func directories(
    environment: (String) -> String? = StoreLocation.variable
  ) -> [String] {
    let own = (try? StoreLocation(environment: environment)).map { ["\($0.data)/schemas"] } ?? []
    let shared = DefaultsDirectories.shared(environment)
    return ["/etc/vault/schemas"] + own + shared.map { "\($0)/vault/schemas" }
  }

  /// The schema of a domain; `nil` if there is none.
  ///
  /// - Parameters:
  ///   - domain: The domain's name.
  ///   - directories: Where to look, the strongest first.
  /// - Returns: That of the first folder that has one.
  /// - Throws: ``PreferenceError`` with code `.syntax` for a file that cannot be read.
  package static func of(
    _ domain: String, in directories: [String]
  ) throws(PreferenceError) -> PreferenceSchema? {
    guard !domain.utf8.contains(0x2f), !domain.utf8.contains(0) else { return nil }
    for directory in directories {
      let path = "\(directory)/\(domain).toml"
      guard UserFile.exists(path) else { continue }
      let bytes: [UInt8]
      do {
        bytes = try self.bytes(of: "\(domain).toml", in: directory)
      } catch {
        if let failure = error as? System.Failure {
          throw PreferenceError(.syntax, "The schema \(path) cannot be read: \(failure.reason)")
        }
        throw PreferenceError(.syntax, "The schema \(PreferenceError(wrapping: error).message)")
      }
      do {
        return try PreferenceSchema(bytes, path: path)
      } catch {
        throw PreferenceError(.syntax, "The schema \(path) cannot be read: \(error.message)")
      }
    }
    return nil
  }

  /// The bytes of a schema's file, which removes and renames values: as of a text file, only the
  /// user, root and the folder's owner may have written it.
  ///
  /// - Throws: ``System/Failure``; ``PreferenceError`` with code `.storage`.
  private static func bytes(of name: String, in folder: String) throws -> [UInt8] {
    guard let directory = try PreferenceFileDirectory(folder) else {
      throw System.Failure(errno: ENOENT)
    }
    return try directory.bytes(of: name, from: .anyoneTrusted, limit: TOMLText.sizeLimit)
  }

  /// Reads a schema.
  ///
  /// - Parameters:
  ///   - bytes: TOML.
  ///   - path: The file.
  /// - Throws: ``PreferenceError`` with code `.syntax`, also for a word that means nothing here.
  package init(_ bytes: [UInt8], path: String?) throws(PreferenceError) {
    guard case .dictionary(let parts) = try TOMLText.parse(bytes) else {
      throw PreferenceError(.syntax, "this is not a table")
    }
    self.init()
    self.path = path
    for (word, value) in parts {
      switch word {
      case "description": description = try SchemaPart(value, word).text()
      case "version": version = try SchemaPart(value, word).version()
      case "environment": environmentPrefix = try Self.prefix(SchemaPart(value, word).text())
      case "textFile":
        guard let rank = try TextFile(rawValue: SchemaPart(value, word).text()) else {
          throw PreferenceError(.syntax, "textFile is neither above nor below")
        }
        textFile = rank
      case "keys":
        for (name, table) in try SchemaPart(value, word).table() {
          keys[name] = try Key(name, SchemaPart(table, "keys.\(name)").table())
        }
      case "migrations":
        for migration in try SchemaPart(value, word).array() {
          migrations.append(try Migration(migration))
        }
      default: throw PreferenceError(.syntax, "'\(word)' means nothing")
      }
    }
    if let late = migrations.first(where: { $0.version > version }) {
      throw PreferenceError(
        .syntax, "there is a migration to version \(late.version) of version \(version)")
    }
    for key in keys.values.sorted(by: { $0.name < $1.name }) {
      if let name = key.formerNames.first(where: { keys[$0] != nil }) {
        throw PreferenceError(
          .syntax, "renamedFrom of \(key.name) has \(name), which is a key of its own")
      }
    }
    migrations.sort { $0.version < $1.version }
  }

  /// A prefix of variables: capitals, digits and underscores.
  private static func prefix(_ text: String) throws(PreferenceError) -> String {
    let isName = text.utf8.allSatisfy { byte in
      0x41...0x5a ~= byte || 0x30...0x39 ~= byte || byte == 0x5f
    }
    guard isName, let first = text.utf8.first, !(0x30...0x39 ~= first), text.utf8.last != 0x5f
    else {
      throw PreferenceError(.syntax, "environment is a name in capitals, without _ at its end")
    }
    return text
  }

  // MARK: Writing

  /// The schema as a file has it: sorted, one statement a line.
  public var toml: String {
    var lines: [String] = []
    if let description { lines.append(TOMLWriter.line("description", .string(description))) }
    if version != 1 { lines.append(TOMLWriter.line("version", .integer(Int64(version)))) }
    if let environmentPrefix {
      lines.append(TOMLWriter.line("environment", .string(environmentPrefix)))
    }
    if let textFile { lines.append(TOMLWriter.line("textFile", .string(textFile.rawValue))) }
    for key in keys.values.sorted(by: { OldStyleWriter.precedes($0.name, $1.name) }) {
      lines += (lines.isEmpty ? [] : [""]) + [TOMLWriter.header("keys", key.name)] + key.lines
    }
    for migration in migrations { lines += ["", "[[migrations]]"] + migration.lines }
    return lines.map { "\($0)\n" }.joined()
  }
}

extension PreferenceSchema.Key {
  fileprivate init(
    _ name: String, _ entries: [String: PreferenceValue]
  ) throws(PreferenceError) {
    self.init(name)
    for (word, value) in entries {
      let part = SchemaPart(value, "\(word) of \(name)")
      switch word {
      case "type":
        type = try part.text()
        guard let type, Self.types.contains(type) else {
          throw PreferenceError(
            .syntax,
            "the type of \(name) is none of \(Self.types.joined(separator: ", "))")
        }
      case "description": description = try part.text()
      case "deprecated": deprecation = try part.text()
      case "pattern": pattern = try part.text()
      case "format": format = try part.text()
      case "signature": signature = try part.text()
      case "default": defaultValue = value
      case "minimum":
        minimum = try part.limit(isDate: entries["type"] == "date")
        wholeMinimum = value
      case "maximum":
        maximum = try part.limit(isDate: entries["type"] == "date")
        wholeMaximum = value
      case "sensitive": isSensitive = try part.flag()
      case "values":
        values = try part.array()
        if values.isEmpty {
          throw PreferenceError(.syntax, "the values of \(name) are none: nothing could be set")
        }
      case "renamedFrom": formerNames = try part.texts()
      default: throw PreferenceError(.syntax, "'\(word)' of \(name) means nothing")
      }
    }
    if let lowest, let highest, let problem = limitProblem(ofLimits: lowest, highest) {
      throw PreferenceError(.syntax, problem)
    }
    if let problem = problemOfChoices { throw PreferenceError(.syntax, problem) }
    if let defaultValue, let problem = problem(of: defaultValue) {
      throw PreferenceError(.syntax, "the default of \(name) does not fit: \(problem)")
    }
  }

  fileprivate var lines: [String] {
    var entries: [(String, PreferenceValue)] = []
    func add(_ word: String, _ value: PreferenceValue?) {
      if let value { entries.append((word, value)) }
    }
    add("type", type.map { .string($0) })
    add("description", description.map { .string($0) })
    add("default", defaultValue)
    add("minimum", lowest)
    add("maximum", highest)
    add("values", values.isEmpty ? nil : .array(values))
    add("pattern", pattern.map { .string($0) })
    add("format", format.map { .string($0) })
    add("deprecated", deprecation.map { .string($0) })
    add("renamedFrom", formerNames.isEmpty ? nil : .array(formerNames.map { .string($0) }))
    add("sensitive", isSensitive ? true : nil)
    add("signature", signature.map { .string($0) })
    return entries.map { TOMLWriter.line($0.0, $0.1) }
  }
}

/// A part of a schema's file, as the type that it has to be.
struct SchemaPart {
  private let value: PreferenceValue
  private let name: String

  init(_ value: PreferenceValue, _ name: String) {
    self.value = value
    self.name = name
  }

  func text() throws(PreferenceError) -> String {
    guard case .string(let text) = value else {
      throw PreferenceError(.syntax, "\(name) is not a text")
    }
    return text
  }

  func texts() throws(PreferenceError) -> [String] {
    var texts: [String] = []
    for element in try array() { texts.append(try SchemaPart(element, name).text()) }
    return texts
  }

  /// A limit of numbers, or of dates.
  func limit(isDate: Bool) throws(PreferenceError) -> Double {
    guard let limit = value.measure, (value.kind == .date) == isDate, !limit.isNaN else {
      throw PreferenceError(.syntax, "\(name) is not a \(isDate ? "date" : "number")")
    }
    return limit
  }

  func version() throws(PreferenceError) -> Int {
    guard case .integer(let number) = value, (1...1_000_000).contains(number) else {
      throw PreferenceError(.syntax, "\(name) is not a number from 1")
    }
    return Int(number)
  }

  func flag() throws(PreferenceError) -> Bool {
    guard case .boolean(let flag) = value else {
      throw PreferenceError(.syntax, "\(name) is neither true nor false")
    }
    return flag
  }

  func array() throws(PreferenceError) -> [PreferenceValue] {
    guard case .array(let elements) = value else {
      throw PreferenceError(.syntax, "\(name) is not an array")
    }
    return elements
  }

  func table() throws(PreferenceError) -> [String: PreferenceValue] {
    guard case .dictionary(let entries) = value else {
      throw PreferenceError(.syntax, "\(name) is not a table")
    }
    return entries
  }
}
