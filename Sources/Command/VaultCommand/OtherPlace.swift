import VaultCommandCore
import VaultCompletion
import VaultCredentials
import VaultStorage
import VaultTerminal

/// What stands behind `--vault` or `--home` where there is no vault, if it is the name of something
/// else: a folder that has a vault, a vault, an item or a folder of items.
struct OtherPlace {
  /// The line that was meant.
  let hint: String

  /// - Parameter typed: The line as it was typed; `nil` comes back where nothing else has the name.
  init?(_ typed: [String]) {
    let (options, rest) = CommandLineParsing.leadingOptions(typed)
    let words = options + rest.prefix { $0 != "--" }
    let vault = Self.value(of: "--vault", on: words)
    let home = Self.value(of: "--home", on: words)
    let verb = rest.first ?? "list"
    func line(_ place: String) -> String { "\(ProgramName.current) \(place) \(verb)" }
    switch (vault, home) {
    case (let name?, nil):
      if SecretInput.exists("\(name)/secrets.vault") {
        hint = "a vault in a folder: \(line("--home \(Quoting.typed("./\(name)"))"))"
      } else if let item = Self.item(name) {
        hint = item
      } else {
        return nil
      }
    case (nil, let name?):
      let vaults = (try? VaultList(VaultSettings()).vaults) ?? []
      guard vaults.contains(where: { $0.name == name }) else { return nil }
      hint = "the vault of that name: \(line("--vault \(Quoting.typed(name))"))"
    case (let name?, let home?):
      // The name is of a vault of the usual folder.
      let vaults = (try? VaultList(VaultSettings()).vaults) ?? []
      guard vaults.contains(where: { $0.name == name }), home != "." else { return nil }
      hint = "in the usual folder: \(line("--vault \(Quoting.typed(name))"))"
    case (nil, nil): return nil
    }
  }

  /// The line for an item or a folder of the usual vault, if that opens without a question.
  private static func item(_ name: String) -> String? {
    let names = (try? LiveNames.vault(of: [])?.names(beginningWith: name)) ?? []
    if names.contains(name) {
      return "an item of your vault: \(ProgramName.current) get \(Quoting.typed(name))"
    }
    guard names.contains(where: { $0.utf8.starts(with: "\(name)/".utf8) }) else { return nil }
    return "a folder of your vault: \(ProgramName.current) list \(Quoting.typed(name + "/"))"
  }

  private static func value(of option: String, on words: [String]) -> String? {
    for (word, next) in zip(words, words.dropFirst() + [""]) {
      if word == option, !next.isEmpty { return next }
      if word.begins(with: "\(option)=") { return String(word.dropFirst(option.utf8.count + 1)) }
    }
    return nil
  }
}
