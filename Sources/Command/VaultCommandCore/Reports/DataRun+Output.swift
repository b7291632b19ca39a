package import FoundationEssentials
package import VaultDataSync
package import VaultStorage
import VaultSync
import VaultTerminal

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

  /// How many rows others have made, changed or deleted here.
  var taken: UInt64 { report.map { UInt64($0.arrived + $0.changed + $0.deleted) } ?? 0 }
  /// How many changes of rows the others are told.
  var told: UInt64 { report.map { UInt64($0.told) } ?? 0 }
  /// Whether anything was done.
  var isNews: Bool { taken + told > 0 }

  private var report: DataSyncReport? { try? result.get().report }

  /// Brings the stores that were added together with the space; what went wrong with one of them
  /// stops no other one.
  static func all(of space: SyncedVault) throws -> [DataRun] {
    try DataSync(space).run().map { DataRun(name: $0.store.name, result: $0.result) }
  }

  /// Says what was done, if anything was.
  ///
  /// - Parameter told: What the run before said of the store: of a state that lasts, nothing is said
  ///   again.
  /// - Returns: What there was to say.
  /// - Throws: `System.Failure`.
  @discardableResult
  package func tell(after told: Set<String> = []) throws -> Set<String> {
    if case .success(let outcome) = result { try outcome.tellCounts() }
    let remarks = remarks
    for remark in remarks where !(remark.isState && told.contains(remark.text)) { remark.tell() }
    return Set(remarks.map(\.text))
  }

  private var remarks: [DataRemark] {
    switch result {
    case .success(let outcome): return outcome.remarks
    case .failure(let error):
      let reason = (error as? StorageError)?.message ?? (error as? SyncError)?.message
      return [
        DataRemark(
          "\(name) was not synchronized: \(reason ?? "\(error)")", isWarning: true, isState: true)
      ]
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

/// A sentence about a store.
private struct DataRemark {
  let text: String
  var hint: String?
  var isWarning = false
  /// Whether it holds until something changes: the next run would say it again.
  var isState = false

  init(_ text: String, hint: String? = nil, isWarning: Bool = false, isState: Bool = false) {
    self.text = text
    self.hint = hint
    self.isWarning = isWarning
    self.isState = isState
  }

  func tell() {
    if isWarning {
      StandardError.warning(Sanitizer.visible(text), hint: hint)
    } else {
      StandardError.note(text, hint: hint)
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
      ("local", .strings(local)), ("database", .optional(database)),
      ("sent", .number(Int64(report.channel.sent))),
      ("received", .number(Int64(report.channel.received))),
      ("mended", .number(Int64(report.channel.mended))),
      ("newer", .strings(report.newer.sorted())),
      ("malformed", .strings(report.malformed.sorted())),
      ("onTheirWay", .strings(report.channel.waiting)),
      ("problems", .strings(report.channel.problems.map(\.message))),
    ])
  }

  /// Says that the store was added.
  func tellAdded() {
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
    for remark in remarks { remark.tell() }
  }

  /// Says how many rows were brought here, and how many go out.
  fileprivate func tellCounts() throws {
    let parts = [
      (report.arrived, "new here"), (report.changed, "changed here"),
      (report.deleted, "deleted here"), (report.told, "told"),
    ].filter { $0.0 > 0 }
    if !parts.isEmpty {
      let words = parts.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
      try StandardOutput.line("data: \(StandardOutput.shown(store.name)): \(words)")
    }
  }

  /// What a person should know beside.
  fileprivate var remarks: [DataRemark] {
    var remarks: [DataRemark] = []
    func note(_ text: String, hint: String? = nil, isState: Bool = false) {
      remarks.append(DataRemark(text, hint: hint, isState: isState))
    }
    let shown = StandardOutput.shown(store.name)
    let name = ProgramName.current
    if isNew, report.arrived + report.joined > 0 {
      note(
        Plural.objects(report.arrived) + " arrived; \(report.joined) that were here already are "
          + "the same")
    }
    if report.lost > 0 {
      note(
        Plural.values(report.lost) + " of \(shown) lost to a change of another machine",
        hint: "\(name) data conflicts \(Quoting.typed(store.application))")
    }
    if !report.compared.isEmpty {
      note(
        "\(shown) was compared whole: nothing had noted what was changed in "
          + report.compared.map(StandardOutput.shown).joined(separator: ", "))
    }
    if report.waiting > 0 {
      note(
        Plural.values(report.waiting) + " of \(shown) wait for another version of the "
          + "application")
    }
    if report.hidden > 0 {
      note(
        "not shown, and kept: " + Plural.objects(report.hidden) + " of \(shown); another machine "
          + "deleted the owner, or something required",
        hint: "\(name) data conflicts \(Quoting.typed(store.application))")
    }
    if report.undeleted > 0 {
      note(
        "there again: " + Plural.objects(report.undeleted) + " of \(shown); something was made "
          + "meanwhile that does not allow the deletion")
    }
    if report.unified > 0 {
      note(
        "had a unique value that another one has, and is one with it: "
          + Plural.objects(report.unified) + " of \(shown)",
        hint: report.lost > 0
          ? nil : "\(name) data conflicts \(Quoting.typed(store.application))")
    }
    if report.kept > 0 {
      note(
        "this machine only reads its space: what was changed in " + Plural.rows(report.kept)
          + " of \(shown) stays here", isState: true)
    }
    for property in report.tooLong.sorted() {
      note(
        "\(StandardOutput.shown(property)) has a value that is too long to be synchronized",
        isState: true)
    }
    for label in report.newer.sorted() {
      note(
        "records of \(StandardOutput.shown(label)) about \(shown) are of a newer version, and wait",
        hint: "update this machine's \(name)", isState: true)
    }
    for label in report.malformed.sorted() {
      remarks.append(
        DataRemark(
          "a record of \(StandardOutput.shown(label)) about \(shown) makes no sense: nothing that it "
            + "says from there on is taken", hint: "\(name) sync remove \(Quoting.typed(label))",
          isWarning: true, isState: true))
    }
    if report.channel.mended > 0 {
      note(
        "the store had lost " + Plural.records(report.channel.mended)
          + " about \(shown): written again")
    }
    for label in report.channel.waiting {
      note(
        "records of \(StandardOutput.shown(label)) about \(shown) are still on their way",
        isState: true)
    }
    for problem in report.channel.problems {
      remarks.append(
        DataRemark(problem.message, hint: problem.hint, isWarning: true, isState: true))
    }
    return remarks
  }
}

extension DataSync.Status {
  package var json: JSONValue {
    .object([
      ("store", .string(store.name)), ("objects", .number(Int64(objects))),
      ("changed", .number(Int64(changed))), ("unsent", .number(Int64(unsent))),
      ("lost", .number(Int64(lost))), ("waiting", .number(Int64(waiting))),
      ("lastRun", .optional(lastRun.map { Timestamp.text($0) })), ("database", .optional(database)),
      ("problem", .optional(problem)),
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
    if let database { parts.append("for \(StandardOutput.shown(database))") }
    return ["data", "\(shown): \(parts.joined(separator: ", "))"]
  }
}
