import VaultCredentials
import VaultProtocols
import VaultSealing
import VaultStorage

// What a browser stores: new logins, new passwords of those that it has, folders.

extension BrowserHost {
  private static let maximumFolder = 512

  /// A login that is to be stored.
  private struct NewLogin {
    let user: String
    let password: SecretBytes
    let page: SiteAddress
  }

  /// `set-login {url, login, password, group, groupUuid, uuid}`.
  func setLogin(_ inner: JSONValue, _ exchange: Exchange) throws {
    try requireAssociation(exchange)
    let logins = try read()
    let page = try page(inner)
    guard let user = Self.text(inner, "login", ItemLimits.attributeValue),
      let password = Self.text(inner, "password", 64 << 10), ItemLimits.isPlain(user)
    else { throw BrowserError.unreadable }
    // An empty one would take the secret away.
    guard !password.isEmpty else { throw BrowserError.unreadable }
    let new = NewLogin(user: user, password: try SecretBytes(text: password), page: page)
    let id = Self.text(inner, "uuid", 64) ?? ""
    if !id.isEmpty {
      // An item of another site is none that this one changes.
      guard let login = logins.login(withID: id, for: page) else { throw BrowserError.unknownItem }
      if let place = try place(of: new.user, in: login, logins.snapshot) {
        return try update(login, to: new, at: place, exchange)
      }
    }
    try store(new, in: try folder(inner, logins), logins, exchange)
  }

  /// What a changed login writes beside the password: a field, or nothing.
  private enum UserPlace {
    case same, field(String)
  }

  /// Where a user belongs in an item; `nil` if the item is another program's, or has its user where
  /// that program looks for it: such a login is stored as a new one.
  private func place(
    of user: String, in login: BrowserLogins.Login, _ snapshot: VaultSnapshot
  ) throws -> UserPlace? {
    guard login.item.attributes["client"] == nil else { return nil }
    guard !user.isEmpty, !user.isSame(as: login.user) else { return .same }
    guard !login.user.isEmpty else { return .field("user") }
    let known = try snapshot.fields(of: login.item).first { field in
      try BrowserLogins.userNames.contains(field.lowercased())
        && snapshot.secret(of: login.item, field: field).text?.isSame(as: login.user) == true
    }
    return known.map { .field($0) }
  }

  /// The folder that a request names; `nil` for the one of all.
  private func folder(_ inner: JSONValue, _ logins: BrowserLogins) throws -> String? {
    guard let id = Self.text(inner, "groupUuid", 64), !id.isEmpty else { return nil }
    let folders = folders(logins)
    if let path = folders.path(withID: id) { return path }
    guard folders.id(of: "").isSame(as: id) else { throw BrowserError.noGroup }
    return nil
  }

  private func store(
    _ new: NewLogin, in folder: String?, _ logins: BrowserLogins, _ exchange: Exchange
  ) throws {
    // What is no part of a name stands encoded.
    let parts = [new.page.host] + (new.user.isEmpty ? [] : [new.user])
    let own = parts.map { part in
      PercentEncoding.encoded(part) { byte in
        PercentEncoding.isUnreserved(byte) || [0x3A, 0x40, 0x5B, 0x5D].contains(byte)
      }
    }.joined(separator: "/")
    let wanted = folder.map { "\($0)/\(own)" } ?? own
    let name = try FreeName.like(wanted) { logins.snapshot[$0] != nil }
    let shown = Quoting.visible(name.text)
    let question = BrowserQuestion(
      item: name.text, site: new.page.origin,
      words: "wants to store a new login for \(new.page.origin) as '\(shown)'.",
      identity: "browser store \(name.text) \(new.page.origin)", isKept: false)
    try ask([(question, nil)], exchange) { [self] approvals in
      guard let approval = approvals.first, approval.isAllowed else { throw BrowserError.denied }
      var changes = ItemChanges()
      changes.kind = .login
      var fields = ["url": try SecretBytes(text: new.page.origin)]
      if !new.user.isEmpty { fields["user"] = try SecretBytes(text: new.user) }
      let draft = ItemDraft(name, main: new.password, fields: fields, changes: changes)
      _ = try read()
      try change { edit in
        guard edit[name] == nil else { throw BrowserError.denied }
        _ = try edit.store(draft)
      }
      try finish(name, new.page, approval, exchange)
    }
  }

