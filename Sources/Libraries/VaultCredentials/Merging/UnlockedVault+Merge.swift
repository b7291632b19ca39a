import VaultSealing

extension UnlockedVault.Blocking {
  /// Merges another file of this vault: a copy that a file syncer left beside it, the file of
  /// another machine, or a backup.
  ///
  /// Items are merged property by property. Where both sides changed different things, both stay;
  /// where they gave one secret two values, the later one is current, the other one is an earlier
  /// version, and the item says so (``Item/conflictingVersion``) until it gets a new secret. One
  /// ``undo(steps:of:)`` takes the whole merge back, but for items that are removed for good.
  ///
  /// Key slots, settings, sessions and copies in the keyring stay those of this vault.
  ///
  /// ```swift
  /// let report = try vault.blocking.merge("/home/me/Sync/secrets.sync-conflict.vault")
  /// for conflict in report.conflicts { print(conflict.name) }
  /// ```
  ///
  /// - Parameters:
  ///   - path: The other file; it is only read. Earlier versions of its items come along from a
  ///     backup, and from a vault file as far as this machine has them.
  ///   - base: A common ancestor of both, such as a backup made before they parted; `nil` for the
  ///     generation before this file, if it is one. With it, removals of tags and fields are known.
  ///   - sources: What may open the other file where this vault's key does not, since one of them
  ///     was rotated; in order.
  /// - Returns: The changes.
  /// - Throws: ``CredentialError`` with code `.otherVault` if the file is one of another vault,
  ///   `.forked` if its key is newer than this vault's, `.fileNotFound`, `.damaged`, `.wrongKey`,
  ///   or what ``edit(_:)`` throws.
  @discardableResult
  public func merge(
    _ path: String, base: String? = nil, with sources: [KeySource] = KeySource.standard
  ) throws -> MergeReport {
    try merge(path, base: base, with: sources, isTrial: false)
  }

  /// Merges another file, or says what that would do.
  ///
  /// - Parameters:
  ///   - path: The other file.
  ///   - base: A common ancestor.
  ///   - sources: What may open the other file.
  ///   - isTrial: Whether everything stays as it is.
  /// - Returns: The changes.
  /// - Throws: As ``UnlockedVault/merge(_:base:with:)``.
  package func merge(
    _ path: String, base: String? = nil, with sources: [KeySource], isTrial: Bool
  ) throws -> MergeReport {
    let theirs = try vault.branch(at: path, with: sources)
    try vault.checkKey(of: theirs, at: path)
    let given = try base.map { try vault.branch(at: $0, with: sources) }
    do {
      return try vault.edited(knowing: theirs) { edit in
        let report = try vault.merge(theirs, given, into: &edit)
        // What throws before the file is replaced leaves everything as it was.
        if isTrial || report.relation == .same || report.relation == .older {
          throw NothingMerged(report: report)
        }
        return report
      }
    } catch let nothing as NothingMerged {
      return nothing.report
    }
  }

  fileprivate struct NothingMerged: Error {
    let report: MergeReport
  }
}

extension LockedVault.Blocking {
  /// Merges a vault file into another one, neither of which lies in the vault's place: the work of
  /// git's merge driver.
  ///
  /// - Parameters:
  ///   - path: The file with the other changes; it is only read.
  ///   - target: The file with our changes, which is replaced by the result.
  ///   - base: The common ancestor; an empty file, or none of this vault, is none.
  ///   - sources: What may open the files, by the key slots of the target.
  /// - Returns: The changes.
  /// - Throws: As ``UnlockedVault/merge(_:base:with:)``; the target is as it was then.
  package func merge(
    _ path: String, into target: String, base: String?,
    with sources: ([KeySlot]) -> [KeySource]
  ) throws -> MergeReport {
    let bytes = try OutsideFile.read(target, limit: VaultHeader.maximumFile)
    let file = try VaultFile(bytes: bytes)
    let all = sources(file.header.slots.map { KeySlot($0, label: "") })
    let opened = try VaultOpening(vault: vault, sealed: file).open(with: all)
    let theirs = try opened.branch(at: path, with: all)
    try opened.checkKey(of: theirs, at: path)
    let given = base.flatMap { try? opened.branch(at: $0, with: all) }
    do {
      let merged = try VaultWriter(vault: opened, slots: []).rewrite(file) { edit in
        let report = try opened.merge(theirs, given, into: &edit)
        if report.relation == .same || report.relation == .older {
          throw UnlockedVault.Blocking.NothingMerged(report: report)
        }
        return report
      }
      try OutsideFile.replace(target, with: merged.bytes)
      return merged.result
    } catch let nothing as UnlockedVault.Blocking.NothingMerged {
      return nothing.report
    }
  }
}

