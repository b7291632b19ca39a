import Glibc
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
  /// The databases that programs read, the user's first.
  private lazy var profile = DConfProfile(environment)
  /// The keys that the administrator has locked; `nil` until they are asked for.
  private var locks: Set<String>?
  private var problems: [String] = []
  private var told: Set<String> = []

  init(environment: [String: String]) { self.environment = environment }

  // MARK: Names

  var names: [String] { schemas.ids }

  func domain(named word: String) throws -> String {
    // SCHEMA:/PATH/, for schemas that any number of places use.
    let parts = word.parts(at: ":")
    if parts.count == 2, parts[1].begins(with: "/") {
      let path = try path(String(parts[1]))
      guard schemas.place(String(parts[0]), at: path) else {
        throw DefaultsRefusal(
          "There is no schema \(parts[0]) that any place may use; \(path) alone names the place.")
      }
      return path
    }
    if word.begins(with: "/") { return try path(word) }
    if let path = schemas.path(of: word) { return path }
    if schemas.isRelocatable(word) {
      throw DefaultsRefusal("The schema \(word) has no place of its own; write \(word):/PATH/")
    }
    return try path("/" + word.parts(at: ".").joined(separator: "/") + "/")
  }

  private func path(_ word: String) throws -> String {
    guard !word.isEmpty, word != "//" else {
      throw DefaultsRefusal("dconf's domains are schemas, or paths such as /org/gnome/terminal/.")
    }
    let path = word.ends(with: "/") ? word : word + "/"
    guard !path.contains(bytes: "//"), !path.utf8.contains(where: { $0 < 0x20 }),
      !path.contains(bytes: "]")
    else {
      throw DefaultsRefusal("'\(Quoting.visible(word))' is not a path of dconf.")
    }
    return path
  }

  // MARK: Reading

  var folderOfSettings: String? {
    guard let name = profile.database,
      let folder = try? StoreLocation.configuration({ self.environment[$0] })
    else { return nil }
    // Another database than the usual one is another desktop, as another folder is.
    return name == "user" ? folder : "\(folder)/dconf/\(name)"
  }

  func current(beside known: Set<String>) throws -> [String: [String: PreferenceValue]] {
    if let refusal = whyUnread().refusal { throw refusal }
    return try values(ofAll: profile.own)
  }

  func look(at known: Set<String>) throws -> DesktopLook {
    let (refusal, missing) = whyUnread()
    if let refusal {
      problems.append("\(refusal.reason); what is known of it is as it was")
      return DesktopLook(values: [:], unread: ["": refusal])
    }
    return DesktopLook(values: try values(ofAll: profile.own), missing: missing)
  }

  /// Why the user's database cannot be read: dconf itself says nothing, and goes on with none.
  ///
  /// - Returns: Why it can be read by nobody here; what is to be said if it had values before, since
  ///   it is gone or empty. dconf itself does neither: when all is reset, its file has an empty table.
  private func whyUnread() -> (refusal: DefaultsRefusal?, missing: DefaultsRefusal?) {
    if let problem = profile.problem {
      return (DefaultsRefusal("Could not read dconf: \(problem)"), nil)
    }
    guard let name = profile.database,
      let folder = try? StoreLocation.configuration({ self.environment[$0] })
    else { return (nil, nil) }
    let path = "\(folder)/dconf/\(name)"
    do {
      // Not opened for reading if it is a pipe: it would be waited for.
      guard let bytes = try UserFile.bytes(ofRegular: path, limit: 1 << 30) else {
        return (Self.unread(path, "it is not a file"), nil)
      }
      if bytes.isEmpty { return (nil, Self.unread(path, "it is empty")) }
      return (DConfFile.isWhole(bytes) ? nil : Self.unread(path, "it is damaged"), nil)
    } catch {
      guard error.errno == ENOENT else { return (Self.unread(path, error.reason), nil) }
      let isFolder = UserFile.isFolder("\(folder)/dconf")
      return (
        nil, Self.unread(path, isFolder ? "it is gone" : "there is no folder \(folder)/dconf")
      )
    }
  }

  private static func unread(_ path: String, _ reason: String) -> DefaultsRefusal {
    DefaultsRefusal(
      "Could not read \(path): \(reason)\n"
        + "Put the file back, or set a key with gsettings or dconf, which then begin a new one.")
  }

  /// The values of all databases of a profile, or of the usual one.
  private func values(
    ofAll profile: String?
  ) throws -> [String: [String: PreferenceValue]] {
    let text = String(decoding: try run(["dump", "/"], profile: profile), as: UTF8.self)
    // Its writer knows no comments and no escapes: what it cannot say of a name is left out, with
    // the rest of that name.
    let dump = KeyFile(text, comments: "", isWhole: true)
    if !dump.badLines.isEmpty {
      problems.append(
        "dconf has keys with a line break in their names; they were left out")
    }
    return try values(dump, below: "/", isFile: false)
  }

  func takeProblems() -> [String] {
    let new = Set(problems).subtracting(told)
    problems = []
    told.formUnion(new)
    return new.sorted()
  }

  func part(of domain: String) -> String { "" }
  func parts(beside known: Set<String>) -> Set<String> { [""] }

  /// The values of a dump, by domains.
  func values(
    _ dump: KeyFile, below root: String, isFile: Bool = true
  ) throws -> [String: [String: PreferenceValue]] {
    if isFile, let line = dump.badLines.first {
      throw DefaultsRefusal("dconf's text cannot be read at line \(line)")
    }
    var found: [String: [String: PreferenceValue]] = [:]
    for group in dump.groups {
      let domain = group.name == "/" || group.name.isEmpty ? root : "\(root)\(group.name)/"
      for (key, text) in group.entries {
        guard isFile || Self.isName(key) else {
          problems.append(
            "dconf's key \(Quoting.visible(key)) of \(Quoting.visible(domain)) was left out: "
              + "its own command cannot set it")
          continue
        }
        if found[domain]?.otherSpelling(of: key) != nil || found.otherSpelling(of: domain) != nil {
          guard !isFile else { throw DefaultsRefusal([String: Bool].twice("\(domain)\(key)")) }
          problems.append(
            "dconf's key \(Quoting.visible(key)) of \(Quoting.visible(domain)) was left out: another "
              + "one is canonically equivalent")
          continue
        }
        do {
          found[domain, default: [:]][key] = value(try GVariantText(text), of: key, in: domain)
        } catch {
          guard !isFile else { throw DefaultsRefusal("\(domain)\(key): \(error.message)") }
          problems.append(
            "dconf's key \(Quoting.visible(key)) of \(Quoting.visible(domain)) was left out: "
              + error.message)
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
    if isTyped, !DesktopTag.isMisplaced(in: read.value), DesktopTag.of(read.value) == nil,
      (try? GVariantText.text(read.value, as: read.signature)) == read.normal
    {
      return read.value
    }
    return .dictionary([Self.tag: .string(read.normal)])
  }

  /// The text of a value, with its type.
  func text(
    _ value: PreferenceValue, of key: String, in domain: String, isTyped: Bool = false
  ) throws(PreferenceError) -> String {
    guard !DesktopTag.isMisplaced(in: value) else {
      throw PreferenceError(
        .lossy, "\(Self.tag) and a text are a whole value; nothing can stand beside or around them")
    }
    if case .dictionary(let entries) = value, entries.count == 1,
      case .string(let text)? = entries[Self.tag]
    {
      // Written again: a text that came from a file must be one value and no more.
      return try GVariantText(text).normal
    }
    let signature =
      isTyped ? schema(of: domain)?.keys[key]?.signature : schemas.signature(of: key, in: domain)
    return try GVariantText.text(value, as: signature)
  }

  func kept(
    _ value: PreferenceValue, of key: String, in domain: String
  ) -> PreferenceValue {
    // A schema that the line alone has placed there says the type; the copy then says it, too.
    guard let text = try? text(value, of: key, in: domain, isTyped: true),
      let read = try? GVariantText(text)
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
      guard Self.isName(change.key) else {
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
      _ = try run(
        ["load", "/"], input: Array(lines.joined(separator: "\n").utf8), setting: changes)
    }
    try reset(changes.filter { $0.value == nil })
  }

  /// Resets keys: at once, where dconf's own service does that; or one by one.
  private func reset(_ changes: [DesktopChange]) throws {
    for change in changes where changes.count > 1 {
      // The service does not look at locks, which the library in each program does.
      guard try lock(of: change.key, in: change.domain) == nil else { throw Self.locked(change) }
    }
    if changes.count > 1, let writer = profile.database.flatMap({ DConfWriter($0, environment) }) {
      _ = try DesktopEnvironment.folderToWrite(environment)
      if writer.reset(changes.map { "\($0.domain)\($0.key)" }) { return }
    }
    for change in changes {
      _ = try run(["reset", "\(change.domain)\(change.key)"], setting: [change])
    }
  }

  private static func locked(_ change: DesktopChange) -> DefaultsRefusal {
    DefaultsRefusal(
      "The administrator has locked \(change.domain)\(change.key).\n"
        + "Defaults have not been changed.")
  }

  /// Whether `dconf load` takes a key: a line of a key file cuts blanks at both ends off, and
  /// begins a comment with `#`.
  private static func isName(_ key: String) -> Bool {
    !key.isEmpty && key.utf8.first != 0x20 && key.utf8.last != 0x20
      && key.utf8.first != UInt8(ascii: "#")
      && !key.utf8.contains { byte in
        byte < 0x20 || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "=")
          || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]")
      }
  }

  func hasTaken(_ change: DesktopChange, _ found: PreferenceValue?) -> Bool {
    // Where the user's own values cannot be told from the administrator's, these show after one.
    if change.value == nil, profile.isMixed { return true }
    return isSame(found, change.value, of: change.key, in: change.domain)
  }

  func lock(of key: String, in domain: String) throws -> String? {
    guard profile.hasMore else { return nil }
    let known: Set<String>
    if let locks {
      known = locks
    } else {
      let text = (try? run(["list-locks", "/"])) ?? []
      known = Set(String(decoding: text, as: UTF8.self).parts(at: "\n").map(String.init))
      locks = known
    }
    return known.contains("\(domain)\(key)") ? "dconf's profile" : nil
  }

  // MARK: What programs see

  private lazy var effective = Result { try values(ofAll: nil) }

  func layers(of key: String, in domain: String) throws -> [LayeredValue]? {
    guard profile.hasMore, !profile.isMixed else { return nil }
    func layer(_ layer: PreferenceLayer, _ value: PreferenceValue?) -> [LayeredValue] {
      value.map { [LayeredValue(layer: layer, domain: nil, file: nil, value: $0)] } ?? []
    }
    let now = try effective.get()[domain]?[key]
    let packaged = layer(.schemaDefault, schema(of: domain)?.keys[key]?.defaultValue)
    if try lock(of: key, in: domain) != nil { return layer(.managed, now) + packaged }
    guard let own = try current(beside: [])[domain]?[key] else {
      return layer(.siteDefault, now) + packaged
    }
    let text = String(decoding: try run(["read", "-d", "\(domain)\(key)"]), as: UTF8.self)
    let given = (try? GVariantText(text)).map { value($0, of: key, in: domain) }
    return layer(.application, own) + layer(.siteDefault, given) + packaged
  }

  func keys(in domain: String) throws -> Set<String>? {
    guard profile.hasMore, !profile.isMixed else { return nil }
    let keys = try effective.get()[domain, default: [:]].keys
    return Set(keys).union(schema(of: domain)?.keys.keys.map { $0 } ?? [])
  }

  func files(of known: Set<String>) -> [(folder: String, name: String)] {
    guard let folder = try? StoreLocation.configuration({ self.environment[$0] }) else { return [] }
    return [("\(folder)/dconf", profile.database ?? "user")]
  }

  private func run(
    _ words: [String], input: [UInt8] = [], profile: String? = nil,
    setting changes: [DesktopChange] = []
  ) throws -> [UInt8] {
    var surroundings = ChildProgram.Surroundings()
    surroundings.patience = 30
    surroundings.variables = DesktopEnvironment.variables(of: environment)
    var input = input
    if let profile {
      input = Array(profile.utf8)
      surroundings.variables["DCONF_PROFILE"] = "/dev/stdin"
    }
    if !changes.isEmpty { _ = try DesktopEnvironment.folderToWrite(environment) }
    guard
      let run = try ChildProgram.capture(
        ["dconf"] + words, input: input, limit: 64 << 20, in: surroundings),
      run.exitStatus != 127
    else {
      throw DefaultsRefusal("dconf could not be started; the package dconf-cli has it.")
    }
    guard run.isSuccess else {
      if let locked = try changes.first(where: { try lock(of: $0.key, in: $0.domain) != nil }) {
        throw Self.locked(locked)
      }
      let text = String(decoding: run.errors, as: UTF8.self)
      let reason = Quoting.visible(String(text.parts(at: "\n").first ?? "it failed"))
      let isOfBus = ["onnect", "bus", "D-Bus", "autolaunch"].contains { text.contains(bytes: $0) }
      throw DefaultsRefusal(
        "dconf \(words[0]): \(reason)"
          + (isOfBus
            ? "\nWithout a session bus nothing can be set; dbus-run-session starts one." : ""))
    }
    // GLib's writer of key files says so, and goes on without them.
    if String(decoding: run.errors, as: UTF8.self).contains(bytes: "g_key_file_is_key_name") {
      problems.append("dconf has keys with '=' or a bracket in their names; they were left out")
    }
    return run.output
  }
}

