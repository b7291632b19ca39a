import FoundationEssentials
import VaultCredentials
import VaultStorage

/// Names for completion: silent and quick.
///
/// What is in the vault is known by the session alone: nothing is asked, waited for, or fetched from a
/// keyring.
struct LiveNames: Completer.NameSource {
  func names(for value: String, words: [String], positionals: [String]) -> [String] {
    let settings = Self.settings(of: words)
    switch value {
    case "vault": return vaults(settings)
    case "words": return preferences(settings, positionals)
    case "store": return ((try? FoundStore.all()) ?? []).map(\.name)
    case "entity", "sort": return stored(value, positionals)
    default: break
    }
    guard let locked = try? settings.locked(),
      let open = try? locked.blocking.unlock(with: Doors.sessionOnly)
    else { return [] }
    let vault = open.blocking
    switch value {
    case "name", "names", "new-name": return ((try? vault.items()) ?? []).map(\.name.text)
    case "tag": return Set(((try? vault.items()) ?? []).flatMap(\.tags)).sorted()
    case "slot":
      return ((try? vault.slots()) ?? []).map {
        $0.label.isEmpty ? String($0.id.prefix(8)) : $0.label
      }
    case "field":
      guard let first = positionals.first, let name = try? ItemName(first) else { return [] }
      return (try? vault.fields(of: name)) ?? []
    default: return []
    }
  }

  /// Which vault the line means.
  private static func settings(of words: [String]) -> VaultSettings {
    var settings = VaultSettings()
    settings.home = value(of: "--home", in: words)
    settings.vaultName = value(of: "--vault", in: words)
    return settings
  }

  private static func value(of option: String, in words: [String]) -> String? {
    for (index, word) in words.enumerated() {
      if word == option, words.indices.contains(index + 1) { return words[index + 1] }
      if word.hasPrefix("\(option)=") { return String(word.dropFirst(option.count + 1)) }
    }
    return nil
  }

  /// The vaults beside the default one.
  private func vaults(_ settings: VaultSettings) -> [String] {
    guard let location = try? settings.location(),
      let folder = try? Directory("\(location.data)/secrets"), let names = try? folder.names()
    else { return [] }
    return names.filter { $0.hasSuffix(".vault") && !$0.hasPrefix(".") }
      .map { String($0.dropLast(".vault".count)) }.sorted()
  }

  /// Entities of the store on the line, or properties of the entity; read from its metadata.
  private func stored(_ value: String, _ positionals: [String]) -> [String] {
    guard let word = positionals.first, let store = try? FoundStore(word) else { return [] }
    let schema = store.metadata.schema
    if value == "entity" { return schema.entities.map(\.name) }
    guard positionals.count > 1,
      let query = try? StoreQuery(entity: positionals[1], of: schema)
    else { return [] }
    return query.fields.map(\.name)
  }

  /// Verbs and domains of `vault defaults`; no vault is opened for them.
  private func preferences(_ settings: VaultSettings, _ positionals: [String]) -> [String] {
    switch positionals.count {
    case 0: return Self.defaultsVerbs
    case 1:
      return lines(of: ["domains"], settings).flatMap { $0.split(separator: ", ") }.map(String.init)
    default: return []
    }
  }

  private func lines(of words: [String], _ settings: VaultSettings) -> [Substring] {
    var output: [UInt8] = []
    let tool = DefaultsTool(
      location: { try settings.location() },
      streams: DefaultsTool.Streams(output: { output += $0 }, error: { _ in }, input: { [] }))
    guard tool.run(words) == 0 else { return [] }
    return String(decoding: output, as: UTF8.self).split(separator: "\n")
  }

  // The parser does not know them: their lines go to DefaultsTool as they are.
  private static let defaultsVerbs = [
    "read", "read-type", "write", "delete", "delete-all", "rename", "domains", "find", "export",
    "import",
    "watch", "history", "undo", "snapshot", "diff", "protect", "unprotect", "recover", "help",
  ]
}
