package import VaultCredentials
package import VaultProtocols
import VaultSealing
package import VaultStorage
import VaultSync
import VaultTerminal

/// What was moved out of files, so that it can go back: an item of the vault for each machine, since
/// the entries of a file name accounts, and two machines have files of the same names.
///
/// The item may come from another member of a space, who could write into it what they like. So the
/// state folder has a hash of each entry that this home has written, and no other entry is believed.
/// The words of the programs beside them let `disconnect` open the vault only where there is something
/// to restore.
package struct MovedSecrets {
  /// An entry that this home has written.
  private struct Mark: Hashable {
    let program: ClearTextProgram
    /// The home that wrote it: another one where this home is a copy.
    let home: String
    let hash: String
    /// Whether the record may not have it: it is being written, or taken out.
    ///
    /// A command that was ended in between leaves it so.
    var isPending = false

    init(_ entry: ClearTextEntry, in home: String) throws {
      (program, self.home) = (entry.program, home)
      let text = "VLT1/moved \(home) \(ClearTextEntry.text(of: [entry]))"
      hash = Hexadecimal.text(try Hash.blake2b(Array(text.utf8), count: 16))
    }

    init?(line: String) {
      let words = line.parts(at: " ", keepsEmpty: true).map { String($0) }
      guard words.count == 3 || words.count == 4 && words[3].isSame(as: Self.pending),
        let program = ClearTextProgram(rawValue: words[0])
      else { return nil }
      (self.program, home, hash) = (program, words[1], words[2])
      isPending = words.count == 4
    }

    var line: String {
      "\(program.rawValue) \(home) \(hash)\(isPending ? " \(Self.pending)" : "")\n"
    }

    private static let pending = "pending"

    /// Whether both are of one entry.
    func isSame(as other: Mark) -> Bool {
      program == other.program && home.isSame(as: other.home) && hash.isSame(as: other.hash)
    }
  }

  private let path: String
  private var marks: [Mark]
  /// One line at a time reads and writes them.
  private let lock: FileLock?
  /// The item that does not say any more what this home has written into it, once
  /// ``restore(from:dryRun:where:)`` has met one: somebody else has changed it.
  package private(set) var changedRecord: ItemName?

  /// Reads what this home has written.
  ///
  /// - Throws: What reading a file throws.
  package init(_ settings: VaultSettings) throws {
    let name = settings.vaultName ?? ProcessState.variable(EnvironmentNames.vaultName)
    let folder = try settings.location().state
    path = folder + "/moved" + (name.map { ".\($0)" } ?? "")
    lock = try? FileLock("moved.lock", in: Directory(folder, create: true), timeout: .seconds(60))
    let text = try ConfigurationFile(path: path).text()
    marks = ConfigurationFile.lines(of: text).compactMap(Mark.init(line:))
  }

  /// What stands for the rest of a file.
  static func hash(of rest: String) throws -> String {
    Hexadecimal.text(try Hash.blake2b(Array(rest.utf8), count: 16))
  }

  /// Where the item lies by which something could go back, and cannot: in the trash, or nowhere.
  package enum Absence {
    case trashed(ItemName)
    case gone
  }

  /// Why nothing of some programs can go back, although this home has moved it.
  ///
  /// - Parameters:
  ///   - programs: The programs.
  ///   - vault: The vault.
  /// - Returns: `nil` if the item is there, or nothing was moved.
  /// - Throws: What reading throws.
  package func absence(
    of programs: Set<ClearTextProgram>, in vault: UnlockedVault.Blocking
  ) throws -> Absence? {
    let snapshot = try vault.read()
    let homes = marks.filter { programs.contains($0.program) && !$0.isPending }.map(\.home)
    guard !homes.isEmpty, homes.allSatisfy({ Self.item(of: $0, in: snapshot) == nil }) else {
      return nil
    }
    var query = ItemQuery()
    query.attributes = [Item.clientAttribute: Item.moveClient]
    let trashed = snapshot.trash(matching: query).map(\.item).first { item in
      homes.contains { item.attributes[Item.moveHome]?.isSame(as: $0) ?? false }
    }
    return trashed.map { .trashed($0.name) } ?? .gone
  }

  /// Whether another home than this one has noted what it moved of some programs: this one does not
  /// believe it.
  ///
  /// - Parameters:
  ///   - programs: The programs.
  ///   - vault: The vault.
  /// - Returns: The item that says so; `nil` if there is none.
  /// - Throws: What reading throws.
  package static func foreignRecord(
    of programs: [ClearTextProgram], in vault: UnlockedVault.Blocking
  ) throws -> ItemName? {
    let snapshot = try vault.read()
    var query = ItemQuery()
    query.attributes = [Item.clientAttribute: Item.moveClient]
    return try snapshot.items(matching: query).first { item in
      let text = try snapshot.secret(of: item).text ?? ""
      return ClearTextEntry.entries(in: text).contains { programs.contains($0.program) }
    }?.name
  }

  /// Refuses to undo a move: the files are empty, so their secrets would be nowhere but in the trash,
  /// and without its record nothing puts them back.
  ///
  /// - Parameters:
  ///   - before: The vault as it is.
  ///   - after: The vault as the undo would leave it.
  /// - Throws: ``CommandError`` with code `not-allowed`; what reading throws.
  package func checkUndoing(_ before: VaultSnapshot, _ after: VaultEdit) throws {
    let homes = Set(marks.map(\.home))
    guard !homes.isEmpty else { return }
    var lost: Set<ClearTextProgram> = []
    for home in homes {
      guard let record = Self.item(of: home, in: before) else { continue }
      let moved = try entries(of: home, in: before)
      let now = after[record.name]
      if now?.id != record.id || now?.version != record.version {
        lost.formUnion(moved.map(\.program))
        continue
      }
      lost.formUnion(
        moved.filter { entry in
          before.item(withID: entry.item).map { after[$0.name]?.id != $0.id } ?? false
        }.map(\.program))
    }
    guard !lost.isEmpty else { return }
    let name = ProgramName.current
    let words = lost.map(\.rawValue).sorted()
    throw CommandError(
      .notAllowed,
      "the last change moved secrets between files and the vault, which undo does not do",
      hint: "into their files again: \(name) disconnect \(words[0])"
        + (words.count > 1 ? ", and \(words.dropFirst().joined(separator: ", "))" : "")
        + "; into the vault: \(name) import home; an earlier version of an item: \(name) history NAME"
    )
  }

  /// The programs of which there may be something to restore.
  package var programs: Set<ClearTextProgram> { Set(marks.map(\.program)) }

  /// The names of other vaults, below the same home, into which something of some programs was moved;
  /// `nil` for the default one.
  ///
  /// - Parameters:
  ///   - programs: The programs.
  ///   - settings: Which vault is meant.
  /// - Returns: The names, in order.
  /// - Throws: `StorageError` where the state folder cannot be named.
  package static func otherVaults(
    with programs: Set<ClearTextProgram>, _ settings: VaultSettings
  ) throws -> [String?] {
    let own = settings.vaultName ?? ProcessState.variable(EnvironmentNames.vaultName)
    let folder = try settings.location().state
    return ((try? UserFile.names(in: folder)) ?? []).sorted().compactMap { file -> String?? in
      guard file.isSame(as: "moved") || file.begins(with: "moved."),
        !file.isSame(as: "moved.lock"),
        let text = try? ConfigurationFile(path: "\(folder)/\(file)").text()
      else { return nil }
      let name = file.isSame(as: "moved") ? nil : String(file.dropFirst("moved.".count))
      let isOther = name.map { own?.isSame(as: $0) != true } ?? (own != nil)
      let has = ConfigurationFile.lines(of: text).compactMap(Mark.init(line:))
        .contains { programs.contains($0.program) && !$0.isPending }
      return isOther && has ? .some(name) : nil
    }
  }

  private func save() throws {
    let file = ConfigurationFile(path: path)
    let text = marks.map(\.line).joined()
    guard try !file.text().isSame(as: text) else { return }
    if text.isEmpty { try file.remove() } else { try file.replace(with: text, mode: 0o600) }
  }

  // MARK: - The record

  /// The id of this home: a copy of it has another one.
  private static func home(of vault: UnlockedVault.Blocking) throws -> String {
    let path = vault.path
    let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } ?? "."
    return Hexadecimal.text(try HomeIdentity(machine: vault.machineID(), folder: folder).bytes)
  }

  private static func item(of home: String, in snapshot: VaultSnapshot) -> Item? {
    var query = ItemQuery()
    query.attributes = [Item.clientAttribute: Item.moveClient, Item.moveHome: home]
    return snapshot.items(matching: query).first
  }

  /// Another file than this one out of which an item's secret was moved; `nil` if there is none.
  func path(
    of item: String, otherThan path: String, in snapshot: VaultSnapshot
  ) throws -> String? {
    for home in Set(marks.map(\.home)) {
      let other = try entries(of: home, in: snapshot).first {
        $0.item == item && !$0.path.isSame(as: path)
      }
      if let other { return other.path }
    }
    return nil
  }

  /// What a home has moved, the oldest first, as far as this one believes it.
  private func entries(of home: String, in snapshot: VaultSnapshot) throws -> [ClearTextEntry] {
    guard let item = Self.item(of: home, in: snapshot),
      let text = try snapshot.secret(of: item).text
    else { return [] }
    let believed = Set(marks.map(\.hash))
    return try ClearTextEntry.entries(in: text).filter { entry in
      believed.contains(try Mark(entry, in: home).hash)
    }
  }

  /// Notes what will be moved.
  mutating func add(_ entries: [ClearTextEntry], to vault: UnlockedVault.Blocking) throws {
    let home = try Self.home(of: vault)
    let snapshot = try vault.read()
    var all = try self.entries(of: home, in: snapshot)
    var replaced: [Mark] = []
    for entry in entries {
      let same = { (other: ClearTextEntry) in
        other.path.isSame(as: entry.path) && other.entry.isSame(as: entry.entry)
      }
      replaced += try all.filter(same).map { try Mark($0, in: home) }
      all.removeAll(where: same)
      all.append(entry)
    }
    // The marks come first: an entry without one would never go back. Until the record is written,
    // nothing is said of those that it has or loses by that.
    let written = try all.map { try Mark($0, in: home) }
    let before = marks
    expectToLeave(replaced)
    for var mark in written where !marks.contains(where: mark.isSame) {
      mark.isPending = true
      marks.append(mark)
    }
    if marks != before { try save() }
    try Self.write(all, of: home, to: vault, snapshot)
    // What was replaced is not believed any more, nor what never came into the record.
    marks.removeAll { mark in
      mark.isPending && mark.home.isSame(as: home) && !written.contains(where: mark.isSame)
    }
    for index in marks.indices where written.contains(where: marks[index].isSame) {
      marks[index].isPending = false
    }
    if marks != before { try save() }
  }

  /// Marks entries as such that the record may not have any more.
  private mutating func expectToLeave(_ leaving: [Mark]) {
    for index in marks.indices where leaving.contains(where: marks[index].isSame) {
      marks[index].isPending = true
    }
  }

  /// Writes the record; where it `forgets`, what it had before is nowhere any more, neither in its
  /// history nor in the trash.
  private static func write(
    _ entries: [ClearTextEntry], of home: String, to vault: UnlockedVault.Blocking,
    _ snapshot: VaultSnapshot, forgets: Bool = false
  ) throws {
    let known = item(of: home, in: snapshot)
    guard !entries.isEmpty else {
      if let known { try vault.remove(known.name, purge: forgets) }
      return
    }
    var changes = ItemChanges()
    changes.kind = .secret
    changes.attributes = [Item.clientAttribute: Item.moveClient, Item.moveHome: home]
    changes.note =
      "What 'connect --move' and 'import home' took out of files of one machine; "
      + "'disconnect' there puts it back."
    let name = try known?.name ?? FreeName.like("moved-files") { snapshot[$0] != nil }
    let draft = ItemDraft(
      name, main: try SecretBytes(text: ClearTextEntry.text(of: entries)), changes: changes)
    try vault.edit { edit in
      if forgets, let known { try edit.purge(known.name) }
      _ = try edit.store(draft)
    }
  }

  // MARK: - For good

  /// Forgets what was moved into items that are purged: the record has whole files as they were.
  ///
  /// - Parameters:
  ///   - items: The ids of the items.
  ///   - vault: The vault.
  /// - Returns: The records of other homes, which name such an item and are theirs to change.
  /// - Throws: What reading and writing throw.
  package mutating func purge(
    _ items: Set<String>, in vault: UnlockedVault.Blocking
  ) throws -> [ItemName] {
    let here = try Self.home(of: vault)
    let snapshot = try vault.read()
    let own = try entries(of: here, in: snapshot)
    let paths = Set(own.filter { items.contains($0.item) }.map(\.path))
    if !paths.isEmpty {
      let left = own.filter { !items.contains($0.item) }.map { entry in
        // Its file goes back line by line, without the lines of what is gone.
        paths.contains { $0.isSame(as: entry.path) } ? entry.withoutOriginal : entry
      }
      let gone = try own.map { try Mark($0, in: here) }
      let written = try left.map { try Mark($0, in: here) }
      marks += written.filter { new in !marks.contains(where: new.isSame) }
      try save()
      try Self.write(left, of: here, to: vault, snapshot, forgets: true)
      marks.removeAll { mark in
        gone.contains(where: mark.isSame) && !written.contains(where: mark.isSame)
      }
      try save()
    }
    var query = ItemQuery()
    query.attributes = [Item.clientAttribute: Item.moveClient]
    return try snapshot.items(matching: query).filter { record in
      guard record.attributes[Item.moveHome]?.isSame(as: here) != true else { return false }
      let text = try snapshot.secret(of: record).text ?? ""
      return ClearTextEntry.entries(in: text).contains { items.contains($0.item) }
    }.map(\.name)
  }

  // MARK: - Back

  /// Forgets what was moved, which stays in the vault alone from now on.
  ///
  /// - Parameters:
  ///   - vault: The vault.
  ///   - dryRun: Whether to say only what would be forgotten.
  ///   - isWanted: What.
  /// - Returns: The number of secrets.
  /// - Throws: What reading and writing throw.
  package mutating func forget(
    in vault: UnlockedVault.Blocking, dryRun: Bool, where isWanted: (ClearTextEntry) -> Bool
  ) throws -> Int {
    let here = try Self.home(of: vault)
    let snapshot = try vault.read()
    var count = 0
    for home in Set(marks.map(\.home)) {
      let all = try entries(of: home, in: snapshot)
      let gone = all.filter(isWanted)
      count += gone.count
      guard !dryRun, !gone.isEmpty else { continue }
      let done = try gone.map { try Mark($0, in: home) }
      // What this home was copied from keeps its own record.
      if home.isSame(as: here) {
        expectToLeave(done)
        try save()
        // An earlier version of the record would have the secrets still.
        try Self.write(
          all.filter { !isWanted($0) }, of: home, to: vault, snapshot, forgets: true)
      }
      marks.removeAll { mark in done.contains(where: mark.isSame) }
    }
    if !dryRun { try save() }
    return count
  }

  /// What came of one that was to go back.
  package struct Restored {
    package let entry: ClearTextEntry
    /// Why it stays in the vault alone; `nil` for one that is in its file again.
    package let problem: String?

    /// As an object of JSON.
    package var json: JSONValue {
      .object([
        ("path", .string(entry.path)), ("entry", .string(entry.entry)),
        ("problem", .optional(problem)),
      ])
    }
  }

  /// Puts secrets back into the files that they were taken out of, as they are in the vault now.
  ///
  /// - Parameters:
  ///   - vault: The vault, in which they stay.
  ///   - dryRun: Whether to say only what would go back.
  ///   - isWanted: Which ones.
  /// - Returns: What was restored, or would be.
  /// - Throws: What reading and writing throw.
  package mutating func restore(
    from vault: UnlockedVault.Blocking, dryRun: Bool, where isWanted: (ClearTextEntry) -> Bool
  ) throws -> [Restored] {
    let here = try Self.home(of: vault)
    let snapshot = try vault.read()
    let items = Dictionary(snapshot.items().map { ($0.id, $0) }) { one, _ in one }
    var restored: [Restored] = []
    var homes: [String] = []
    for home in marks.map(\.home) where !homes.contains(home) { homes.append(home) }
    for home in homes {
      let all = try entries(of: home, in: snapshot)
      if let item = Self.item(of: home, in: snapshot),
        marks.count(where: { $0.home.isSame(as: home) && !$0.isPending }) > all.count
      {
        changedRecord = item.name
      }
      var back: Set<ClearTextEntry> = []
      // The last step first: the file that it left is what the one before has made.
      for (group, original) in Self.wholeFiles(all, isWanted).reversed() {
        guard try Self.isAsItWas(group, original, items, in: snapshot) else { continue }
        if !dryRun {
          try ConfigurationFile(path: group[0].path).replace(with: original, mode: 0o600)
        }
        restored += group.map { Restored(entry: $0, problem: nil) }
        back.formUnion(group)
      }
      var files: [String: String] = [:]
      for entry in all where isWanted(entry) && !back.contains(entry) {
        let problem = try Self.restore(entry, items[entry.item], in: snapshot, to: &files)
        restored.append(Restored(entry: entry, problem: problem))
        if problem == nil { back.insert(entry) }
      }
      guard !dryRun else { continue }
      for (path, text) in files.sorted(by: { $0.key < $1.key }) {
        let file = ConfigurationFile(path: path)
        // A file that is made for secrets is for its owner alone.
        if try !file.text().isSame(as: text) { try file.replace(with: text, mode: 0o600) }
      }
      let left = all.filter { !back.contains($0) }
      let done = try back.map { try Mark($0, in: home) }
      // What this home was copied from keeps its own record.
      if !back.isEmpty, home.isSame(as: here) {
        expectToLeave(done)
        try save()
        try Self.write(left, of: home, to: vault, snapshot)
      }
      // Without the item nothing is left that could go back.
      let isGone = Self.item(of: home, in: snapshot) == nil
      marks.removeAll { mark in
        done.contains(where: mark.isSame) || isGone && mark.home.isSame(as: home)
      }
    }
    if !dryRun { try save() }
    return restored
  }

  /// The entries that were taken out of a file in one step, all of which are to go back, with the file
  /// as it was.
  private static func wholeFiles(
    _ all: [ClearTextEntry], _ isWanted: (ClearTextEntry) -> Bool
  ) -> [(entries: [ClearTextEntry], original: String)] {
    // The first of a step has the file, and the others of it follow.
    var steps: [(entries: [ClearTextEntry], original: String)] = []
    var newest: [String: Int] = [:]
    for entry in all {
      if let original = entry.original, entry.rest != nil {
        newest[entry.path] = steps.count
        steps.append(([entry], original))
      } else if let step = newest[entry.path], entry.rest == steps[step].entries[0].rest {
        steps[step].entries.append(entry)
      }
    }
    return steps.filter { $0.entries.allSatisfy(isWanted) }
  }

  /// Whether nobody has changed a file since, nor one of the secrets: then it goes back as it was.
  private static func isAsItWas(
    _ group: [ClearTextEntry], _ original: String, _ items: [String: Item],
    in snapshot: VaultSnapshot
  ) throws -> Bool {
    let first = group[0]
    guard first.program.paths({ ProcessState.variable($0) }).contains(first.path),
      let text = try? ConfigurationFile(path: first.path).text(),
      try hash(of: text) == first.rest,
      let secrets = try? first.program.secrets(in: original)
    else { return false }
    let named = Dictionary(secrets.map { (Array($0.entry.utf8), $0) }) { first, _ in first }
    return try group.allSatisfy { entry in
      guard let item = items[entry.item], let secret = named[Array(entry.entry.utf8)]
      else { return false }
      return try secret.isHeld(by: item, in: snapshot)
    }
  }

  /// Puts one secret back into the text of its file; returns why it cannot be, or `nil`.
  private static func restore(
    _ entry: ClearTextEntry, _ item: Item?, in snapshot: VaultSnapshot,
    to files: inout [String: String]
  ) throws -> String? {
    // The variables that say where the files are may be others now.
    guard entry.program.paths({ ProcessState.variable($0) }).contains(entry.path) else {
      return
        "\(entry.program.rawValue) has another file now: set the variable that named this one, "
        + "and disconnect again"
    }
    guard let item else {
      guard
        let trashed = snapshot.trash(matching: ItemQuery()).first(where: {
          $0.item.id == entry.item
        })
      else { return "its item is not there any more" }
      let name = StandardOutput.shown(Quoting.shell(trashed.item.name.text))
      return "its item is in the trash: take it out by "
        + "'\(HintLine.located("\(ProgramName.current) restore \(name)"))'"
    }
    let whole = try snapshot.secrets(of: item)
    guard let main = whole.main.text else { return "its secret is not text" }
    let value = ClearTextValue(
      entry: entry.entry, main: main, fields: whole.fields.compactMapValues(\.text),
      attributes: item.attributes)
    do {
      let before = try files[entry.path] ?? ConfigurationFile(path: entry.path).text()
      files[entry.path] = try entry.program.adding(value, to: before)
      return nil
    } catch let error as ProtocolError {
      return error.message
    }
  }
}
