import VaultPreferences
import VaultStorage
import VaultTerminal

/// KConfig's files, where KDE's programs keep what the user has set: read here, written by
/// `kwriteconfig6` or `kwriteconfig5`, which tell running programs and know what is locked.
///
/// A domain is a file of `XDG_CONFIG_HOME` with a group, such as `kdeglobals:General`, and with
/// another group inside of it `kdeglobals:A][B`. Names are those that programs use, without the
/// escapes of the file; translations are left out. All values are texts; one that KConfig expands,
/// `key[$e]=$HOME/x`, is a dictionary with the key `$expand` and the text.
final class KConfigSource: DesktopSource {
  static let prefix = "kconfig:"
  static let tag = "$expand"

  private let environment: [String: String]

  init(environment: [String: String]) { self.environment = environment }

  var names: [String] { [] }

  func domain(named word: String) throws -> String {
    let parts = word.parts(at: ":")
    guard let file = parts.first, !file.isEmpty, !file.utf8.contains(0x2f), !file.begins(with: ".")
    else { throw DefaultsRefusal("'\(Quoting.visible(word))' is not FILE:GROUP of KConfig.") }
    return parts.count == 1 ? "\(file):" : word
  }

  /// The file of a domain, and its groups.
  private static func place(_ domain: String) -> (file: String, groups: [String]) {
    let sign = domain.utf8.firstIndex(of: UInt8(ascii: ":")) ?? domain.endIndex
    let file = String(domain[..<sign])
    let group = String(domain[sign...].dropFirst())
    return (
      file,
      group.isEmpty ? [] : group.substituting("][", with: "\n").parts(at: "\n").map(String.init)
    )
  }

  private func folder() throws -> String {
    try StoreLocation.configuration { self.environment[$0] }
  }

  func current(beside known: Set<String>) throws -> [String: [String: PreferenceValue]] {
    var found: [String: [String: PreferenceValue]] = [:]
    for file in Set(known.map { Self.place($0).file }) {
      for group in try Self.file("\(try folder())/\(file)")?.groups ?? [] {
        // [Group][$i] is locked, and has its name before that. [$i] locks the whole file.
        guard group.name != "$i" else { continue }
        let name = Self.name(ofGroup: group.name.substituting("][$i", with: ""))
        for (key, text) in group.entries {
          guard let (key, flags) = Self.entry(key), !flags.deletes else { continue }
          found["\(file):\(name)", default: [:]][key] = Self.value(text, flags)
        }
      }
    }
    return found
  }

  /// The groups of a file; `nil` if there is none.
  static func file(_ path: String) throws -> KeyFile? {
    guard UserFile.exists(path) else { return nil }
    do {
      let bytes = try UserFile.bytes(of: path, limit: 16 << 20)
      return KeyFile(String(decoding: bytes, as: UTF8.self))
    } catch {
      throw DefaultsRefusal("Could not read \(path): \(error.reason)")
    }
  }

  /// The signs behind a key, as in `key[$ie]`.
  struct Flags {
    /// Stronger files do not change it: `i`.
    let locks: Bool
    /// KConfig expands its value: `e`.
    let expands: Bool
    /// It deletes what weaker files have: `d`.
    let deletes: Bool

    fileprivate init(_ signs: some Sequence<UInt8>) {
      let signs = Set(signs)
      locks = signs.contains(UInt8(ascii: "i"))
      expands = signs.contains(UInt8(ascii: "e"))
      deletes = signs.contains(UInt8(ascii: "d"))
    }
  }

  /// A key as programs know it, and its flags; `nil` for a translation, such as `Name[de]`, which
  /// KConfig's own programs do not write.
  static func entry(_ key: String) -> (name: String, flags: Flags)? {
    let (name, flags) = flags(of: key)
    // A bracket that is part of the name is escaped.
    guard name.utf8.last != UInt8(ascii: "]") else { return nil }
    return (plain(name), flags)
  }

  /// The name of a group, as a domain has it: with `][` before another one inside of it.
  static func name(ofGroup text: String) -> String {
    let groups = text.substituting("][", with: "\n").parts(at: "\n").map { plain(String($0)) }
    // One that has this in its own name stays as the file has it.
    guard !groups.contains(where: { $0.contains(bytes: "][") }) else { return text }
    return groups.joined(separator: "][")
  }

  /// A key without its flags, and these.
  private static func flags(of key: String) -> (name: String, flags: Flags) {
    guard key.utf8.last == UInt8(ascii: "]"),
      let sign = key.utf8.lastIndex(of: UInt8(ascii: "[")),
      key[sign...].utf8.dropFirst().first == UInt8(ascii: "$")
    else { return (key, Flags([])) }
    return (String(key[..<sign]), Flags(key[sign...].utf8.dropFirst(2).dropLast()))
  }

  /// A value as the copy has it.
  static func value(_ text: String, _ flags: Flags) -> PreferenceValue {
    let text = plain(text)
    return flags.expands ? .dictionary([tag: .string(text)]) : .string(text)
  }

  // MARK: What programs see

  func layers(of key: String, in domain: String) throws -> [LayeredValue]? {
    let (file, _) = Self.place(domain)
    return try KConfigCascade(file, withGlobals: true, environment)
      .layers(of: key, in: domain, Self.group(domain))
  }

