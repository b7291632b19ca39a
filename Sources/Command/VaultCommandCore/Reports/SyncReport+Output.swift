package import FoundationEssentials
import VaultCredentials
import VaultSealing
package import VaultStorage
package import VaultSync
import VaultSyncEngines
import VaultTerminal

extension SyncDevice {
  /// The machine as `--json` writes it.
  package var json: JSONValue {
    .object([
      ("id", .string(id)), ("label", .string(label)), ("role", .string(role.name)),
      ("isThisMachine", .bool(isThisMachine)), ("joined", .string(Timestamp.text(joined))),
      ("lastHeard", .string(Timestamp.text(lastHeard))), ("isRemoved", .bool(isRemoved)),
      ("isAdmitted", .bool(isAdmitted)), ("invitation", .optional(invitation)),
      ("invitedBy", .optional(invitedBy)), ("admittedBy", .optional(admittedBy)),
      ("cameByRecoveryCode", .bool(cameByRecoveryCode)),
    ])
  }

  /// The machine as a row.
  package func row(at now: Date) -> [String] {
    [
      Sanitizer.visible(label), isRemoved ? "removed" : role.name, String(id.prefix(8)),
      isThisMachine ? "this machine" : "heard \(lastHeard.relative(to: now))",
      isAdmitted ? way : "not let in yet",
    ]
  }

  /// How it came in.
  private var way: String {
    guard let invitation else { return "made the space" }
    let shown = { Sanitizer.visible($0 ?? "other") }
    if cameByRecoveryCode {
      return "came by a recovery code of \(shown(invitedBy)) (\(invitation.prefix(8)))"
    }
    let code = "invited by \(shown(invitedBy)) (\(invitation.prefix(8)))"
    return admittedBy == invitedBy ? code : "\(code), let in by \(shown(admittedBy))"
  }
}

extension SyncLogEntry {
  /// The entry as `--json` writes it.
  package var json: JSONValue {
    .object([
      ("time", .string(Timestamp.text(time))), ("device", .string(device)),
      ("deviceID", .string(deviceID)), ("action", .string(action.rawValue)),
      ("subject", .optional(subject)), ("subjectID", .optional(subjectID)),
      ("properties", .strings(properties)),
    ])
  }

  /// The entry as a row.
  package var row: [String] {
    [
      Timestamp.text(time), Sanitizer.visible(device), action.rawValue,
      Sanitizer.visible(subject ?? ""),
    ] + (properties.isEmpty ? [] : [properties.map(Sanitizer.visible).joined(separator: ", ")])
  }
}

extension SyncStatus {
  private var address: StoreAddress { StoreAddress(remembered: store) }
  private var kind: String { address.kind.rawValue }

  /// The members of the JSON object.
  package var members: [(String, JSONValue)] {
    [
      ("store", .string(address.shown)), ("engine", .string(kind)), ("space", .string(space)),
      ("label", .string(label)), ("role", .optional(role?.name)),
      ("devices", .number(Int64(devices))), ("owners", .strings(owners)),
      ("admins", .strings(admins)),
      ("recoveryCodes", .number(Int64(recoveryCodes))),
      ("subscriptions", .number(Int64(subscriptions))),
      ("subscription", .optional(subscription)),
      ("isSubscriptionEnded", subscription == nil ? .null : .bool(isSubscriptionEnded)),
      ("feed", feedAge?.json ?? .null),
      ("unsent", .number(Int64(unsent))), ("changedItems", .number(Int64(changedItems))),
      ("changedPreferences", .number(Int64(changedPreferences))), ("domains", .strings(domains)),
      ("otherDomains", .strings(otherDomains)), ("forks", .array(forks.map(\.json))),
      ("waiting", .strings(waiting)), ("stopped", .strings(stopped)),
      ("lastContact", .optional(lastContact.map { Timestamp.text($0) })),
    ]
  }

  /// Says that the vault is in a space now, and how others come in.
  package func tellBeginning() {
    StandardError.note(
      "this vault syncs with \(Sanitizer.visible(address.shown)); it will see sizes and times, no names",
      hint: "let another machine in: \(ProgramName.current) sync invite; "
        + (recoveryCodes > 0
          ? "the recovery code now opens the space, too"
          : "a recovery code would open the space, too: \(ProgramName.current) key add --recovery"))
  }

