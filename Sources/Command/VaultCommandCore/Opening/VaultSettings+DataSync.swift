package import FoundationEssentials
import VaultDataStore
package import VaultDataSync
package import VaultStorage
package import VaultSync
import VaultTerminal

/// The stores of applications that go along with the vault's space.
extension VaultSettings {
  /// Has an application's stores go along from now on, and says so.
  ///
  /// - Parameter word: An application, `APPLICATION/STORE`, or a path.
  /// - Throws: ``CommandError`` with code `store-not-found`; `SyncError` with code `.notAllowed`.
  package func addData(_ word: String) throws {
    let stores = try Self.stores(word)
    let outcomes = try withSpace { space in
      _ = try space.synchronize()
      return try DataSync(space).add(stores)
    }
    if writesJSON {
      return try StandardOutput.write([("data", .array(outcomes.map(\.json)))])
    }
    for outcome in outcomes { outcome.tellAdded() }
    if let problem = outcomes.flatMap(\.report.channel.problems).first { throw problem }
  }

  /// Leaves an application's stores out from now on, and says so.
  package func dropData(_ word: String) throws {
    let dropped = try withSpace { try DataSync($0).drop(word) }
    if writesJSON { return try StandardOutput.write([("dropped", .strings(dropped))]) }
    guard !dropped.isEmpty else {
      return StandardError.note(
        "no store of that application goes with the space on this machine",
        hint: "which do: \(ProgramName.current) sync status")
    }
    for name in dropped {
      StandardError.note(
        "the rows of \(StandardOutput.shown(name)) stay as they are, and are synchronized no longer"
      )
    }
  }

  /// Brings the stores that were added together with the space; what went wrong with one of them
  /// stops no other one.
  package func synchronizeData(_ space: SyncedVault) throws -> [DataRun] {
    try DataSync(space).run().map { DataRun(name: $0.store.name, result: $0.result) }
  }

  /// Takes what is in the stores of other machines out of them: the vault leaves its space.
  func forgetData(of space: SyncedVault) {
    // Of a store that is gone nothing is left to be taken out.
    _ = try? DataSync(space).drop(nil)
  }

  private static func stores(_ word: String) throws -> [FoundStore] {
    let found = try FoundStore.all().stores.filter {
      $0.metadata.application == word || $0.name == word
    }
    if !found.isEmpty { return found }
    if let one = try FoundStore(word) { return [one] }
    throw CommandError(
      .storeNotFound, "there is no store of that application on this machine",
      hint: "run the application once; which there are: \(ProgramName.current) data stores")
  }
}

/// A store, and what a run did with it.
package struct DataRun {
  let name: String
  let result: Result<DataSync.Outcome, any Error>

  /// What went wrong, if anything.
  package var problem: (any Error)? {
    switch result {
    case .success(let outcome): outcome.report.channel.problems.first
    case .failure(let error): error
    }
  }

  /// Says what was done, if anything was.
  package func tell() throws {
    switch result {
    case .success(let outcome): try outcome.tell()
    case .failure(let error):
      let reason = (error as? StorageError)?.message ?? (error as? SyncError)?.message
      StandardError.warning(
        Sanitizer.visible("\(name) was not synchronized: \(reason ?? "\(error)")"), hint: nil)
    }
  }

  /// The run as `--json` writes it.
  package var json: JSONValue {
    switch result {
    case .success(let outcome): outcome.json
    case .failure(let error):
      .object([
        ("store", .string(name)),
        ("error", .string((error as? SyncError)?.code.rawValue ?? "not-synchronized")),
      ])
    }
  }
}

extension DataSync.Outcome {
  package var json: JSONValue {
    .object([
      ("store", .string(store.name)), ("objects", .number(Int64(objects))),
      ("classes", .number(Int64(classes))), ("isNew", .bool(isNew)),
      ("arrived", .number(Int64(report.arrived))), ("changed", .number(Int64(report.changed))),
      ("deleted", .number(Int64(report.deleted))), ("joined", .number(Int64(report.joined))),
      ("unified", .number(Int64(report.unified))),
      ("told", .number(Int64(report.told))), ("lost", .number(Int64(report.lost))),
      ("waiting", .number(Int64(report.waiting))), ("hidden", .number(Int64(report.hidden))),
      ("undeleted", .number(Int64(report.undeleted))), ("kept", .number(Int64(report.kept))),
      ("tooLong", .strings(report.tooLong.sorted())), ("compared", .strings(report.compared)),
      ("local", .strings(local)), ("sent", .number(Int64(report.channel.sent))),
      ("received", .number(Int64(report.channel.received))),
      ("newer", .strings(report.newer.sorted())),
      ("malformed", .strings(report.malformed.sorted())),
      ("onTheirWay", .strings(report.channel.waiting)),
      ("problems", .strings(report.channel.problems.map(\.message))),
    ])
  }

