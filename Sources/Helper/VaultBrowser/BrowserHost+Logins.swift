import FoundationEssentials
import VaultCredentials
import VaultOneTimeCodes
import VaultPasswords
import VaultProtocols
import VaultSealing
import VaultStorage

// What a browser fills in.

extension BrowserHost {
  static let maximumAddress = 8192

  /// `get-logins {url, submitUrl, httpAuth, keys}`.
  func getLogins(_ inner: JSONValue, _ exchange: Exchange) throws {
    let logins = try read()
    let association = try requireKey(among: inner["keys"], in: logins.snapshot).item.id
    let page = try page(inner)
    let target = Target(inner, page)
    let found = logins.matching(page)
    guard !found.isEmpty else { throw BrowserError.noLogins }
    try ask(found.map { question(for: $0, at: page, target, association) }, exchange) {
      [self] approvals in
      try give(
        zip(found, approvals).map { ($0.item, $1) }, at: page, to: association, exchange)
    }
  }

  /// The address of the page that a request is for.
  func page(_ inner: JSONValue) throws -> SiteAddress {
    guard let url = Self.text(inner, "url", Self.maximumAddress), let page = SiteAddress(page: url)
    else { throw BrowserError.noAddress }
    return page
  }

  /// Where a form is sent, as far as that is another place than the page.
  private struct Target {
    /// The other place, in words; `nil` if there is none.
    let other: String?
    let isHTTPAuthentication: Bool

    init(_ inner: JSONValue, _ page: SiteAddress) {
      isHTTPAuthentication = inner["httpAuth"]?.scalarText == "true"
      switch inner["submitUrl"] {
      case nil, .string("")?: other = nil
      case .string(let text)?:
        if let address = SiteAddress(page: text) {
          other = address.isSameOrigin(as: page) ? nil : address.origin
        } else {
          other = "an address that is none of a site"
        }
      default: other = "an address that is none of a site"
      }
    }
  }

  private func question(
    for login: BrowserLogins.Login, at page: SiteAddress, _ target: Target, _ association: String
  ) -> (question: BrowserQuestion, known: Approval?) {
    let name = Quoting.visible(login.item.name.text)
    var words =
      target.isHTTPAuthentication
      ? "wants to log in to \(page.origin) by HTTP authentication with '\(name)'."
      : "wants to fill in '\(name)' at \(page.origin)."
    if let other = target.other { words += " The form sends it to \(Quoting.visible(other))." }
    if page.scheme == .http { words += " It is not encrypted on its way." }
    let browser = options.browser.executable ?? ""
    let question = BrowserQuestion(
      item: login.item.name.text, site: page.origin, words: words,
      identity:
        "browser \(target.isHTTPAuthentication ? "http " : "")\(browser)\n"
        + "\(options.browser.profile)\n\(login.item.id)\n\(page.origin)\n"
        + (target.other ?? ""),
      isKept: !target.isHTTPAuthentication,
      mayBeAlways: !target.isHTTPAuthentication && target.other == nil)
    guard question.isKept else { return (question, nil) }
    if let standing = options.standing(question.identity) { return (question, standing) }
    if question.mayBeAlways,
      BrowserAssociation.isAllowed(
        login.item, at: page.origin, for: association, key: dataKey)
    {
      return (question, Approval(isAllowed: true, by: "the item, kept"))
    }
    return (question, nil)
  }