  /// Who may let others in and remove them, and whether that is one accident from nobody.
  private var ownersInWords: String {
    let names = owners.map(Sanitizer.visible).joined(separator: ", ")
    let others = admins.map(Sanitizer.visible).joined(separator: ", ")
    if owners.isEmpty {
      return admins.isEmpty
        ? "none: nobody can invite or remove a machine"
        : "none: only \(others) can invite and remove, and nobody can make an owner"
    }
    guard owners.count == 1, recoveryCodes == 0, devices > 1 else { return names }
    return "\(names) alone, without a recovery code: if it is lost, nobody can "
      + (admins.isEmpty ? "invite or remove" : "make another owner")
  }

  /// Why the space is one accident from nobody who lets others in, or has come to that; `nil` where
  /// there are more ways back.
  package var ownership: Audit.Ownership? {
    guard devices > 1 || owners.isEmpty, recoveryCodes == 0, role != nil else { return nil }
    return switch owners.count {
    case 0: .nobody(admins: admins)
    case 1: .one(owners[0], hasAdmins: !admins.isEmpty)
    default: nil
    }
  }

  /// What was changed here and is not in the store, or never goes there.
  private var changesRow: [String] {
    let changed = changedItems + changedPreferences
    if subscription != nil {
      return [
        "changes here", changed == 0 ? "none" : "\(changed), which stay here: it follows a feed",
      ]
    }
    return switch role {
    case nil: ["changes here", "stay here: this machine is not in the space"]
    case .reader?:
      ["changes here", changed == 0 ? "none" : "\(changed), which stay here: a reader's"]
    default: ["not sent yet", String(unsent + changed)]
    }
  }

  /// What this machine is in the space.
  private var ownRow: [String] {
    [
      "this machine",
      subscription.map {
        "follows the subscription \(Sanitizer.visible($0))"
          + (isSubscriptionEnded ? ", which has ended: nothing comes any more" : "")
      }
        ?? "\(Sanitizer.visible(label)), \(role?.name ?? "not in")",
    ]
  }

  /// The state as rows.
  package func rows(at now: Date) -> [[String]] {
    var rows = [
      ["store", "\(kind) \(Sanitizer.visible(address.shown))"], ownRow,
      ["machines", String(devices)],
      ["owners", ownersInWords],
      ["recovery codes", recoveryCodes == 0 ? "none opens the space" : String(recoveryCodes)],
    ]
    if subscriptions > 0 { rows.append(["subscriptions", String(subscriptions)]) }
    rows.append(["last contact", lastContact?.relative(to: now) ?? "never"])
    if let feedAge { rows.append(feedAge.row(at: now)) }
    rows.append(changesRow)
    return rows
      + domains.map { ["preferences", Sanitizer.visible($0)] }
      + otherDomains.map { ["not added here", Sanitizer.visible($0)] }
      + waiting.map { ["on their way", "records of \(Sanitizer.visible($0))"] }
      + stopped.map { ["not taken", "records of \(Sanitizer.visible($0)): see sync now"] }
      + forks.map { ["forked", $0.words] }
  }
}

extension SyncFork {
  /// What a person should know of it.
  fileprivate var words: String {
    "\(Sanitizer.visible(device)) \(machine.prefix(8)): two records with the number \(number), "
      + "by its own signatures; they are in --json"
  }

  /// The fork with its proofs, as `--json` writes it.
  fileprivate var json: JSONValue {
    .object([
      ("device", .string(device)), ("id", .string(machine)), ("number", .number(Int64(number))),
      (
        "records",
        .array(
          proofs.map {
            .object([
              ("id", .string($0.machine)), ("number", .number(Int64($0.number))),
              ("hash", .string(Hexadecimal.text($0.hash))),
              ("signingKey", .string(Hexadecimal.text($0.signingKey))),
              ("sealingKey", .string(Hexadecimal.text($0.sealingKey))),
              ("record", .string(Base64Text.encode($0.record))),
            ])
          })
      ),
    ])
  }
}

