package import FoundationEssentials
package import VaultCredentials
import VaultExchange
import VaultPasswords
import VaultProtocols
import VaultSealing
package import VaultStorage
import VaultTerminal

/// A look at all secrets of a vault for what a person should change.
package struct Audit {
  /// What is looked for.
  package enum Topic: String, CaseIterable {
    /// The same secret in several items.
    case equal
    /// Passwords that are guessed early.
    case weak
    /// Passwords that are in lists of leaked ones.
    case breached
    /// Items whose secret was not changed for long.
    case old
    /// Items that have expired.
    case expired
    /// Items that expire soon.
    case expiring
    /// The vault itself: ways back into it.
    case vault
  }

  /// One thing that was found.
  package struct Finding {
    package let topic: Topic
    /// Which finding it is; never renamed.
    package let code: String
    /// The items, by name; none for the vault itself.
    package var items: [Item] = []
    /// A clause without a name and without a secret.
    package let message: String
    package var hint: String?
    /// The strength of a weak one.
    package var bits: Double?
    /// How often a leaked one was seen.
    package var times: Int?
  }

  /// zxcvbn calls a password "very unguessable" from ten thousand million guesses on.
  ///
  /// https://github.com/dropbox/zxcvbn: score 4.
  package static let neededBits = 33.2
  /// The estimate reads no further: longer texts are keys or notes.
  private static let longestPassword = 128

  package let topics: Set<Topic>
  /// How old a secret may be.
  package let maximumAge: TimeInterval
  /// How far ahead an expiry counts as soon.
  package let horizon: TimeInterval
  package let now: Date
  /// Where leaked passwords are looked up; `nil` for not at all.
  package let breaches: BreachList?

  package init(
    topics: Set<Topic>, maximumAge: TimeInterval, horizon: TimeInterval, now: Date,
    breaches: BreachList? = nil
  ) {
    self.breaches = breaches
    self.topics = topics
    self.maximumAge = maximumAge
    self.horizon = horizon
    self.now = now
  }

  /// What is wrong with the owners of a vault's space that no recovery code opens.
  package enum Ownership {
    /// One machine is the only owner.
    case one(String, hasAdmins: Bool)
    /// No owner is in any more.
    case nobody(admins: [String])

    fileprivate var finding: Finding {
      switch self {
      case .one(let owner, let hasAdmins):
        let shown = StandardOutput.shown(owner)
        return Finding(
          topic: .vault, code: "single-owner",
          message: "if \(shown) is lost, nobody can "
            + (hasAdmins
              ? "make another owner of its space" : "invite a machine to its space or remove one"),
          hint: "make another machine an owner: \(ProgramName.current) sync role MACHINE owner; "
            + "or a recovery code on \(shown): \(ProgramName.current) key add --recovery")
      case .nobody(let admins):
        let shown = admins.map { StandardOutput.shown($0) }.joined(separator: ", ")
        return Finding(
          topic: .vault, code: "no-owner",
          message: admins.isEmpty
            ? "its space has no owner: nobody can invite a machine to it or remove one"
            : "its space has no owner: \(shown) can invite and remove, and nobody can make an owner",
          hint: "begin another one: on each machine \(ProgramName.current) sync leave, then on one "
            + "\(ProgramName.current) sync init STORE, which invites the others")
      }
    }
  }

  /// Looks at a vault.
  ///
  /// - Parameters:
  ///   - snapshot: The items; each secret is opened by itself and let go.
  ///   - slots: The key slots of the vault.
  ///   - lastBackup: When the vault was last backed up, in milliseconds since 1970.
  ///   - isKeyringInClear: Whether the desktop keyring has no password.
  ///   - ownership: What is wrong with the owners of the vault's space.
  ///   - leftovers: Files that a killed command left beside those of other programs.
  /// - Returns: The findings, in the order of the topics.
  /// - Throws: ``CredentialError`` with code `.damaged` for a secret that cannot be read.
  package func findings(
    in snapshot: VaultSnapshot, slots: [KeySlot], lastBackup: Int64?,
    isKeyringInClear: @autoclosure () -> Bool, ownership: @autoclosure () -> Ownership? = nil,
    leftovers: @autoclosure () -> [String] = []
  ) throws -> [Finding] {
    let items = snapshot.items().filter { !$0.isBookkeeping }
    var found: [Finding] = []
    if !topics.isDisjoint(with: [.equal, .weak, .breached]) {
      found += try secrets(of: items, in: snapshot)
    }
    if topics.contains(.old) { found += try old(items, in: snapshot) }
    for item in items {
      guard let expires = item.expires else { continue }
      if expires < now {
        guard topics.contains(.expired) else { continue }
        found.append(
          Finding(topic: .expired, code: "expired", items: [item], message: "on \(expires.day)"))
      } else if topics.contains(.expiring), expires < now.addingTimeInterval(horizon) {
        found.append(
          Finding(topic: .expiring, code: "expiring", items: [item], message: "on \(expires.day)"))
      }
    }
    if topics.contains(.vault) {
      found += Self.waysBack(slots, lastBackup)
      let clear = ClearKeyring(
        opensVault: slots.contains { $0.kind == .keyring }, hasCopies: snapshot.hasCopies)
      if let clear, isKeyringInClear() {
        found.append(
          Finding(
            topic: .vault, code: ClearKeyring.code, message: clear.message,
            hint: Advice.text(clear.hint, clear.remedies)))
      }
      found += Self.steering(items)
      if let ownership = ownership() { found.append(ownership.finding) }
      found += leftovers().map { path in
        Finding(
          topic: .vault, code: "left-file",
          message:
            "\(StandardOutput.shown(path)) was left by a command that was killed, and may have "
            + "secrets in plain text", hint: "remove it: \(ProgramName.current) import home")
      }
    }
    let order = Dictionary(
      uniqueKeysWithValues: Topic.allCases.enumerated().map { ($1, $0) })
    return found.enumerated().sorted {
      (order[$0.element.topic] ?? 0, $0.offset) < (order[$1.element.topic] ?? 0, $1.offset)
    }.map(\.element)
  }

  /// Items that ask for a variable by which programs run other code: a person hardly ever marks one
  /// so, but another machine of the space, an import or a client of a served keyring may.
  private static func steering(_ items: [Item]) -> [Finding] {
    items.compactMap { item in
      guard
        let name = EnvironmentVariable.steering(
          ofItem: item.name.text, attribute: item.attributes[EnvironmentVariable.attribute])
      else { return nil }
      return Finding(
        topic: .vault, code: "steering-variable", items: [item],
        message: "asks for the variable \(StandardOutput.shown(name)), by which programs run other "
          + "code or read other files; run does not set it",
        hint: "if you do not know why, remove that: \(ProgramName.current) edit NAME")
    }
  }

  // MARK: Secrets

  /// A secret is as old as its last version: a new tag or name does not make it younger.
  private func old(_ items: [Item], in snapshot: VaultSnapshot) throws -> [Finding] {
    zip(items, try snapshot.secretsChanged(of: items)).compactMap { item, changed in
      guard now.timeIntervalSince(changed) > maximumAge else { return nil }
      return Finding(
        topic: .old, code: "old", items: [item],
        message: "last changed \(changed.relative(to: now))")
    }
  }

  private func secrets(of items: [Item], in snapshot: VaultSnapshot) throws -> [Finding] {
    var found: [Finding] = []
    var alike: [String: [Item]] = [:]
    var hashes: [(item: Item, hash: BreachHash)] = []
    for item in items {
      let secret: Secret
      do {
        secret = try snapshot.secret(of: item)
      } catch let error as CredentialError where error.code == .damaged {
        found.append(
          Finding(
            topic: .vault, code: "unreadable", items: [item], message: error.message,
            hint: error.advice))
        continue
      }
      guard secret.count > 0 else { continue }
      let fingerprint = try snapshot.fingerprint(of: item)
      alike["\(fingerprint.length) \(fingerprint.hash)", default: []].append(item)
      guard Self.isPassword(item, secret) else { continue }
      if breaches != nil { hashes.append((item, try BreachHash(secret.bytes))) }
      if topics.contains(.weak) {
        let strength = PassphraseStrength(secret.bytes)
        guard strength.bits < Self.neededBits else { continue }
        let bits = max(0, (strength.bits * 10).rounded(.down) / 10)
        found.append(
          Finding(
            topic: .weak, code: "weak", items: [item],
            message: "\(bits) bits: \(strength.pattern.reason)", bits: bits))
      }
    }
    found += try breached(hashes)
    guard topics.contains(.equal) else {
      return found.sorted { Self.firstName($0) < Self.firstName($1) }
    }
    // A fingerprint is short: what it has in common is compared once more.
    for group in alike.values where group.count > 1 {
      found += try equal(group, in: snapshot).map { items in
        Finding(
          topic: .equal, code: "equal", items: items,
          message: "\(items.count) items have the same secret")
      }
    }
    return found.sorted { Self.firstName($0) < Self.firstName($1) }
  }

  private func breached(_ hashes: [(item: Item, hash: BreachHash)]) throws -> [Finding] {
    guard let breaches, topics.contains(.breached) else { return [] }
    return zip(hashes, try breaches.counts(of: hashes.map(\.hash))).compactMap { password, times in
      guard times > 0 else { return nil }
      return Finding(
        topic: .breached, code: "breached", items: [password.item],
        message: "leaked: seen \(Plural.times(times))", times: times)
    }
  }

  private static func firstName(_ finding: Finding) -> String {
    finding.items.first?.name.text ?? ""
  }

  /// The groups of items whose secrets are the same.
  private func equal(_ items: [Item], in snapshot: VaultSnapshot) throws -> [[Item]] {
    var groups: [(secret: SecretBytes, items: [Item])] = []
    for item in items {
      let secret = try snapshot.secret(of: item).bytes
      if let known = groups.firstIndex(where: { $0.secret.isEqual(to: secret) }) {
        groups[known].items.append(item)
      } else {
        groups.append((secret, [item]))
      }
    }
    return groups.map(\.items).filter { $0.count > 1 }
  }

  /// Whether a secret is one that a person may have chosen.
  private static func isPassword(_ item: Item, _ secret: Secret) -> Bool {
    switch item.kind {
    case .secret, .genericPassword, .internetPassword, .login: break
    case .token, .certificate, .note, .otp, .sshKey: return false
    }
    guard secret.count <= longestPassword, SecretText.isPrintable(secret.bytes) else {
      return false
    }
    return secret.withBytes { bytes in
      !(0..<bytes.byteCount).contains { bytes.byte(at: $0) == 0x0A }
    }
  }

  // MARK: The vault

  private static func waysBack(_ slots: [KeySlot], _ lastBackup: Int64?) -> [Finding] {
    var found: [Finding] = []
    if slots.count == 1 {
      found.append(
        Finding(
          topic: .vault, code: "single-slot",
          message: VaultNotice.singleSlotWords,
          hint: Advice.text(nil, [.addKey])))
    }
    if !slots.contains(where: { $0.kind == .recovery }) {
      found.append(
        Finding(
          topic: .vault, code: "no-recovery",
          message: "no recovery code opens the vault, if the other keys are lost",
          hint: Advice.text(nil, [.addRecoveryCode])))
    }
    if lastBackup == nil {
      found.append(
        Finding(
          topic: .vault, code: "no-backup", message: "no backup of it is known on this machine",
          hint: "make one: \(ProgramName.current) backup FILE"))
    }
    return found
  }
}

extension Date {
  /// The day, such as `2026-11-22`.
  package var day: String { String(Timestamp.text(self).unicodeScalars.prefix { $0 != "T" }) }
}

extension PassphraseStrength.Pattern {
  /// Why it is guessed early.
  fileprivate var reason: String {
    switch self {
    case .commonPassword: "many people use it"
    case .commonWord: "common words"
    case .keyboardWalk: "keys beside each other"
    case .sequence: "a sequence"
    case .repetition: "a repetition"
    case .date: "a date"
    case .characters: "it is short"
    }
  }
}
extension Audit.Finding {
  /// The finding as `--json` writes it.
  package var json: JSONValue {
    .object([
      ("topic", .string(topic.rawValue)), ("code", .string(code)),
      ("items", .strings(items.map(\.name.text))), ("message", .string(message)),
      ("hint", .optional(hint.map(HintLine.located))), ("bits", bits.map(JSONValue.real) ?? .null),
      ("times", times.map { .number(Int64($0)) } ?? .null),
    ])
  }
}