  /// Gives what was allowed, from the vault as it is now.
  private func give(
    _ answered: [(item: Item, approval: Approval)], at page: SiteAddress, to association: String,
    _ exchange: Exchange
  ) throws {
    var logins = try read()
    let kept = answered.filter { $0.approval.isAllowed && $0.approval.isAlways }.map(\.item)
    if !kept.isEmpty {
      do {
        try allow(kept, at: page, for: association)
      } catch {
        // It was allowed all the same, and holds this once.
        options.warn("'always' could not be kept with the item, and holds this once")
      }
      logins = try read()
    }
    var entries: [JSONValue] = []
    var uses: [Usage] = []
    for (item, approval) in answered {
      // It may be another's by now, or for another site.
      guard let login = logins.login(withID: item.id, for: page) else { continue }
      let account = UsageAccount(purpose: page.origin, by: approval.by)
      guard approval.isAllowed else {
        uses.append(Usage(login.item, verb: .browser, isAllowed: false, account: account))
        continue
      }
      guard let entry = try entry(login, in: logins.snapshot) else { continue }
      entries.append(entry)
      uses.append(Usage(login.item, verb: .browser, account: account))
      exchange.client.given[item.id] = page
    }
    logins.snapshot.record(uses, by: options.browser.caller)
    guard !entries.isEmpty else { throw BrowserError.denied }
    reply(
      [
        ("count", .string(String(entries.count))), ("entries", .array(entries)),
        ("hash", .string(try hash())),
      ], to: exchange)
  }

  /// Keeps with items that nobody is asked for a site any more.
  private func allow(_ items: [Item], at page: SiteAddress, for association: String) throws {
    // Before the change: it may have to be made, which is one of its own.
    let key = try proofKey()
    try change { edit in
      for item in items {
        guard let current = edit[item.name], current.id == item.id,
          let attributes = try BrowserAssociation.attributes(
            of: current, allowing: page.origin, for: association, key: key, earlier: dataKey)
        else { continue }
        var changes = ItemChanges()
        changes.attributes = attributes
        _ = try edit.update(item.name, changes)
      }
    }
  }

  /// A login as the extension takes it; `nil` if its secret is no text.
  ///
  /// What looks like a reference to another item is text like any other.
  private func entry(
    _ login: BrowserLogins.Login, in snapshot: VaultSnapshot
  ) throws -> JSONValue? {
    guard let password = try snapshot.secret(of: login.item).text else { return nil }
    let parts = login.item.name.text.parts(at: "/")
    var members: [(String, JSONValue)] = [
      ("login", .string(login.user)), ("name", .string(login.item.name.text)),
      ("password", .string(password)), ("uuid", .string(login.item.id)),
      ("group", .string(parts.dropLast().joined(separator: "/"))),
      ("totp", .string(try code(of: login.item, in: snapshot) ?? "")), ("stringFields", .array([])),
    ]
    if let expires = login.item.expires, expires <= Date() {
      members.append(("expired", .string("true")))
    }
    return .object(members)
  }

  /// The one-time code of an item by time; `nil` if it has none, or one that counts.
  private func code(of item: Item, in snapshot: VaultSnapshot) throws -> String? {
    let seed: Secret
    do {
      seed = try snapshot.secret(of: item, field: "otp")
    } catch let error as CredentialError where error.code == .fieldNotFound {
      return nil
    }
    guard let generator = try? OneTimeGenerator(seed.bytes), generator.kind == .totp else {
      return nil
    }
    return try generator.code(at: Int64(Date().timeIntervalSince1970)).text.text
  }

  /// `get-totp {uuid}`: of a login that was given before.
  func getCode(_ inner: JSONValue, _ exchange: Exchange) throws {
    try requireAssociation(exchange)
    let logins = try read()
    let snapshot = logins.snapshot
    guard let id = Self.text(inner, "uuid", 64), let page = exchange.client.given[id],
      // It may have left the site since.
      let item = logins.login(withID: id, for: page)?.item,
      let code = try code(of: item, in: snapshot)
    else { throw BrowserError.unknownItem }
    snapshot.record(
      [Usage(item, field: .named("otp"), verb: .browser)], by: options.browser.caller)
    reply([("totp", .string(code))], to: exchange)
  }

  /// `generate-password`.
  func generatePassword(_ exchange: Exchange) throws {
    try requireAssociation(exchange)
    let password = try PasswordRecipe().makePassword()
    reply([("password", .string(password.text ?? ""))], to: exchange)
  }
}
