import VaultCredentials
import VaultOneTimeCodes
import VaultSealing
import VaultStorage
import VaultTerminal

/// Reads what references point to: one opening of each vault, one read for plain items.
final class ReferenceReading {
  private let settings: VaultSettings
  private var vaults: [String?: UnlockedVault.Blocking] = [:]
  private var prefetched: [String?: [ItemName: Secret]] = [:]
  /// References that name nothing, in the order they were met.
  private(set) var missing: [SecretReference] = []

  init(_ settings: VaultSettings) { self.settings = settings }

  deinit { Notices.tell() }

  /// Reads the main secrets of all `references` in one go.
  func prefetch(_ references: [SecretReference]) throws {
    for (vault, members) in Dictionary(grouping: references, by: \.vaultName) {
      let plain = members.filter { ($0.field ?? "").isEmpty && $0.attribute == nil }
      guard !plain.isEmpty else { continue }
      let names = try plain.map { try ItemName($0.name) }
      prefetched[vault] = try open(vault).get(names)
    }
  }

  /// The bytes of a reference; `nil` if it names nothing, which is noted.
  func value(of reference: SecretReference) throws -> SecretBytes? {
    let name = try ItemName(reference.name)
    do {
      let secret = try bytes(of: reference, name)
      return try reference.encoding?.encode(secret) ?? secret
    } catch let error as CredentialError
      where [.itemNotFound, .fieldNotFound].contains(error.code)
    {
      if let fallback = reference.fallback { return try SecretBytes(copying: Array(fallback.utf8)) }
      if !missing.contains(reference) { missing.append(reference) }
      return nil
    }
  }

  /// Text with its references filled in; `nil` if one of them names nothing.
  func value(of parts: [ReferenceText.Part]) throws -> SecretBytes? {
    var pieces: [SecretBytes] = []
    var isComplete = true
    for part in parts {
      switch part {
      case .text(let text): pieces.append(try SecretBytes(copying: Array(text.utf8)))
      case .reference(let reference):
        if let value = try value(of: reference) { pieces.append(value) } else { isComplete = false }
      }
    }
    return isComplete ? try SecretInput.joined(pieces) : nil
  }

  /// All references that name nothing, as one error; nothing has been started or written.
  func throwIfMissing() throws {
    guard !missing.isEmpty else { return }
    let names = missing.map(\.shownName)
    throw CommandError(
      .itemNotFound,
      "\(missing.count == 1 ? "an item is" : "\(missing.count) items are") missing: "
        + names.joined(separator: ", "),
      hint: "'vault list' shows the names of all items")
  }

  private func bytes(of reference: SecretReference, _ name: ItemName) throws -> SecretBytes {
    let vault = try open(reference.vaultName)
    switch reference.attribute {
    case .fingerprint:
      let fingerprint = try vault.fingerprint(of: name, field: reference.field)
      return try SecretBytes(copying: Array(fingerprint.hash.utf8))
    case .expiry:
      let expires = try vault.item(name).expires.map(Timestamp.text) ?? ""
      return try SecretBytes(copying: Array(expires.utf8))
    case .otp:
      return try OneTimeCodeReading(of: name, field: reference.field, in: vault).code.text
    case nil:
      if (reference.field ?? "").isEmpty, let known = prefetched[reference.vaultName]?[name] {
        return known.bytes
      }
      return try vault.get(name, field: reference.field).bytes
    }
  }

  private func open(_ name: String?) throws -> UnlockedVault.Blocking {
    if let vault = vaults[name] { return vault }
    let locked = try settings.locked(named: name)
    let doors = UnlockSources(settings: settings, vault: locked)
    let open = try locked.blocking.unlock(with: doors.sources())
    Notices.watch(open)
    vaults[name] = open.blocking
    return open.blocking
  }
}