  fileprivate func tellAdded() {
    let shown = StandardOutput.shown(store.name)
    let size =
      Plural.classes(classes) + ", " + Plural.objects(objects) + " of \(shown)"
    StandardError.note(
      isNew ? "\(size) go with this space from now on" : "\(size) went with this space before",
      hint: isNew
        ? "on each other machine that is to have them: \(ProgramName.current) sync add data "
          + Quoting.typed(store.name) : nil)
    for property in local {
      StandardError.note(
        "\(StandardOutput.shown(property)) stays here: it is sealed under a key of the application")
    }
    tellDetails()
  }

  fileprivate func tell() throws {
    let parts = [
      (report.arrived, "new here"), (report.changed, "changed here"),
      (report.deleted, "deleted here"), (report.told, "told"),
    ].filter { $0.0 > 0 }
    if !parts.isEmpty {
      let words = parts.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
      try StandardOutput.line("data: \(StandardOutput.shown(store.name)): \(words)")
    }
    tellDetails()
  }

  private func tellDetails() {
    let shown = StandardOutput.shown(store.name)
    let name = ProgramName.current
    if isNew, report.arrived + report.joined > 0 {
      StandardError.note(
        Plural.objects(report.arrived) + " arrived; \(report.joined) that were here already are "
          + "the same")
    }
    if report.lost > 0 {
      StandardError.note(
        Plural.values(report.lost) + " of \(shown) lost to a change of another machine",
        hint: "\(name) data conflicts \(Quoting.typed(store.application))")
    }
    if !report.compared.isEmpty {
      StandardError.note(
        "\(shown) was compared whole: nothing had noted what was changed in "
          + report.compared.map(StandardOutput.shown).joined(separator: ", "))
    }
    if report.waiting > 0 {
      StandardError.note(
        Plural.values(report.waiting) + " of \(shown) wait for another version of the "
          + "application")
    }
    if report.hidden > 0 {
      StandardError.note(
        "not shown, and kept: " + Plural.objects(report.hidden) + " of \(shown); another machine "
          + "deleted the owner, or something required",
        hint: "\(name) data conflicts \(Quoting.typed(store.application))")
    }
    if report.undeleted > 0 {
      StandardError.note(
        "there again: " + Plural.objects(report.undeleted) + " of \(shown); something was made "
          + "meanwhile that does not allow the deletion")
    }
    if report.unified > 0 {
      StandardError.note(
        "had a unique value that another one has, and is one with it: "
          + Plural.objects(report.unified) + " of \(shown)",
        hint: report.lost > 0
          ? nil : "\(name) data conflicts \(Quoting.typed(store.application))")
    }
    if report.kept > 0 {
      StandardError.note(
        "this machine only reads its space: what was changed in " + Plural.rows(report.kept)
          + " of \(shown) stays here")
    }
    for property in report.tooLong.sorted() {
      StandardError.note(
        "\(StandardOutput.shown(property)) has a value that is too long to be synchronized")
    }
    for label in report.newer.sorted() {
      StandardError.note(
        "records of \(StandardOutput.shown(label)) about \(shown) are of a newer version, and wait",
        hint: "update this machine's \(name)")
    }
    for label in report.malformed.sorted() {
      StandardError.warning(
        "a record of \(StandardOutput.shown(label)) about \(shown) makes no sense: nothing that it "
          + "says from there on is taken", hint: "\(name) sync remove \(Quoting.typed(label))")
    }
    for label in report.channel.waiting {
      StandardError.note(
        "records of \(StandardOutput.shown(label)) about \(shown) are still on their way")
    }
    for problem in report.channel.problems {
      StandardError.warning(Sanitizer.visible(problem.message), hint: problem.hint)
    }
  }
}

extension DataSync.Status {
  package var json: JSONValue {
    .object([
      ("store", .string(store.name)), ("objects", .number(Int64(objects))),
      ("changed", .number(Int64(changed))), ("unsent", .number(Int64(unsent))),
      ("lost", .number(Int64(lost))), ("waiting", .number(Int64(waiting))),
      ("lastRun", .optional(lastRun.map { Timestamp.text($0) })), ("problem", .optional(problem)),
    ])
  }

  private var lastRun: Date? {
    store.lastRun == 0 ? nil : Date(timeIntervalSince1970: Double(store.lastRun) / 1000)
  }

  /// The state as a row.
  package func row(at now: Date) -> [String] {
    let shown = StandardOutput.shown(store.name)
    if let problem { return ["data", "\(shown): \(StandardOutput.shown(problem))"] }
    var parts = [
      Plural.objects(objects), "\(changed + unsent) not sent",
      lastRun.map { "last \($0.relative(to: now))" } ?? "never synchronized",
    ]
    if lost > 0 { parts.append("\(lost == 1 ? "1 conflict" : "\(lost) conflicts")") }
    if waiting > 0 { parts.append("\(waiting) waiting") }
    return ["data", "\(shown): \(parts.joined(separator: ", "))"]
  }
}