  func keys(in domain: String) throws -> Set<String>? {
    let (file, _) = Self.place(domain)
    return try KConfigCascade(file, withGlobals: true, environment).keys(in: Self.group(domain))
  }

  private static func group(_ domain: String) -> String {
    domain.halves(at: ":").map { String($0.after) } ?? ""
  }

  /// A value without KConfig's escapes.
  static func plain(_ text: String) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
        bytes.append(byte)
        continue
      }
      switch escape {
      case UInt8(ascii: "n"): bytes.append(10)
      case UInt8(ascii: "t"): bytes.append(9)
      case UInt8(ascii: "r"): bytes.append(13)
      case UInt8(ascii: "s"): bytes.append(32)
      case UInt8(ascii: "x"):
        let digits = String(decoding: rest.prefix(2), as: UTF8.self)
        if let number = UInt8(digits, radix: 16) {
          bytes.append(number)
          rest = rest.dropFirst(2)
        }
      default: bytes.append(escape)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  func push(_ changes: [DesktopChange]) throws {
    for change in changes {
      // Also of what came from a file: nothing outside of the folder is written.
      _ = try domain(named: change.domain)
      let (file, groups) = Self.place(change.domain)
      var words = ["--file", file]
      for group in groups { words += ["--group", group] }
      if groups.isEmpty { words += ["--group", "<default>"] }
      words += ["--key", change.key]
      if let lock = try KConfigCascade(file, withGlobals: false, environment)
        .lock(of: change.key, in: Self.group(change.domain))
      {
        throw DefaultsRefusal(
          "\(change.domain) \(change.key) is locked in \(lock).\nDefaults have not been changed.")
      }
      if let value = change.value, let text = Self.expanded(value) {
        words += ["--type", "path", "--", try path(text, change)]
      } else if let value = change.value {
        guard let text = Self.text(value) else {
          throw DefaultsRefusal(
            "\(change.domain) \(change.key): KConfig has texts, numbers and booleans.")
        }
        words += ["--", text]
      } else {
        words += ["--delete", "--", ""]
      }
      try run(words)
    }
  }

  /// The text that KConfig expands; `nil` for any other value.
  private static func expanded(_ value: PreferenceValue) -> String? {
    guard case .dictionary(let entries) = value, entries.count == 1,
      case .string(let text)? = entries[tag]
    else { return nil }
    return text
  }

  /// The path that `kwriteconfig5` writes as a text to expand: it puts `$HOME` in the place of the
  /// home, and knows no other variable.
  private func path(_ text: String, _ change: DesktopChange) throws -> String {
    let (name, rest) = ("$HOME", text.utf8.dropFirst(5))
    let isOfHome = text == name || text.begins(with: "\(name)/")
    guard isOfHome ? !rest.contains(UInt8(ascii: "$")) : !text.utf8.contains(UInt8(ascii: "$")),
      let home = environment["HOME"]
    else {
      throw DefaultsRefusal(
        "\(change.domain) \(change.key): of texts to expand, KConfig's own programs write paths "
          + "below $HOME alone.\nDefaults have not been changed. Edit the file.")
    }
    return isOfHome ? home + String(decoding: Array(rest), as: UTF8.self) : text
  }

  /// A value as KConfig writes it; `nil` for one that it cannot have.
  static func text(_ value: PreferenceValue) -> String? {
    switch value {
    case .string(let text): text
    case .boolean(let flag): flag ? "true" : "false"
    case .integer(let number): String(number)
    case .real(let number): "\(number)"
    default: nil
    }
  }

  func kept(
    _ value: PreferenceValue, of key: String, in domain: String
  ) -> PreferenceValue { Self.text(value).map { .string($0) } ?? value }

  func isSame(
    _ first: PreferenceValue?, _ second: PreferenceValue?, of key: String, in domain: String
  ) -> Bool {
    guard let first, let second else { return first == nil && second == nil }
    if Self.expanded(first) != nil || Self.expanded(second) != nil { return first == second }
    return Self.text(first) != nil && Self.text(first) == Self.text(second)
  }

  private func run(_ words: [String]) throws {
    var surroundings = ChildProgram.Surroundings()
    surroundings.patience = 30
    surroundings.variables = DesktopEnvironment.variables(of: environment)
      .merging(["QT_QPA_PLATFORM": "offscreen"]) { $1 }
    for program in ["kwriteconfig6", "kwriteconfig5"] {
      guard
        let run = try ChildProgram.capture([program] + words, limit: 1 << 20, in: surroundings),
        run.exitStatus != 127
      else { continue }
      guard run.isSuccess else {
        let lines = String(decoding: run.errors, as: UTF8.self).parts(at: "\n")
        throw DefaultsRefusal(
          "\(program) could not write: \(lines.first.map { Quoting.visible(String($0)) } ?? "it gives no reason")\n"
            + "The administrator may have locked the key. Defaults have not been changed.")
      }
      return
    }
    throw DefaultsRefusal(
      "kwriteconfig5 could not be started; the package libkf5config-bin has it.")
  }

  func schema(of domain: String) -> PreferenceSchema? { nil }

  func files(of known: Set<String>) -> [(folder: String, name: String)] {
    guard let folder = try? folder() else { return [] }
    return Set(known.map { Self.place($0).file }).sorted().map { (folder, $0) }
  }
}