extension SyncOverview {
  /// What a person should know at a glance.
  package func words(at now: Date, conflicts: Int) -> String {
    let last = Date(timeIntervalSince1970: Double(lastContact) / 1000)
    var parts = [lastContact == 0 ? "never" : "last \(last.relative(to: now))"]
    if hasChanges { parts.append("changes to be sent") }
    if conflicts > 0 { parts.append(conflicts == 1 ? "1 conflict" : "\(conflicts) conflicts") }
    if let failure, let failingSince {
      let since = Date(timeIntervalSince1970: Double(failingSince) / 1000).relative(to: now)
      parts.append("\(failure), first \(since)")
    }
    if waiting > 0 {
      parts.append("records of \(Self.machines(waiting)) on their way")
    }
    if stopped > 0 { parts.append("records of \(Self.machines(stopped)) not taken") }
    if isAutomatic { parts.append("automatic") }
    return parts.joined(separator: ", ")
  }

  private static func machines(_ count: Int) -> String {
    count == 1 ? "1 machine" : "\(count) machines"
  }

  /// The state as `--json` writes it.
  package func json(conflicts: Int) -> JSONValue {
    func time(_ milliseconds: Int64?) -> JSONValue {
      .optional(
        milliseconds.flatMap { $0 == 0 ? nil : $0 }.map {
          Timestamp.text(Date(timeIntervalSince1970: Double($0) / 1000))
        })
    }
    return .object([
      ("store", .string(StoreAddress(remembered: store).shown)), ("label", .string(label)),
      ("lastContact", time(lastContact)),
      ("hasChanges", .bool(hasChanges)), ("conflicts", .number(Int64(conflicts))),
      ("failure", .optional(failure)), ("failingSince", time(failingSince)),
      ("auto", .bool(isAutomatic)), ("waiting", .number(Int64(waiting))),
      ("stopped", .number(Int64(stopped))),
    ])
  }
}

extension SyncReport {
  /// Says what was brought and taken.
  package func tell() throws {
    try changes.tellItems()
    for domain in domains {
      try StandardOutput.line("preferences: \(Sanitizer.visible(domain))")
    }
    for key in tooLong {
      StandardError.note("\(Sanitizer.visible(key)) is too long to be synchronized", hint: nil)
    }
    for label in waiting {
      StandardError.note(
        "records of \(Sanitizer.visible(label)) are still on their way", hint: nil)
    }
    if mended > 0 {
      StandardError.note(
        "the store had lost \(mended == 1 ? "a record" : "\(mended) records"): written again")
    }
    if let successor {
      StandardError.note(
        "this home was put back or copied: the machine goes on as \(Sanitizer.visible(successor))",
        hint: siblings.first.map { sibling in
          "\(siblings.map { Sanitizer.visible($0) }.joined(separator: ", ")) went on from the same home"
            + " before: what is no more, an admin takes out: "
            + "\(ProgramName.current) sync remove \(Quoting.typed(sibling))"
        })
    }
    if hasNewKeys {
      StandardError.note(
        "a copy of this home is out: this machine has taken keys that the copy lacks",
        hint: nil)
    }
    if let newRole { Self.tell(newRole) }
    if let renamed {
      StandardError.note(
        "another machine has the name that this one asked for: this one is called "
          + Sanitizer.visible(renamed))
    }
    for label in copies {
      let shown = Sanitizer.visible(label)
      StandardError.note(
        "a copy of this home goes on as \(shown)",
        hint: "if it is not yours: \(ProgramName.current) sync remove \(Quoting.typed(label))")
    }
    // Whoever makes them makes more than anybody reads.
    for copy in copiesOfOthers.prefix(4) {
      StandardError.note(
        "a copy of \(Sanitizer.visible(copy.original))'s home goes on as "
          + Sanitizer.visible(copy.label),
        hint: "if nobody knows it: \(ProgramName.current) sync remove \(Quoting.typed(copy.label))")
    }
    if copiesOfOthers.count > 4 {
      StandardError.note(
        "\(Plural.of(copiesOfOthers.count - 4, "more machine")) of that kind: "
          + "\(ProgramName.current) sync devices",
        hint: "to remove all that go on from one home: \(ProgramName.current) sync remove NAME "
          + "--copies")
    }
    if closedRecoveryCodes > 0 {
      StandardError.note(
        "\(closedRecoveryCodes == 1 ? "a recovery code" : "recovery codes") of this vault "
          + "\(closedRecoveryCodes == 1 ? "lets" : "let") nobody into the space any more: who was put out "
          + "knows it, or this machine has a lower role",
        hint: "an admin or owner makes another: \(ProgramName.current) key add --recovery")
    }
    tellComers()
    for label in refused {
      StandardError.note(
        "\(Sanitizer.visible(label)) came by a code that was used already, or withdrawn: "
          + "it is not in",
        hint: nil)
    }
    Self.tellAsking(asking)
    if let feedAge, feedAge.isStale { feedAge.tell() }
    for problem in stopped {
      StandardError.warning(Sanitizer.visible(problem.message), hint: problem.hint)
    }
    for item in refusedItems {
      let name = item.name.map { Sanitizer.visible($0) } ?? "an item without a name"
      let origin = item.machine.map { ", from \(Sanitizer.visible($0))" } ?? ""
      StandardError.note("left out: \(name)\(origin): \(item.reason)", hint: nil)
    }
    StandardError.note(
      "synchronized: \(sent) sent, \(received) received",
      hint: changes.settlingHint(
        by: "sync resolve NAME, with --take MACHINE for that one's value"))
  }