extension UnlockedVault {
  /// Opens another file of this vault.
  fileprivate func branch(at path: String, with sources: [KeySource]) throws -> VaultBranch {
    let bytes = try OutsideFile.read(path, limit: BackupFile.maximumLength)
    guard [BackupFile.magic, VaultHeader.magic].contains(where: bytes.starts(with:)) else {
      throw CredentialError(
        .damaged, "\(path) is neither a vault file nor a backup",
        hint: "name another file of this vault, or a backup of it")
    }
    let (backup, file): (BackupFile?, VaultFile)
    do {
      backup = bytes.starts(with: BackupFile.magic) ? try BackupFile(decoding: bytes) : nil
      file = try VaultFile(bytes: backup?.vault ?? bytes)
    } catch let error as CredentialError where error.code == .damaged {
      // Not this vault's own file, whose check would help.
      throw CredentialError(
        .damaged, "\(path) cannot be merged: \(error.message)", hint: "use another copy of it",
        underlying: error)
    }
    guard file.header.vaultID == vaultID else {
      throw CredentialError(
        .otherVault, "\(path) is a file of another vault",
        hint: "only files that come from one vault can be merged", remedies: [.chooseOtherVault])
    }
    do {
      return try branch(file, blobs: backup?.blobs ?? [:], with: sources)
    } catch let error as CredentialError where [.wrongKey, .locked].contains(error.code) {
      // This vault is open: what does not open is the other file.
      throw CredentialError(
        error.code, "\(path) has another key than this vault: \(error.message)",
        hint:
          "it may be from before the key was rotated: what opened the vault then opens the file",
        underlying: error)
    }
  }

  private func branch(
    _ file: VaultFile, blobs: [[UInt8]: [UInt8]] = [:], with sources: [KeySource]
  ) throws -> VaultBranch {
    let history = HistoryReader(history)
    do {
      return VaultBranch(
        file: file, index: try file.openIndex(keys), keys: keys, blobs: blobs, history: history)
    } catch is VaultFile.IndexRejected {
      let opened = try VaultOpening(vault: locked, sealed: file).open(with: sources)
      return VaultBranch(
        file: file, index: try file.openIndex(opened.keys), keys: opened.keys, blobs: blobs,
        history: history)
    }
  }

  /// Refuses a file whose vault key is newer: a merge into this one would bring back keys that
  /// were removed.
  fileprivate func checkKey(of branch: VaultBranch, at path: String) throws {
    guard try branch.index.hasFormerKey(keys.state()) else { return }
    throw CredentialError(
      .forked, "the key of \(path) is newer than this vault's",
      hint: "put that file into this vault's place, and merge this vault's file into it")
  }

  /// Merges a file into an edit of this vault.
  fileprivate func merge(
    _ theirs: VaultBranch, _ given: VaultBranch?, into edit: inout VaultEdit
  ) throws -> MergeReport {
    let ours = VaultBranch(
      file: edit.file, index: edit.index, keys: keys, blobs: [:], history: theirs.history)
    if ours.head == theirs.head { return MergeReport(.same) }
    if edit.index.descends(from: theirs.head) { return MergeReport(.older) }
    let isNewer = theirs.index.descends(from: ours.head)
    let base = isNewer ? ours : try commonAncestor(of: ours, theirs, given)
    if given != nil, base == nil {
      edit.notices.append(
        VaultNotice(
          .noCommonAncestor, "the file that was given as the base is no ancestor of both files",
          hint: "the merge went on without it"))
    }
    var merge = VaultMerge(theirs, base: base, relation: isNewer ? .newer : .apart)
    try merge.run(in: &edit)
    edit.follow(theirs)
    return merge.report
  }

  private func commonAncestor(
    of ours: VaultBranch, _ theirs: VaultBranch, _ given: VaultBranch?
  ) throws -> VaultBranch? {
    let candidates = [
      given, try locked.folder.readPrevious().flatMap { try? branch($0, with: []) },
    ]
    return candidates.lazy.compactMap(\.self).first { candidate in
      candidate.file.header.vaultID == vaultID
        && candidate.isAncestor(of: ours.index, in: ours.file)
        && candidate.isAncestor(of: theirs.index, in: theirs.file)
    }
  }
}

extension VaultEdit {
  /// Makes the file that is written a successor of another one, too.
  fileprivate mutating func follow(_ branch: VaultBranch) {
    var merged = MergedBranches(of: index)
    merged.add(
      MergedBranches(of: branch.index).all
        + branch.index.ancestors.filter { !index.ancestors.contains($0) } + [branch.head])
    index.settings[MergedBranches.setting] = merged.text
    header.generation = max(header.generation, branch.head.generation)
  }
}

extension VaultIndex {
  /// Whether a key is one of an epoch before this index's.
  fileprivate func hasFormerKey(_ state: SecretBytes) -> Bool {
    formerKeys.contains { $0.state.isEqual(to: state) }
  }
}
