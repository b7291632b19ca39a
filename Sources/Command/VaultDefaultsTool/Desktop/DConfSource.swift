import VaultPreferences
import VaultStorage
import VaultTerminal

/// dconf, where GNOME and programs with GSettings keep what the user has set, through its own
/// command.
///
/// A domain is a path, such as `/org/gnome/desktop/interface/`. A value whose type nothing else
/// tells, neither its form nor a schema, is a dictionary with the key `$gvariant` and the text.
final class DConfSource: DesktopSource {
  static let prefix = "dconf:"
  static let tag = "$gvariant"

  private let environment: [String: String]
  /// Read when the first type is asked for.
  private lazy var schemas = Schemas(environment)

  init(environment: [String: String]) { self.environment = environment }

  // MARK: Names

  var names: [String] { schemas.ids }

  func domain(named word: String) throws -> String {
    // SCHEMA:/PATH/, for schemas that any number of places use.
    let parts = word.parts(at: ":")
    if parts.count == 2, parts[1].begins(with: "/") { return try path(String(parts[1])) }
    if word.begins(with: "/") { return try path(word) }
    if let path = schemas.path(of: word) { return path }
    if schemas.isRelocatable(word) {
      throw DefaultsRefusal("The schema \(word) has no place of its own; write \(word):/PATH/")
    }
    return try path("/" + word.parts(at: ".").joined(separator: "/") + "/")
  }

  private func path(_ word: String) throws -> String {
    let path = word.ends(with: "/") ? word : word + "/"
    guard !path.contains(bytes: "//"), !path.utf8.contains(where: { $0 < 0x20 }),
      !path.contains(bytes: "]")
    else {
      throw DefaultsRefusal("'\(Quoting.visible(word))' is not a path of dconf.")
    }
    return path
  }

  // MARK: Reading

  func current(beside known: Set<String>) throws -> [String: [String: PreferenceValue]] {
    let text = String(decoding: try run(["dump", "/"]), as: UTF8.self)
    return try values(KeyFile(text), below: "/")
  }

  /// The values of a dump, by domains.
  func values(
    _ dump: KeyFile, below root: String
  ) throws -> [String: [String: PreferenceValue]] {
    if let line = dump.badLines.first {
      throw DefaultsRefusal("dconf's text cannot be read at line \(line)")
    }
    var found: [String: [String: PreferenceValue]] = [:]
    for group in dump.groups {
      let domain = group.name == "/" || group.name.isEmpty ? root : "\(root)\(group.name)/"
      for (key, text) in group.entries {
        do {
          found[domain, default: [:]][key] = value(try GVariantText(text), of: key, in: domain)
        } catch {
          throw DefaultsRefusal("\(domain)\(key): \(error.message)")
        }
      }
    }
    return found
  }

  /// A value, with its text where nothing else tells the type.
  func value(
    _ read: GVariantText, of key: String, in domain: String
  ) -> PreferenceValue {
    let isTyped =
      GVariantText.natural(read.value) == read.signature
      || schemas.signature(of: key, in: domain) == read.signature
    // What is in variants has types of its own.
    if isTyped, (try? GVariantText.text(read.value, as: read.signature)) == read.normal {
      return read.value
    }
    return .dictionary([Self.tag: .string(read.normal)])
  }

  /// The text of a value, with its type.
  func text(
    _ value: PreferenceValue, of key: String, in domain: String
  ) throws(PreferenceError) -> String {
    if case .dictionary(let entries) = value, entries.count == 1,
      case .string(let text)? = entries[Self.tag]
    {
      // Written again: a text that came from a file must be one value and no more.
      return try GVariantText(text).normal
    }
    return try GVariantText.text(value, as: schemas.signature(of: key, in: domain))
  }

  func kept(
    _ value: PreferenceValue, of key: String, in domain: String
  ) -> PreferenceValue {
    guard let text = try? text(value, of: key, in: domain), let read = try? GVariantText(text)
    else { return value }
    return self.value(read, of: key, in: domain)
  }

  func isSame(
    _ first: PreferenceValue?, _ second: PreferenceValue?, of key: String, in domain: String
  ) -> Bool {
    guard let first, let second else { return first == nil && second == nil }
    let (left, right) = (
      try? text(first, of: key, in: domain), try? text(second, of: key, in: domain)
    )
    return left != nil && left == right
  }