  private static func tell(_ newRole: SyncRole) {
    StandardError.note(
      "this machine has another role in the space from now on: \(newRole.name)",
      hint: newRole == .reader
        ? "what is changed here stays here; to give it back: "
          + "\(ProgramName.current) sync now --discard-local" : nil)
  }

  /// Names the machines that came by a recovery code.
  package func tellComers() {
    for comer in cameByCode {
      let (label, owner) = (Sanitizer.visible(comer.label), Sanitizer.visible(comer.owner))
      StandardError.warning(
        "\(label) came by a recovery code of \(owner): it is in, and may do what \(owner) may",
        hint: "if nobody knows it: \(ProgramName.current) sync remove \(Quoting.typed(comer.label))"
      )
    }
  }

  /// Names the machines that ask to be let in.
  package static func tellAsking(_ labels: [String]) {
    for label in labels {
      let shown = Sanitizer.visible(label)
      StandardError.note(
        "a machine called \(shown) asks to be let in by an invitation that has ended",
        hint: "if you know it: \(ProgramName.current) sync admit \(Quoting.typed(label))")
    }
  }

  /// The members of the JSON object.
  package var members: [(String, JSONValue)] {
    [
      ("sent", .number(Int64(sent))), ("received", .number(Int64(received))),
      ("mended", .number(Int64(mended))),
    ]
      + changes.itemMembers + [
        ("domains", .strings(domains)), ("tooLong", .strings(tooLong)),
        ("waiting", .strings(waiting)), ("refused", .strings(refused)),
        ("successor", .optional(successor)), ("hasNewKeys", .bool(hasNewKeys)),
        ("newRole", .optional(newRole?.name)), ("renamed", .optional(renamed)),
        ("copies", .strings(copies)),
        (
          "copiesOfOthers",
          .array(
            copiesOfOthers.map {
              .object([("label", .string($0.label)), ("original", .string($0.original))])
            })
        ), ("siblings", .strings(siblings)),
        ("closedRecoveryCodes", .number(Int64(closedRecoveryCodes))),
        (
          "cameByCode",
          .array(
            cameByCode.map {
              .object([("label", .string($0.label)), ("owner", .string($0.owner))])
            })
        ),
        ("asking", .strings(asking)), ("stopped", .strings(stopped.map(\.message))),
        ("feed", feedAge?.json ?? .null),
        (
          "refusedItems",
          .array(
            refusedItems.map {
              .object([
                ("machine", .optional($0.machine)), ("name", .optional($0.name)),
                ("reason", .string($0.reason)),
              ])
            })
        ),
        ("problems", .strings(problems.map(\.code.rawValue))),
      ]
  }
}