  private func update(
    _ login: BrowserLogins.Login, to new: NewLogin, at place: UserPlace, _ exchange: Exchange
  ) throws {
    let item = login.item
    let name = Quoting.visible(item.name.text)
    var user = ""
    if case .field = place {
      // A page chooses it: it is last, so that it pushes nothing out of sight.
      user = ", and the user \(ApprovalQuestion.quoted(ApprovalQuestion.bounded(new.user) ?? ""))"
    }
    let question = BrowserQuestion(
      item: item.name.text, site: new.page.origin,
      words: "wants to store a new password in '\(name)' for \(new.page.origin)\(user).",
      identity: "browser update \(item.id) \(new.page.origin) \(new.user)", isKept: false)
    try ask([(question, nil)], exchange) { [self] approvals in
      guard let approval = approvals.first, approval.isAllowed else {
        try read().snapshot.record(
          [
            Usage(
              item, verb: .browserStore, isAllowed: false,
              account: UsageAccount(purpose: new.page.origin, by: approvals.first?.by))
          ], by: options.browser.caller)
        throw BrowserError.denied
      }
      guard try read().login(withID: item.id, for: new.page)?.item.version == item.version else {
        throw BrowserError.unknownItem
      }
      var secrets = SecretChanges()
      secrets.main = Secret(new.password)
      if case .field(let field) = place {
        secrets.fields[field] = Secret(try SecretBytes(text: new.user))
      }
      try change { edit in
        guard edit[item.name]?.id == item.id, edit[item.name]?.version == item.version else {
          throw BrowserError.unknownItem
        }
        _ = try edit.change(item.name, secrets)
      }
      try finish(item.name, new.page, approval, exchange)
    }
  }

  private func finish(
    _ name: ItemName, _ page: SiteAddress, _ approval: Approval, _ exchange: Exchange
  ) throws {
    let snapshot = try read().snapshot
    if let item = snapshot[name] {
      snapshot.record(
        [
          Usage(
            item, verb: .browserStore, account: UsageAccount(purpose: page.origin, by: approval.by))
        ], by: options.browser.caller)
    }
    reply(
      [
        ("count", .null), ("entries", .null), ("error", .string("")),
        ("hash", .string(try hash())),
      ], to: exchange)
  }

  // MARK: Folders

  private func folders(_ logins: BrowserLogins) -> BrowserFolders {
    var folders = BrowserFolders(of: logins.snapshot, vaultID: vaultID)
    for folder in newFolders { folders.add(folder) }
    return folders
  }

  /// `get-database-groups`.
  func tellFolders(_ exchange: Exchange) throws {
    try requireAssociation(exchange)
    let folders = folders(try read())
    reply(
      [
        ("defaultGroup", .string("")), ("defaultGroupAlwaysAllow", .bool(false)),
        ("groups", folders.json),
      ], to: exchange)
  }

  /// `create-new-group {groupName}`: a folder is there as soon as an item lies in it.
  func makeFolder(_ inner: JSONValue, _ exchange: Exchange) throws {
    try requireAssociation(exchange)
    guard let path = Self.text(inner, "groupName", Self.maximumFolder), !path.isEmpty,
      (try? ItemName("\(path)/login")) != nil, newFolders.count < 64
    else { throw BrowserError.noGroup }
    newFolders.insert(path)
    let folders = folders(try read())
    reply(
      [
        ("name", .string(String(path.lastComponent))), ("uuid", .string(folders.id(of: path))),
      ], to: exchange)
  }
}