  func schema(of domain: String) -> PreferenceSchema? { schemas.schema(at: domain) }

  // MARK: Writing

  func push(_ changes: [DesktopChange]) throws {
    var groups: [String: [String]] = [:]
    for change in changes {
      // Also of what came from a file: dconf's own lines must not be cut short.
      guard try path(change.domain) == change.domain, change.domain.begins(with: "/") else {
        throw DefaultsRefusal("'\(Quoting.visible(change.domain))' is not a path of dconf.")
      }
      // What `dconf load` takes: a line of a key file cuts blanks at both ends off.
      let isName =
        !change.key.isEmpty && change.key.utf8.first != 0x20 && change.key.utf8.last != 0x20
        && !change.key.utf8.contains { byte in
          byte < 0x20 || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "=")
            || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]")
        }
      guard isName else {
        throw DefaultsRefusal(
          "'\(Quoting.visible(change.key))' of \(change.domain) is not a key of dconf.")
      }
      guard let value = change.value else { continue }
      do {
        let text = try text(value, of: change.key, in: change.domain)
        groups[change.domain, default: []].append("\(change.key)=\(text)")
      } catch {
        throw DefaultsRefusal("\(change.domain)\(change.key): \(error.message)")
      }
    }
    if !groups.isEmpty {
      let lines = groups.sorted { $0.key < $1.key }.map { domain, lines in
        let name = domain == "/" ? "/" : String(domain.dropFirst().dropLast())
        return "[\(name)]\n" + lines.joined(separator: "\n") + "\n"
      }
      _ = try run(["load", "/"], input: Array(lines.joined(separator: "\n").utf8))
    }
    for change in changes where change.value == nil {
      _ = try run(["reset", "\(change.domain)\(change.key)"])
    }
  }

  func files(of known: Set<String>) -> [(folder: String, name: String)] {
    guard let folder = try? StoreLocation.configuration({ self.environment[$0] }) else { return [] }
    return [("\(folder)/dconf", "user")]
  }

  private func run(_ words: [String], input: [UInt8] = []) throws -> [UInt8] {
    var surroundings = ChildProgram.Surroundings()
    surroundings.patience = 30
    surroundings.variables = DesktopEnvironment.variables(of: environment)
    guard
      let run = try ChildProgram.capture(
        ["dconf"] + words, input: input, limit: 64 << 20, in: surroundings),
      run.exitStatus != 127
    else {
      throw DefaultsRefusal("dconf could not be started; the package dconf-cli has it.")
    }
    guard run.isSuccess else {
      let reason = String(decoding: run.errors, as: UTF8.self).parts(at: "\n").first ?? "it failed"
      throw DefaultsRefusal(
        "dconf \(words[0]): \(Quoting.visible(String(reason)))\n"
          + "Without a session bus nothing can be set; dbus-run-session starts one.")
    }
    return run.output
  }
}

extension DConfSource {
  /// The schemas that are installed, by their places.
  private struct Schemas {
    private var paths: [String: String] = [:]
    private var relocatable: Set<String> = []
    private var byPath: [String: PreferenceSchema] = [:]

    init(_ environment: [String: String]) {
      var files: [(String, [UInt8])] = []
      let own = environment["XDG_DATA_HOME"] ?? environment["HOME"].map { "\($0)/.local/share" }
      let folders = (own.map { [$0] } ?? []) + DefaultsDirectories.shared { environment[$0] }
      for folder in folders.map({ "\($0)/glib-2.0/schemas" }) {
        for name in (try? UserFile.names(in: folder)) ?? []
        where name.ends(with: ".gschema.xml") || name.ends(with: ".enums.xml") {
          guard let bytes = try? UserFile.bytes(of: "\(folder)/\(name)", limit: 16 << 20) else {
            continue
          }
          files.append(("\(folder)/\(name)", bytes))
        }
      }
      for found in GSettingsSchemas(files).found {
        if let path = found.path {
          paths[found.id] = path
          byPath[path] = found.schema
        } else {
          relocatable.insert(found.id)
        }
      }
    }

    var ids: [String] { paths.keys.sorted() }
    func path(of id: String) -> String? { paths[id] }
    func isRelocatable(_ id: String) -> Bool { relocatable.contains(id) }
    func schema(at path: String) -> PreferenceSchema? { byPath[path] }
    func signature(of key: String, in path: String) -> String? {
      byPath[path]?.keys[key]?.signature
    }
  }
}
