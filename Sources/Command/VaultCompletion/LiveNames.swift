import FoundationEssentials
import VaultCommandCore
package import VaultCredentials
import VaultDataStore
import VaultProtocols
import VaultStorage

/// Names for completion, found silently and quickly.
///
/// Only what needs no question unlocks the vault here: a session, a key file, a keyring that is
/// open. Completion never prompts, nor waits for a person or for the cost of a passphrase.
package struct LiveNames: Completer.NameSource {
  package init() {}

  package func names(
    for value: String, typed: String, words: [String], positionals: [String]
  ) -> [String] {
    let settings = Self.settings(of: words)
    switch value {
    case "vault": return vaults(settings)
    case "words": return Self.preferences(settings).names(typed: typed, words: positionals)
    case "domain" where !words.contains("drop"): return Self.preferences(settings).domains()
    case "action": return CredentialProtocol(rawValue: positionals.first ?? "")?.actions ?? []
    case "store": return ((try? FoundStore.all().stores) ?? []).map(\.name)
    case "entity", "sort": return stored(value, positionals)
    default: break
    }
    guard let vault = Self.open(settings) else { return [] }
    switch value {
    case "name" where words.contains("restore"):
      return items(in: vault, typed) + trash(of: vault)
    case "name", "names", "new-name", "pattern", "glob":
      let names = items(in: vault, typed)
      return names
        + (Self.takingFolders.contains(where: words.contains) ? Self.folders(of: names) : [])
    case "fd", "file", "as-file": return items(in: vault, typed)
    // Most shells would have to quote the colon, and a plain name is a reference, too.
    case "reference":
      let scheme = SecretReference.scheme
      let start = typed.begins(with: scheme) ? String(typed.utf8.dropFirst(scheme.utf8.count)) : ""
      return items(in: vault, start ?? "").map { "\(scheme)\($0)" }
    case "stdin", "to-stdin": return items(in: vault, typed)
    case "env": return assignments(typed, in: vault)
    case "tag", "untag": return Set(((try? vault.items()) ?? []).flatMap(\.tags)).sorted()
    // Which these are is sealed.
    case "domain": return SyncedDomains.added(to: vault)
    case "attribute": return Self.attributes(typed, in: vault)
    case "slot":
      return ((try? vault.slots()) ?? []).map {
        $0.label.isEmpty ? String($0.id.prefix(8)) : $0.label
      }
    case "field", "open", "conceal":
      return Self.item(positionals).flatMap { try? vault.fields(of: $0) } ?? []
    case "revision":
      return Self.item(positionals).flatMap { try? vault.history(of: $0) }?
        .map { String($0.version) } ?? []
    default: return []
    }
  }

  /// The attributes that items have, and those that mean something to this program.
  ///
  /// Behind the equals sign come the values that items have: `show` shows them, too.
  private static func attributes(_ typed: String, in vault: UnlockedVault.Blocking) -> [String] {
    let items = ((try? vault.items()) ?? []).filter { !$0.isBookkeeping }
    guard let (name, _) = typed.halves(at: "=") else {
      return Set(items.flatMap(\.attributes.keys) + knownAttributes).sorted().map { "\($0)=" }
    }
    return Set(items.compactMap { $0.attributes[String(name)] }).sorted().map { "\(name)=\($0)" }
  }

  private static let knownAttributes = ["account", "askpass", "server", "service", "variable"]

  /// The verbs whose items may be folders.
  private static let takingFolders = ["run", "list", "remove", "rename", "copy", "export"]

  /// The folders with more than one item below them, with their slashes.
  private static func folders(of names: [String]) -> [String] {
    var counts: [String: Int] = [:]
    for name in names {
      for slash in name.utf8.indices where name.utf8[slash] == UInt8(ascii: "/") {
        counts[String(name[...slash]), default: 0] += 1
      }
    }
    return counts.filter { $0.value > 1 }.keys.sorted()
  }

  private static func preferences(_ settings: VaultSettings) -> PreferenceNames {
    PreferenceNames(location: { try settings.location() }, keys: { Self.open(settings) })
  }

  /// The vault that a line means, if it opens without a question.
  package static func vault(of words: [String]) -> UnlockedVault.Blocking? {
    open(settings(of: words))
  }

  /// Opens the vault with what needs no question; `nil` if that does not open it.
  private static func open(_ settings: VaultSettings) -> UnlockedVault.Blocking? {
    guard let vault = try? settings.locked(asksNobody: true) else { return nil }
    return try? vault.blocking.unlock(
      with: UnlockSources(settings: settings, vault: vault).atOnce()
    ).blocking
  }

  private static func item(_ positionals: [String]) -> ItemName? {
    positionals.first.flatMap { try? ItemName($0) }
  }

  /// The names of items that begin with what was typed; all of them where none does.
  private func items(in vault: UnlockedVault.Blocking, _ typed: String) -> [String] {
    let names = (try? vault.names(beginningWith: typed)) ?? []
    return names.isEmpty && !typed.isEmpty ? (try? vault.names(beginningWith: "")) ?? [] : names
  }

  private func trash(of vault: UnlockedVault.Blocking) -> [String] {
    var query = ItemQuery()
    query.isInTrash = true
    return (try? vault.readInPlace().names(matching: query)) ?? []
  }

  /// Completes the name after `VARIABLE=`.
  private func assignments(_ typed: String, in vault: UnlockedVault.Blocking) -> [String] {
    guard let equals = typed.unicodeScalars.firstIndex(of: "=") else { return [] }
    let start = String(typed.unicodeScalars[equals...].dropFirst())
    return items(in: vault, start).map { typed[...equals] + $0 }
  }

  /// The vault that the line means.
  private static func settings(of words: [String]) -> VaultSettings {
    var settings = VaultSettings()
    settings.home = value(of: "--home", in: words).map(withHome)
    settings.vaultName = value(of: "--vault", in: words)
    settings.keyFile = value(of: "--key-file", in: words).map(withHome)
    settings.usesSession = !words.contains("--no-session")
    settings.usesKeyring = !words.contains("--no-keyring")
    settings.keyringTimeout = 1
    return settings
  }

  /// The path with the home in the place of `~`, which no shell expands in words to be completed.
  private static func withHome(_ path: String) -> String {
    guard path == "~" || path.begins(with: "~/"), let home = StoreLocation.namedHome() else {
      return path
    }
    return home + path.dropFirst()
  }

  private static func value(of option: String, in words: [String]) -> String? {
    for (index, word) in words.enumerated() {
      if word == option, words.indices.contains(index + 1) { return words[index + 1] }
      if word.hasPrefix("\(option)=") { return String(word.dropFirst(option.count + 1)) }
    }
    return nil
  }

  /// The names of the vaults other than the default one.
  private func vaults(_ settings: VaultSettings) -> [String] {
    guard let location = try? settings.location(),
      let folder = try? Directory("\(location.data)/secrets"), let names = try? folder.names()
    else { return [] }
    return names.filter { $0.hasSuffix(".vault") && !$0.hasPrefix(".") }
      .map { String($0.dropLast(".vault".count)) }.sorted()
  }

  /// The entities of the store on the line, or the properties of the entity, from its metadata.
  private func stored(_ value: String, _ positionals: [String]) -> [String] {
    guard let word = positionals.first, let store = try? FoundStore(word) else { return [] }
    let schema = store.metadata.schema
    if value == "entity" { return schema.entities.map(\.name) }
    guard positionals.count > 1,
      let query = try? DataStoreQuery(entity: positionals[1], of: schema)
    else { return [] }
    return query.fields.map(\.name)
  }
}
