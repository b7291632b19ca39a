import Glibc
package import VaultCredentials
package import VaultProtocols
import VaultSealing
import VaultStorage
import VaultTerminal

/// The secrets that programs keep in plain text in the home: what there is, the way into the vault, and the
/// way back.
package struct ClearTextSweep {
  /// A file with secrets in plain text.
  package struct Found {
    package let program: ClearTextProgram
    package let path: String
    package let secrets: [ClearTextSecret]
    /// Whether these are all that the file has.
    package let isWhole: Bool
    /// What the file has.
    fileprivate let text: String
    /// The file's number on its disk, where it had other names when it was looked at.
    fileprivate var linked: UInt64?

    /// The same file as it is now, with the same secrets.
    ///
    /// - Throws: ``CommandError`` with code `moved-file-changed` if they are others.
    fileprivate func now() throws -> Found {
      let now = try ConfigurationFile(path: path).text()
      guard !now.isSame(as: text) else { return self }
      let present = try program.secrets(in: now)
      let isSame = secrets.allSatisfy { secret in
        present.contains { $0.entry.isSame(as: secret.entry) && $0.main.isEqual(to: secret.main) }
      }
      guard isSame else {
        throw CommandError(
          .movedFileChanged, "\(StandardOutput.shown(path)) was changed meanwhile",
          hint: "run it again: what is in the vault stays there")
      }
      return Found(program: program, path: path, secrets: secrets, isWhole: isWhole, text: now)
    }

    /// What is left of it without the secrets; empty where the file goes.
    fileprivate func rest() throws -> String {
      try program.removing(secrets, from: text) ?? ""
    }
  }

  /// A file that is larger is not kept as a whole: what goes back goes line by line.
  private static let longestOriginal = 64 << 10

  /// What is longer is nobody's file of secrets.
  private static let longestInput = 64 << 20

  /// The files with secrets.
  package private(set) var files: [Found] = []
  /// Files that cannot be read, or changed, and why.
  package private(set) var unreadable: [(path: String, reason: String)] = []

  /// Lines of files that are comments, and may hold a secret that is out of use.
  package private(set) var comments: [(path: String, lines: [Int])] = []

  /// The number of secrets.
  package var count: Int { files.reduce(0) { $0 + $1.secrets.count } }

  /// Looks.
  ///
  /// - Parameters:
  ///   - programs: Whose files.
  ///   - path: One file in their place, `-` for stdin; `nil` for where they keep them.
  /// - Throws: `SealingError` with code `.outOfMemory`; ``CommandError`` with code
  ///   `file-not-found` or `configuration-unreadable` for a file that was named.
  package init(_ programs: [ClearTextProgram], path: String? = nil) throws {
    // Nothing found would be an all-clear for a home that nobody has looked at.
    guard path != nil || StoreLocation.namedHome(ProcessState.variable) != nil else {
      throw Connection.noHome
    }
    var seen: Set<String> = []
    for program in programs {
      for place in path.map({ [$0] }) ?? program.paths({ ProcessState.variable($0) }) {
        guard seen.insert("\(program.rawValue) \(place)").inserted else { continue }
        let isStandardInput = path == SecretInput.standardInput
        if path != nil, !isStandardInput, !UserFile.exists(place) {
          throw CommandError(
            .fileNotFound, "\(StandardOutput.shown(place)) does not exist",
            hint: "check the path that was given")
        }
        do {
          // kubectl takes a user from the first file that has it.
          func isKnown(_ secret: ClearTextSecret) -> Bool {
            program == .kube
              && files.contains { file in
                file.program == .kube
                  && file.secrets.contains { $0.entry.isSame(as: secret.entry) }
              }
          }
          let text =
            isStandardInput
            ? try SecretInput.read(0, limit: Self.longestInput).text ?? ""
            : try ConfigurationFile(path: place).text()
          let all = try program.secrets(in: text)
          let secrets = all.filter { !isKnown($0) }
          for secret in all where isKnown(secret) {
            unreadable.append(
              (place, "\(secret.entry) is in a file before it, too, which kubectl takes"))
          }
          if let doubt = try program.doubt(in: text) {
            unreadable.append((place, StandardOutput.shown(doubt)))
          }
          let lines = program.commentsWithSecrets(in: text)
          if !lines.isEmpty { comments.append((place, lines)) }
          guard !secrets.isEmpty else { continue }
          files.append(
            Found(
              program: program, path: place, secrets: secrets,
              isWhole: secrets.count == all.count, text: text, linked: Self.linked(place)))
        } catch let error as ProtocolError {
          unreadable.append((place, error.message))
        } catch let error as CommandError where path == nil {
          unreadable.append((place, error.message))
        }
      }
    }
  }

  /// The same with some of the secrets.
  package func keeping(_ isWanted: (ClearTextSecret) -> Bool) -> ClearTextSweep {
    var sweep = self
    sweep.files = files.compactMap { file in
      let secrets = file.secrets.filter(isWanted)
      guard !secrets.isEmpty else { return nil }
      return Found(
        program: file.program, path: file.path, secrets: secrets,
        isWhole: file.isWhole && secrets.count == file.secrets.count, text: file.text,
        linked: file.linked)
    }
    return sweep
  }

  /// The same without some of the files.
  package func leavingOut(_ paths: Set<String>) -> ClearTextSweep {
    var sweep = self
    sweep.files.removeAll { paths.contains($0.path) }
    return sweep
  }

  /// Other names of the files (hard links), which a new file in its place does not change.
  package var links: [(text: String, hint: String)] {
    files.compactMap { file in
      file.linked.map { number in
        (
          "\(StandardOutput.shown(file.path)) has another name, a hard link, under which its secrets "
            + "stay in plain text", "find it: find ~ -xdev -inum \(number)"
        )
      }
    }
  }

  /// What editors and people leave beside the files as a copy of them.
  package var copies: [(text: String, hint: String)] {
    files.flatMap { OtherClearText.copies(of: $0.path) }.map { copy in
      (
        "\(StandardOutput.shown(copy.path)), \(copy.what), may still have them in plain text",
        copy.hint
      )
    }
  }

  /// The number of a file that has several names.
  private static func linked(_ path: String) -> UInt64? {
    (try? System.targetStatus(of: path, in: AT_FDCWD)).flatMap {
      $0.linkCount > 1 ? $0.inode : nil
    }
  }

  // MARK: - Into the vault

  /// What became of a secret.
  package enum Outcome: String {
    /// It is a new item.
    case new
    /// The item has it as its new version.
    case changed
    /// The item has it already.
    case unchanged
    /// The item has another secret, and keeps it.
    case exists
  }

  /// A secret and the item that has it.
  package struct Stored {
    package let file: Found
    package let secret: ClearTextSecret
    package let name: ItemName
    package let outcome: Outcome
    fileprivate let id: String?
  }

  /// Stores the secrets, all of them in one step.
  ///
  /// - Parameters:
  ///   - vault: The vault.
  ///   - replaces: Whether an item with another secret gets a new version.
  /// - Returns: Each secret with its item.
  /// - Throws: What storing throws.
  package func store(
    in vault: UnlockedVault.Blocking, replaces: Bool
  ) throws -> [Stored] {
    let (planned, ids) = try vault.edit(planning: { try plan(in: $0, replaces: replaces) }) {
      edit, plan -> [ItemName: String]? in
      guard !plan.drafts.isEmpty else { return nil }
      var ids: [ItemName: String] = [:]
      for draft in plan.drafts { ids[draft.name] = try edit.store(draft).item.id }
      return ids
    }
    return planned.stored.map { one in
      Stored(
        file: one.file, secret: one.secret, name: one.name, outcome: one.outcome,
        id: one.id ?? ids?[one.name])
    }
  }

  /// What ``store(in:replaces:)`` would do.
  ///
  /// - Parameters:
  ///   - snapshot: The vault as it is; `nil` if there is none.
  ///   - replaces: Whether an item with another secret gets a new version.
  /// - Returns: Each secret with the item that would have it.
  /// - Throws: What reading throws.
  package func stored(in snapshot: VaultSnapshot?, replaces: Bool) throws -> [Stored] {
    try plan(in: snapshot, replaces: replaces).stored
  }

  private func plan(
    in snapshot: VaultSnapshot?, replaces: Bool
  ) throws -> (stored: [Stored], drafts: [ItemDraft]) {
    var stored: [Stored] = []
    var drafts: [ItemDraft] = []
    var taken: Set<ItemName> = []
    for file in files {
      for secret in file.secrets {
        let known = snapshot.flatMap { secret.item(in: $0) }
        guard case .store(var draft)? = try secret.changes(in: snapshot).first else {
          if let known {
            stored.append(
              Stored(
                file: file, secret: secret, name: known.name, outcome: .unchanged, id: known.id))
          }
          continue
        }
        let isThere = snapshot?[draft.name] != nil
        if isThere, !replaces {
          stored.append(
            Stored(file: file, secret: secret, name: draft.name, outcome: .exists, id: nil))
          continue
        }
        if !isThere {
          draft.name = try FreeName.like(draft.name.text) {
            taken.contains($0) || snapshot?[$0] != nil
          }
        }
        taken.insert(draft.name)
        drafts.append(draft)
        stored.append(
          Stored(
            file: file, secret: secret, name: draft.name, outcome: isThere ? .changed : .new,
            id: nil))
      }
    }
    return (stored, drafts)
  }

  /// Stores the secrets, and takes them out of the files: each only once the vault has given it back.
  ///
  /// - Parameters:
  ///   - vault: The vault.
  ///   - record: Where it is noted, so that it can go back.
  ///   - unasked: Programs that get their secrets from the vault already, and no longer read their
  ///     files: what the vault has is newer.
  ///   - connect: Has the programs ask the vault, before anything is taken out of their files; returns
  ///     those that did not before, by the words of `connect`, and the files whose programs could not
  ///     be set up, with why: they keep what they have.
  /// - Returns: Each secret with its item, and the files that could not be changed, with why: they
  ///   keep what they have.
  /// - Throws: What storing and `connect` throw; ``CommandError`` with code `moved-file-changed` for a
  ///   secret that does not come back.
  package func move(
    into vault: UnlockedVault.Blocking, notedIn record: MovedSecrets,
    unasked: Set<ClearTextProgram> = [],
    _ connect: ([Found]) throws -> (done: Set<String>, failed: [(file: Found, reason: any Error)])
  ) throws -> (stored: [Stored], kept: [(file: Found, reason: any Error)]) {
    let before = try vault.read()
    let clashes = try clashes(with: record, unasked, in: before)
    guard clashes.isEmpty else {
      let rest = leavingOut(Set(clashes.map(\.file.path)))
      guard !rest.files.isEmpty else { return ([], clashes) }
      let moved = try rest.move(into: vault, notedIn: record, unasked: unasked, connect)
      return (moved.stored, clashes + moved.kept)
    }
    let stored = try store(in: vault, replaces: true)
    let snapshot = try vault.read()
    let items = Dictionary(snapshot.items().map { ($0.id, $0) }) { one, _ in one }
    let held = try stored.filter { one in
      try one.id.flatMap { items[$0] }.map { try one.secret.isHeld(by: $0, in: snapshot) } ?? false
    }
    guard held.count == count else {
      throw CommandError(
        .movedFileChanged,
        "\(Plural.secrets(count - held.count)) did not come back from the vault: no file was changed",
        hint: "run it again")
    }
    // A program that has neither its file nor the vault could not log in. Some are set up in the file
    // itself.
    let (connected, failed) = try connect(files)
    var kept = failed
    let unreached = Set(failed.map(\.file.path))
    var present: [Found] = []
    for file in files where !unreached.contains(file.path) {
      do { present.append(try file.now()) } catch { kept.append((file, error)) }
    }
    var record = record
    try record.add(
      present.flatMap { file in
        let original = files.first { $0.path.isSame(as: file.path) && $0.program == file.program }
        let rest = try MovedSecrets.hash(of: file.rest())
        let entries = stored.filter { $0.file.path.isSame(as: file.path) }.compactMap { one in
          one.id.map { (one.secret.entry, $0) }
        }
        return entries.enumerated().map { number, entry in
          let text = original?.text ?? ""
          let keeps = number == 0 && text.utf8.count <= Self.longestOriginal
          return ClearTextEntry(
            program: file.program, path: file.path, entry: entry.0, item: entry.1, rest: rest,
            original: keeps ? text : nil,
            connects: number == 0 && connected.contains(file.program.connection))
        }
      }, to: vault)
    for file in present {
      do { try takeOut(of: file) } catch { kept.append((file, error)) }
    }
    return (stored, kept)
  }

  /// Files that keep what they have.
  ///
  /// Of some an entry was moved before out of another file, with another secret: the item that has that
  /// one is what the program of the other file asks for. Others are no longer read by their program.
  private func clashes(
    with record: MovedSecrets, _ unasked: Set<ClearTextProgram>, in snapshot: VaultSnapshot
  ) throws -> [(file: Found, reason: any Error)] {
    try files.compactMap { file in
      for secret in file.secrets {
        guard let known = secret.item(in: snapshot), try !secret.isHeld(by: known, in: snapshot)
        else { continue }
        let entry = StandardOutput.shown(secret.entry)
        if unasked.contains(file.program) {
          return (
            file,
            CommandError(
              .itemExists,
              "the vault has another secret for \(entry), by which \(file.program.connection) logs in; "
                + "the one in the file is not asked for any more",
              hint: "take its line out of the file, and run it again")
          )
        }
        guard let other = try record.path(of: known.id, otherThan: file.path, in: snapshot) else {
          continue
        }
        return (
          file,
          CommandError(
            .itemExists,
            "the vault has another secret for \(entry), out of \(StandardOutput.shown(other))",
            hint: "keep the two apart: \(ProgramName.current) --vault NAME connect "
              + "\(file.program.connection) --move")
        )
      }
      return nil
    }
  }

  private func takeOut(of found: Found) throws {
    let file = ConfigurationFile(path: found.path)
    guard try file.text().isSame(as: found.text) else {
      throw CommandError(
        .movedFileChanged, "\(StandardOutput.shown(found.path)) was changed meanwhile",
        hint: "run it again: what is in the vault stays there")
    }
    let rest = try found.rest()
    // One that is a mount of its own can be neither replaced nor removed.
    if !rest.isEmpty || UserFile.isLink(found.path) {
      try file.replace(with: rest)
    } else {
      try file.remove()
    }
  }
}