extension DConfSource {
  /// The schemas that are installed, by their places.
  private struct Schemas {
    private var paths: [String: String] = [:]
    private var relocatable: [String: PreferenceSchema] = [:]
    /// What a line has placed somewhere.
    private var placed: [String: PreferenceSchema] = [:]
    private var byPath: [String: PreferenceSchema] = [:]

    init(_ environment: [String: String]) {
      var files: [(String, [UInt8])] = []
      let own =
        environment["XDG_DATA_HOME"]
        ?? StoreLocation.namedHome({ environment[$0] }).map { "\($0)/.local/share" }
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
          relocatable[found.id] = found.schema
        }
      }
    }

    var ids: [String] { paths.keys.sorted() }
    func path(of id: String) -> String? { paths[id] }
    func isRelocatable(_ id: String) -> Bool { relocatable[id] != nil }
    func schema(at path: String) -> PreferenceSchema? { placed[path] ?? byPath[path] }

    /// Has a schema hold at a path, for this line: any number of places may use it.
    ///
    /// - Returns: Whether there is such a schema, or one of that place.
    mutating func place(_ id: String, at path: String) -> Bool {
      guard let schema = relocatable[id] else { return paths[id] == path }
      placed[path] = schema
      return true
    }

    /// The type by a schema that always holds there, since the copy is read by it.
    func signature(of key: String, in path: String) -> String? {
      byPath[path]?.keys[key]?.signature
    }
  }
}
