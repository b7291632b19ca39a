import Glibc
import VaultPreferences
import VaultStorage
import VaultTerminal

/// KConfig's files, where KDE's programs keep what the user has set: read here, written by
/// `kwriteconfig6` or `kwriteconfig5`, which tell running programs and know what is locked.
///
/// A domain is a file of `XDG_CONFIG_HOME` with a group, such as `kdeglobals:General`, and with
/// another group inside of it `kdeglobals:A][B`. Names are those that programs use, without the
/// escapes of the file; translations are left out, and names that are no UTF-8. All values are
/// texts; bytes that are no UTF-8 are data. A value that KConfig expands, `key[$e]=$HOME/x`, is a
/// dictionary with the key `$expand` and the text, and `key[$d]`, which hides what weaker files
/// have, one with the key `$delete`.
final class KConfigSource: DesktopSource {
  static let prefix = "kconfig:"
  static let tag = "$expand"
  static let deletionTag = "$delete"
  /// `key[$d]`.
  private static let deletion: PreferenceValue = .dictionary([deletionTag: .boolean(true)])

  /// `kwriteconfig5` takes one key.
  static let setsAtOnce = false

  private let environment: [String: String]
  private var problems: [String] = []
  private var told: Set<String> = []

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
    return (file, groups(in: group))
  }

  /// The groups that lie in each other, of `A][B`; none for what stands above the first one.
  static func groups(in text: String) -> [String] {
    guard !text.isEmpty else { return [] }
    var groups: [String] = []
    var start = text.startIndex
    for mark in text.ranges(ofBytes: "][") {
      groups.append(String(text[start..<mark.lowerBound]))
      start = mark.upperBound
    }
    return groups + [String(text[start...])]
  }

  func part(of domain: String) -> String { Self.place(domain).file }

  private func folder() throws -> String {
    try StoreLocation.configuration { self.environment[$0] }
  }

  var folderOfSettings: String? { try? folder() }

  func current(beside known: Set<String>) throws -> [String: [String: PreferenceValue]] {
    let look = try look(at: known)
    if let refusal = look.unread.min(by: { $0.key < $1.key })?.value { throw refusal }
    return look.values
  }

  func look(at known: Set<String>) throws -> DesktopLook {
    var look = DesktopLook(values: [:])
    if let folder = try? folder(), !UserFile.isFolder(folder) {
      look.missing = DefaultsRefusal("Could not read \(folder): there is no such folder")
    }
    for file in parts(beside: known).sorted() {
      do {
        let path = "\(try folder())/\(file)"
        let present = try Self.file(path)
        if present?.groups.isEmpty != false {
          look.absent[file] = DefaultsRefusal(
            "Could not read \(path): it is \(present == nil ? "gone" : "empty")")
        }
        look.values.merge(Self.values(of: present, file)) { $1 }
      } catch let refusal as DefaultsRefusal {
        look.unread[file] = refusal
        problems.append("\(refusal.message ?? file); what is known of it is as it was")
      }
    }
    return look
  }

  func takeProblems() -> [String] {
    let new = Set(problems).subtracting(told)
    problems = []
    told.formUnion(new)
    return new.sorted()
  }

  /// The values of a file, by its domains.
  private static func values(
    of present: KeyFile?, _ file: String
  ) -> [String: [String: PreferenceValue]] {
    var found: [String: [String: PreferenceValue]] = [:]
    for group in present?.groups ?? [] {
      // [Group][$i] is locked, and has its name before that. [$i] locks the whole file.
      guard group.name != "$i", let name = name(ofGroup: group.name.substituting("][$i", with: ""))
      else { continue }
      for (key, text) in group.entries {
        guard let (key, flags) = entry(key) else { continue }
        found["\(file):\(name)", default: [:]][key] =
          flags.deletes ? deletion : value(text, flags)
      }
      for word in group.words {
        guard let (key, flags) = entry(word), flags.deletes else { continue }
        found["\(file):\(name)", default: [:]][key] = deletion
      }
    }
    return found
  }

  /// The groups of a file; `nil` if there is none.
  static func file(_ path: String) throws -> KeyFile? {
    do {
      guard let bytes = try UserFile.bytes(ofRegular: path, limit: 16 << 20) else {
        throw DefaultsRefusal("Could not read \(path): it is not a file")
      }
      guard !bytes.contains(where: isNoText) else {
        throw DefaultsRefusal("Could not read \(path): it is not a text")
      }
      return KeyFile(Self.escaped(bytes))
    } catch let error as System.Failure {
      if error.errno == ENOENT, UserFile.isLink(path) {
        throw DefaultsRefusal("Could not read \(path): it is a link to a file that is not there")
      }
      if error.errno == ENOENT { return nil }
      throw DefaultsRefusal("Could not read \(path): \(error.reason)")
    }
  }

  /// Whether a byte stands in no text: KConfig escapes it, and a file with one is damaged.
  private static func isNoText(_ byte: UInt8) -> Bool {
    byte < 0x20 && !(0x09...0x0d).contains(byte) && byte != 0x1b
  }

  /// A file's text, where the bytes of lines that are no UTF-8 are escaped as KConfig does it.
  static func escaped(_ bytes: [UInt8]) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    var lines: [String] = []
    for line in bytes.split(separator: 0x0a, omittingEmptySubsequences: false) {
      lines.append(escaped(line: Array(line)))
    }
    return lines.joined(separator: "\n")
  }

  private static func escaped(line: [UInt8]) -> String {
    if let text = String(validating: line, as: UTF8.self) { return text }
    var text = ""
    for byte in line {
      if byte < 0x80 {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        text += "\\x" + String(byte, radix: 16)
      }
    }
    return text
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
  /// KConfig's own programs do not write, and for a name that is no UTF-8.
  static func entry(
    _ key: String, withTranslations: Bool = false
  ) -> (name: String, flags: Flags)? {
    let (name, flags) = flags(of: key)
    // A bracket that is part of the name is escaped.
    guard withTranslations || name.utf8.last != UInt8(ascii: "]"),
      let plain = String(validating: bytes(name), as: UTF8.self)
    else { return nil }
    return (plain, flags)
  }

  /// The name of a group, as a domain has it: with `][` before another one inside of it; `nil` for
  /// one that has this in its own name, or that is no UTF-8.
  static func name(ofGroup text: String) -> String? {
    // What stands above the first group, by a header of its own.
    guard !text.isSame(as: "<default>") else { return "" }
    var names: [String] = []
    for group in groups(in: text) {
      guard let name = String(validating: bytes(group), as: UTF8.self),
        !name.contains(bytes: "][")
      else { return nil }
      names.append(name)
    }
    return names.joined(separator: "][")
  }

  /// A key without its flags, of which there may be several brackets, and these.
  private static func flags(of key: String) -> (name: String, flags: Flags) {
    var name = key[...]
    var signs: [UInt8] = []
    while name.utf8.last == UInt8(ascii: "]"),
      let sign = name.utf8.lastIndex(of: UInt8(ascii: "[")),
      name[sign...].utf8.dropFirst().first == UInt8(ascii: "$")
    {
      signs += Array(name[sign...].utf8.dropFirst(2).dropLast())
      name = name[..<sign]
    }
    return (String(name), Flags(signs))
  }

  /// A value as the copy has it.
  static func value(_ text: String, _ flags: Flags) -> PreferenceValue {
    let bytes = bytes(text)
    guard let text = String(validating: bytes, as: UTF8.self) else { return .data(bytes) }
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

  /// A text without KConfig's escapes.
  static func plain(_ text: String) -> String { String(decoding: bytes(text), as: UTF8.self) }

  /// The bytes that a text with KConfig's escapes stands for, as `KConfigIniBackend` reads it.
  private static func bytes(_ text: String) -> [UInt8] {
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
        guard digits.utf8.count == 2, let number = UInt8(digits, radix: 16) else {
          bytes.append(UInt8(ascii: "x"))
          rest = rest.dropFirst(2)
          continue
        }
        bytes.append(number)
        rest = rest.dropFirst(2)
      // Part of a list, which the program takes apart.
      case UInt8(ascii: ","), UInt8(ascii: ";"): bytes += [byte, escape]
      // What KConfig does not know is a backslash alone.
      default: bytes.append(byte)
      }
    }
    return bytes
  }

  func push(_ changes: [DesktopChange]) throws {
    let folder = try DesktopEnvironment.folderToWrite(environment)
    for change in changes {
      // Also of what came from a file: nothing outside of the folder is written.
      _ = try domain(named: change.domain)
      // It writes a backslash twice, and reads the first one as the beginning of an escape.
      guard let first = change.key.utf8.first, first != UInt8(ascii: "#"),
        change.value == nil || !change.key.utf8.contains(UInt8(ascii: "\\"))
      else {
        throw Self.refusal(change, "KConfig cannot read back such a key.")
      }
      let (file, groups) = Self.place(change.domain)
      var words = ["--file", file]
      for group in groups { words += ["--group", group] }
      if groups.isEmpty { words += ["--group", "<default>"] }
      words += ["--key", change.key]
      if let lock = try lock(of: change.key, in: change.domain) {
        throw DefaultsRefusal(
          "\(change.domain) \(change.key) is locked in \(lock).\nDefaults have not been changed.")
      }
      if let value = change.value, let text = Self.expanded(value) {
        words += ["--type", "path", "--", try path(text, change)]
      } else if let value = change.value, DesktopTag.of(value) != Self.deletionTag {
        if case .data = value {
          throw Self.refusal(
            change, "its bytes are no UTF-8, which KConfig's own programs cannot write.")
        }
        guard let text = Self.text(value) else {
          throw Self.refusal(change, "KConfig has texts, numbers and booleans.")
        }
        // What the kernel takes as one argument of a program.
        guard text.utf8.count < 128 << 10, !text.utf8.contains(0) else {
          throw Self.refusal(
            change, "KConfig's own programs take values up to 128 KiB, without a zero byte.")
        }
        words += ["--", text]
      } else {
        words += ["--delete", "--", ""]
      }
      try run(words)
      if change.value == nil {
        // KConfig's programs hide what a weaker file has; without a value of the user's it counts.
        let path = "\(folder)/\(file)"
        do {
          try KConfigEdit.removeDeletion(of: change.key, in: Self.group(change.domain), at: path)
        } catch let error as System.Failure {
          throw Self.refusal(change, "could not write \(path): \(error.reason).")
        }
      }
    }
  }

  private static func refusal(_ change: DesktopChange, _ reason: String) -> DefaultsRefusal {
    DefaultsRefusal(
      "\(Quoting.visible(change.domain)) \(Quoting.visible(change.key)): \(reason)\n"
        + "Defaults have not been changed.")
  }

  func lock(of key: String, in domain: String) throws -> String? {
    try KConfigCascade(Self.place(domain).file, withGlobals: false, environment)
      .lock(of: key, in: Self.group(domain))
  }

  func hasTaken(_ change: DesktopChange, _ found: PreferenceValue?) -> Bool {
    // Where no weaker file has the key, there is nothing to hide.
    if DesktopTag.of(change.value) == Self.deletionTag, found == nil { return true }
    return isSame(found, change.value, of: change.key, in: change.domain)
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
      let home = StoreLocation.namedHome({ environment[$0] })
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
    case .float(let number): "\(number)"
    case .unsignedInteger(let number): String(number)
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
    if first == second { return true }
    if Self.expanded(first) != nil || Self.expanded(second) != nil { return false }
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
            + "The folder or the file may be read-only. Defaults have not been changed.")
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
