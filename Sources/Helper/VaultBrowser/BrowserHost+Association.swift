import VaultCredentials
import VaultProtocols
import VaultSealing
import VaultStorage

// Which browsers are let in: a person says so once, and the extension shows its key from then on.

extension BrowserHost {
  private static let maximumKeys = 64

  /// `associate {key, idKey}`.
  func associate(_ inner: JSONValue, _ exchange: Exchange) throws {
    _ = try read()
    let browser = options.browser
    guard let key = Self.bytes(inner, "key", 32), let own = Self.bytes(inner, "idKey", 32),
      // Whoever has sealed this has that key.
      key == exchange.client.publicKey,
      // One whose file nobody vouches for could be any.
      let executable = browser.executable
    else { throw BrowserError.associationFailed }
    let idKey = Base64Text.encode(own)
    let profile = browser.profile.isEmpty ? "" : ", profile \(Quoting.visible(browser.profile))"
    let question = BrowserQuestion(
      item: "the vault",
      words: "wants to be associated with the vault\(profile). It could then ask for the logins of "
        + "any site.",
      // "Never" is for this browser, whatever key it comes with.
      identity: "browser associate \(executable)\n\(browser.profile)", isKept: false)
    // One key is asked about at a time: a yes is for the one that was shown.
    endWaiting(for: exchange.action)
    try ask([(question, nil)], exchange) { [self] approvals in
      guard let approval = approvals.first, approval.isAllowed else { throw BrowserError.denied }
      let snapshot = try read().snapshot
      let draft = try BrowserAssociation.draft(
        key: idKey, browser: executable, profile: browser.profile, user: browser.user
      ) { snapshot[$0] != nil }
      try change { edit in
        guard edit[draft.name] == nil else { throw BrowserError.associationFailed }
        _ = try edit.store(draft)
      }
      let stored = try read().snapshot
      if let item = stored[draft.name] {
        stored.record(
          [
            Usage(
              item, verb: .browserStore,
              account: UsageAccount(purpose: "an association", by: approval.by))
          ], by: browser.caller)
      }
      exchange.client.association = stored[draft.name]?.id
      reply([("hash", .string(try hash())), ("id", .string(draft.name.text))], to: exchange)
    }
  }

  /// `test-associate {id, key}`.
  func testAssociation(_ inner: JSONValue, _ exchange: Exchange) throws {
    let snapshot = try read().snapshot
    guard let id = Self.text(inner, "id", ItemName.maximumLength),
      let association = try association(inner, id, in: snapshot)
    else { throw BrowserError.associationFailed }
    exchange.client.association = association.item.id
    reply([("hash", .string(try hash())), ("id", .string(id))], to: exchange)
  }

  /// The association whose key a request names; refuses one that names none of this browser.
  func requireKey(
    among keys: JSONValue?, in snapshot: VaultSnapshot
  ) throws -> BrowserAssociation {
    for key in (keys?.elements ?? []).prefix(Self.maximumKeys) {
      guard let id = Self.text(key, "id", ItemName.maximumLength) else { continue }
      if let found = try association(key, id, in: snapshot) { return found }
    }
    throw BrowserError.associationFailed
  }

  /// Refuses a request of one who has not shown a key since the vault was opened, or whose association
  /// was removed.
  func requireAssociation(_ exchange: Exchange) throws {
    let snapshot = try read().snapshot
    guard let shown = exchange.client.association,
      associations(in: snapshot).contains(where: { $0.item.id == shown })
    else { throw BrowserError.associationFailed }
  }

  private func associations(in snapshot: VaultSnapshot) -> [BrowserAssociation] {
    guard let executable = options.browser.executable else { return [] }
    return BrowserAssociation.all(in: snapshot).filter {
      $0.isOf(browser: executable, user: options.browser.user)
    }
  }

  /// The association of this browser whose name and key are shown; `nil` if there is none.
  private func association(
    _ object: JSONValue, _ id: String, in snapshot: VaultSnapshot
  ) throws -> BrowserAssociation? {
    guard let key = Self.bytes(object, "key", 32) else { return nil }
    let shown = try SecretBytes(text: Base64Text.encode(key))
    return try associations(in: snapshot).first { association in
      try association.item.name.text.isSame(as: id)
        && snapshot.secret(of: association.item).bytes.isEqual(to: shown)
    }
  }
}
