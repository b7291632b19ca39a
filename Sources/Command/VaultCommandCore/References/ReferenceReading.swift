package import VaultCredentials
import VaultExchange
import VaultOneTimeCodes
package import VaultProtocols
package import VaultSealing
import VaultStorage
import VaultTerminal

/// Reads the secrets that references name: each vault is opened once, and of its index only the
/// items are read that are asked for.
package final class ReferenceReading {
  private let settings: VaultSettings
  private var vaults: [Opened] = []
  /// The references that name nothing, in the order they were met.
  package private(set) var missing: [SecretReference] = []
  /// Whether what is read is kept in ``secrets``.
  package var keepsSecrets = false
  /// The secrets that were read, for a masked command.
  package private(set) var secrets: [SecretBytes] = []
  /// Whether somebody has what was read before: then nothing is told again, and an item that has
  /// expired, or two values, is an error.
  package var isRepeated = false
  /// Whether one-time codes are left out, of which a counted one changes the vault.
  package var leavesOutCodes = false
  /// The items of which it was said that they have expired.
  private var told: [String] = []
  private let verb: UsageRecord.Verb
  /// The secrets that were read and not yet recorded, with the names of their vaults.
  private var uses: [(vault: String?, use: Usage)] = []

  private struct Opened {
    let name: String?
    let vault: UnlockedVault.Blocking
    var snapshot: VaultSnapshot
    /// The items that were read; `nil` for all.
    var items: [ItemName]?

    func has(_ names: [ItemName]?) -> Bool {
      guard let items else { return true }
      return names?.allSatisfy(items.contains) ?? false
    }
  }

  /// Reads references.
  ///
  /// - Parameters:
  ///   - settings: How the vaults are opened.
  ///   - verb: What the secrets are for: ``recordUses()`` records it.
  package init(_ settings: VaultSettings, for verb: UsageRecord.Verb = .read) {
    self.settings = settings
    self.verb = verb
  }

  deinit { Notices.tell() }

  /// Opens the vaults of all references, so that nothing is asked for later.
  ///
  /// - Parameters:
  ///   - references: The references whose items are read.
  ///   - readsAll: Whether other items are asked for later, too.
  /// - Throws: `CredentialError` for an invalid name, or a vault that cannot be opened.
  package func open(_ references: [SecretReference], readsAll: Bool = false) throws {
    for reference in references { _ = try ItemName(reference.name) }
    for reference in references
    where !vaults.contains(where: { $0.name == reference.vaultName }) {
      let names = try references.filter { $0.vaultName == reference.vaultName }
        .flatMap { try Self.items(of: $0) }
      _ = try opened(reference.vaultName, for: readsAll ? nil : names)
    }
  }

  /// Returns the bytes of a reference; if it names nothing, notes that and returns `nil`.
  package func value(of reference: SecretReference) throws -> SecretBytes? {
    let opened = try opened(for: reference)
    let (vault, snapshot) = (opened.vault, opened.snapshot)
    do {
      let name = try ItemName(reference.name)
      if let item = snapshot[name], item.expires != nil || item.conflictingVersion != nil {
        if isRepeated {
          try item.checkIsSettled()
        } else if !told.contains(item.id) {
          told.append(item.id)
          item.tellIfExpired()
          item.tellIfConflicting()
        }
      }
      guard reference.attribute == .otp else {
        // Below: what stands for a missing secret is none.
        var exact = reference
        exact.fallback = nil
        let value = try exact.value(in: snapshot)
        if reference.attribute == nil,
          let item = snapshot[name] ?? name.splittingVersion.flatMap({ snapshot[$0.name] })
        {
          let use = Usage(item, field: .init(reference.field), verb: verb, account: .stated)
          uses.append((reference.vaultName, use))
          // As it is in the vault, whatever the reference makes of it; not what stands in for it.
          if keepsSecrets {
            var plain = exact
            plain.encoding = nil
            plain.member = nil
            let secret = try plain.value(in: snapshot)
            secrets.append(secret)
            // A member as it is in the document, and as it was encoded.
            if reference.member != nil { secrets.append(try exact.selected(from: secret)) }
            if reference.encoding != nil { secrets.append(value) }
          }
        }
        return value
      }
      if leavesOutCodes {
        guard snapshot[name] != nil else {
          throw CredentialError(.itemNotFound, "no item \(reference.shownName)")
        }
        return try SecretBytes(copying: [])
      }
      // A counted code changes the vault, so it is not read from the snapshot.
      let code = try OneTimeCodeReading(of: name, field: reference.field, in: vault, for: verb)
        .code.text
      if keepsSecrets { secrets.append(code) }
      return try reference.encoding?.encode(code) ?? code
    } catch let error as CredentialError
      where [.itemNotFound, .fieldNotFound].contains(error.code)
    {
      if let fallback = reference.fallback { return try SecretBytes(text: fallback) }
      if !missing.contains(reference) { missing.append(reference) }
      return nil
    }
  }

  /// Records the secrets that were read since the last call, before they are given away.
  package func recordUses() {
    for opened in vaults {
      opened.snapshot.record(uses.filter { $0.vault == opened.name }.map(\.use))
    }
    uses = []
  }

  /// Returns text with its references filled in; `nil` if one of them names nothing.
  package func value(of parts: [ReferenceText.Part]) throws -> SecretBytes? {
    var pieces: [SecretBytes] = []
    var isComplete = true
    for part in parts {
      switch part {
      case .text(let text): pieces.append(try SecretBytes(copying: Array(text.utf8)))
      case .reference(let reference):
        if let value = try value(of: reference) { pieces.append(value) } else { isComplete = false }
      }
    }
    return isComplete ? try SecretBytes.joined(pieces) : nil
  }

  /// The vault with all its items.
  package func snapshot(of name: String?) throws -> VaultSnapshot {
    try opened(name, for: nil).snapshot
  }

  /// The vault of a reference, with the item that it names.
  private func snapshot(for reference: SecretReference) throws -> VaultSnapshot {
    try opened(for: reference).snapshot
  }

  /// The variable with the name that its item chooses, if it chooses one.
  package func named(_ variable: RunVariable) throws -> RunVariable {
    guard variable.isNamedByItem, let reference = variable.references.first else { return variable }
    guard let item = try snapshot(for: reference)[ItemName(reference.name)],
      let name = item.attributes[EnvironmentVariable.attribute], EnvironmentVariable.isValid(name)
    else {
      try variable.checkSteering(reference.name)
      return variable
    }
    // Whoever may change the item, but not this line, would choose what its program runs.
    guard !EnvironmentVariable.steersPrograms(name) else {
      StandardError.warning(
        "'\(Quoting.visible(reference.name))' asks for the variable \(name), which makes programs run "
          + "other code or read other files; it is set as \(variable.name)",
        hint: RunVariable.advice(name, reference.name))
      try variable.checkSteering(reference.name)
      return variable
    }
    return RunVariable(name: name, parts: variable.parts, place: variable.place)
  }

  /// Notes the references that name nothing, without reading a secret or counting a code.
  package func check(_ references: [SecretReference]) throws {
    for reference in references where reference.fallback == nil {
      let snapshot = try snapshot(for: reference)
      let name = try ItemName(reference.name)
      var isThere = false
      if let item = snapshot[name] {
        isThere = try reference.field.map { try snapshot.fields(of: item).contains($0) } ?? true
      }
      if !isThere, !missing.contains(reference) { missing.append(reference) }
    }
  }

  /// Why a reference names nothing: there is no such item, or the item has no such field.
  package func reason(for reference: SecretReference) -> String {
    let name = try? ItemName(reference.name)
    if let name, let snapshot = try? snapshot(for: reference), let item = snapshot[name] {
      let fields = (try? snapshot.fields(of: item)) ?? []
      if let field = reference.field, reference.member == nil || !fields.contains(field) {
        return "\(Quoting.visible(reference.name)) has no field \(Quoting.visible(field))"
      }
      if let member = reference.member {
        return
          "the JSON of \(Quoting.visible(reference.name)) has no member \(Quoting.visible(member))"
      }
    }
    return "no item \(reference.shownName)"
  }

  /// Throws one error for all references that name nothing, before anything is started or written.
  package func throwIfMissing() throws {
    guard let first = missing.first else { return }
    if missing.count == 1, let error = try missingField(of: first) { throw error }
    let names = missing.map(\.shownName)
    throw CommandError(
      .itemNotFound,
      "\(missing.count == 1 ? "an item is" : "\(missing.count) items are") missing: "
        + names.joined(separator: ", "),
      hint: hintForMissing())
  }

  /// What may have been meant by the first reference that names nothing.
  package func hintForMissing() -> String {
    let list = "'\(ProgramName.current) list' shows the names of all items"
    let standard =
      missing.first?.variable.map {
        "--env takes the name of an item; a value of your own: \($0)=VALUE \(ProgramName.current) run "
          + "…; \(list)"
      } ?? list
    if let first = missing.first, let error = try? missingField(of: first), let hint = error.hint {
      return hint
    }
    guard let first = missing.first,
      let opened = vaults.first(where: { $0.name == first.vaultName }),
      let names = try? opened.vault.names(beginningWith: ""), names.count <= 5000
    else { return standard }
    if let trashed = VaultSettings.hintForTrash(
      try? ItemName(first.name), in: opened.vault, named: first.vaultName)
    {
      return trashed
    }
    // `run work` for the folder.
    if names.contains(where: { $0.utf8.starts(with: "\(first.name)/".utf8) }) {
      var folder = first
      folder.name += "/"
      return "did you mean the folder: \(Quoting.visible(folder.shownName))"
    }
    // `secret://work/github/user` for the field.
    if let slash = first.name.utf8.lastIndex(of: UInt8(ascii: "/")), first.field == nil,
      names.contains(String(first.name[..<slash]))
    {
      var field = SecretReference(name: String(first.name[..<slash]))
      field.vaultName = first.vaultName
      // In other programs' references the main secret has a name.
      if ["/password", "/secret", "/value"].contains(String(first.name[slash...])) {
        return "the secret itself: \(Quoting.visible(field.fullText))"
      }
      field.field = String(first.name.utf8[slash...].dropFirst())
      return "did you mean the field: \(Quoting.visible(field.fullText))"
    }
    return Suggestion.nearest(to: first.name, among: names)
      .map { "did you mean: \(Quoting.visible($0))" } ?? standard
  }

  /// The error for a field that an item does not have, or a member that its JSON has not; `nil` if the
  /// item itself is missing.
  private func missingField(of reference: SecretReference) throws -> CommandError? {
    let snapshot = try snapshot(for: reference)
    guard let item = try snapshot[ItemName(reference.name)] else { return nil }
    let fields = try snapshot.fields(of: item)
    if let member = reference.member, reference.field.map(fields.contains) ?? true {
      return CommandError(
        .fieldNotFound,
        "the JSON of \(Sanitizer.visible(reference.name)) has no member \(Sanitizer.visible(member))",
        hint: "null counts as none; a text for that case: '?json=\(Sanitizer.visible(member))"
          + "&default=TEXT'")
    }
    guard let field = reference.field else { return nil }
    let others = fields.map(Sanitizer.visible).joined(separator: ", ")
    return CommandError(
      .fieldNotFound,
      "\(Sanitizer.visible(reference.name)) has no field \(Sanitizer.visible(field))",
      hint: fields.isEmpty
        ? "it has no fields: leave #\(Sanitizer.visible(field)) out" : "it has: \(others)")
  }

  private func opened(for reference: SecretReference) throws -> Opened {
    try opened(reference.vaultName, for: Self.items(of: reference))
  }

  /// The items that a reference may mean: `NAME@3` is an item of that name, or a version of NAME.
  private static func items(of reference: SecretReference) throws -> [ItemName] {
    let name = try ItemName(reference.name)
    return [name] + (name.splittingVersion.map { [$0.name] } ?? [])
  }

  /// Opens a vault, unless it is open, and reads these items of it; `nil` for all.
  private func opened(_ name: String?, for items: [ItemName]?) throws -> Opened {
    if let place = vaults.firstIndex(where: { $0.name == name }) {
      if !vaults[place].has(items) {
        vaults[place].snapshot = try vaults[place].vault.read()
        vaults[place].items = nil
      }
      return vaults[place]
    }
    let locked = try settings.locked(named: name, asksNobody: settings.isUnattended)
    let sources = UnlockSources(settings: settings, vault: locked)
    let open = try locked.blocking.unlock(
      with: settings.isUnattended ? sources.withoutAsking().map(\.source) : sources.sources())
    if !isRepeated { Notices.watch(open) }
    let snapshot = try items.map { try open.blocking.read(only: $0) } ?? open.blocking.read()
    let opened = Opened(name: name, vault: open.blocking, snapshot: snapshot, items: items)
    vaults.append(opened)
    return opened
  }
}
