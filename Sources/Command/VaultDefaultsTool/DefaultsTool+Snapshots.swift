import FoundationEssentials
import VaultPreferences
import VaultStorage

/// `snapshot` and `diff`.
extension DefaultsTool {
  func snapshot(_ arguments: ArraySlice<String>) throws {
    var words = arguments
    let options = try DefaultsOptions.takeAll(
      &words, flags: ["--list", "--replace"],
      values: ["--remove", "--restore", "--output", "--input"])
    if options.has("--list") {
      guard words.isEmpty else { throw DefaultsUsage() }
      for snapshot in try reading()?.snapshots() ?? [] {
        print("\(Quoting.visible(snapshot.name))\t\(ChangeText.time(snapshot.date))")
      }
    } else if let name = options.value("--remove") {
      guard words.isEmpty else { throw DefaultsUsage() }
      try writing().removeSnapshot(named: name)
    } else if let name = options.value("--restore") {
      guard words.isEmpty else { throw DefaultsUsage() }
      try catchUpCopies()
      let database = try writing()
      let snapshot = try database.snapshot(named: name)
      var left: Set<String> = []
      let reasons = try database.restore(
        snapshot,
        where: { domain in
          domain != Self.handedOn && !self.isReadOnly(domain)
            && (self.desktop == nil || self.isMeant(domain.name))
        },
        isCovered: { domain in
          guard !self.isCovered(domain, by: snapshot) else { return true }
          left.insert(self.part(of: domain))
          return false
        }, isFixed: { try self.isFixedOnDesktop($0, in: $1) })
      // What the desktop refuses is not restored, and nothing must be said of it.
      try pushToDesktop()
      for part in left.sorted() {
        warn("\(part) was not looked at before the snapshot; it was left as it is")
      }
      for reason in reasons {
        warn("\(reason); it was left as it is")
      }
    } else {
      let name = words.popFirst()
      guard words.isEmpty else { throw DefaultsUsage() }
      if let path = options.value("--output") { return try writeSnapshot(name, to: path) }
      try takeSnapshot(
        name, from: options.value("--input"), isReplacing: options.has("--replace"))
    }
  }

  /// What stands for the snapshot that was taken last.
  private static let latest = "latest"

  private func takeSnapshot(_ named: String?, from path: String?, isReplacing: Bool) throws {
    if let named, named.isEmpty || named == Self.latest {
      throw DefaultsRefusal(
        named.isEmpty
          ? "A snapshot has a name.\nNothing was taken."
          : "'\(named)' stands for the snapshot that was taken last.\nNothing was taken. Choose "
            + "another name, or none.")
    }
    if let named, named.begins(with: "--") {
      throw DefaultsRefusal(
        "A snapshot's name does not begin with --, as options do.\nNothing was taken. Choose another "
          + "name.")
    }
    if let named, named.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) {
      throw DefaultsRefusal(
        "A snapshot's name has no control characters.\nNothing was taken. Choose another name.")
    }
    let database = try writing()
    let state: PreferenceSnapshot
    if let path {
      state = try PreferenceSnapshot(file: try fileBytes(path))
    } else {
      try catchUpCopies()
      state = try database.currentState()
    }
    for reason in state.problems { warn("\(reason); it is not in the snapshot") }
    var name = try named ?? freeName(for: state.date, in: database)
    while true {
      do {
        try database.keep(state, named: name, isReplacing: isReplacing && named != nil)
        break
      } catch {
        guard error.code == .conflict else { throw error }
        // Another line has taken the number meanwhile.
        if named == nil {
          name = try freeName(for: state.date, in: database)
          continue
        }
        throw DefaultsRefusal(
          "\(error.message)\nNothing was taken. Another name keeps both; --replace replaces it.")
      }
    }
    print("Snapshot '\(name)' taken.")
  }

  /// The time as a name, with a number where two are taken in one second.
  private func freeName(for date: Date, in database: PreferenceDatabase) throws -> String {
    let taken = Set(try database.snapshots().map(\.name))
    let time = (CalendarTime(date)?.iso8601 ?? "\(date)").substituting(":", with: "-")
    var (name, number) = (time, 1)
    while taken.contains(name) {
      number += 1
      name = "\(time)-\(number)"
    }
    return name
  }

  /// Writes a snapshot, or what is now, to a file.
  private func writeSnapshot(_ name: String?, to path: String) throws {
    if name == nil { try catchUpCopies() }
    guard let database = try reading() else { throw DefaultsRefusal("There is nothing to write.") }
    let state = try name.map { try database.snapshot(named: $0) } ?? database.currentState()
    for reason in state.problems { warn("\(reason); it is not in the file") }
    try write(state.file, to: path)
  }

  func diff(_ arguments: ArraySlice<String>) throws {
    var words = arguments
    let options = try DefaultsOptions.takeAll(
      &words, flags: ["--json", "--prune", "--merge"], values: ["--format"])
    if let path = words.first, DefaultsDocument.isFile(path), try !isSnapshot(path) {
      return try diff(filesAt: Array(words), options)
    }
    guard words.count <= 2, !options.has("--prune"), !options.has("--merge") else {
      throw DefaultsUsage()
    }
    if words.count < 2 { try catchUpCopies() }
    guard let database = try reading() else {
      throw DefaultsRefusal("there is no snapshot '\(words.first ?? Self.latest)'")
    }
    let before = try database.snapshot(named: words.popFirst() ?? Self.latest)
    let after =
      try words.popFirst().map { try database.snapshot(named: $0) } ?? database.currentState()
    let old = database.opening(before, besides: after)
    let new = database.opening(after, besides: before)
    for reason in Set(old.problems + new.problems).sorted() {
      warn("\(reason); it was not compared")
    }
    var differences = PreferenceDatabase.differences(from: old, to: new)
    differences.removeAll {
      $0.domain == Self.handedOn || desktop != nil && !isMeant($0.domain.name)
    }
    for difference in differences {
      print(
        options.has("--json") ? ChangeText.json(difference) : ChangeText.lines(difference))
    }
    if !differences.isEmpty { throw DefaultsRefusal(nil) }
  }

  /// Whether a word that could be a file is the name of a snapshot, which a folder before it tells
  /// apart.
  private func isSnapshot(_ word: String) throws -> Bool {
    guard word != "-", !word.begins(with: "/"), !word.begins(with: "."),
      !word.begins(with: "~")
    else { return false }
    return try reading()?.snapshots().contains { $0.name.isSame(as: word) } ?? false
  }

  /// All bytes of a file or of stdin.
  func fileBytes(_ path: String) throws -> [UInt8] {
    do {
      return path == "-" ? try streams.input() : try PropertyListFile.bytes(of: path)
    } catch {
      let reason = (error as? System.Failure).map { ": \($0.reason)" } ?? ""
      throw DefaultsRefusal("Could not read \(path)\(reason)\nDefaults have not been changed.")
    }
  }

  /// Writes a file, or to stdout.
  func write(_ bytes: [UInt8], to path: String) throws {
    if path == "-" {
      streams.output(bytes)
    } else {
      try PropertyListFile.export(bytes, to: path)
    }
  }
}
