package import FoundationEssentials
import VaultSealing
import VaultStorage

extension VaultIndex {
  /// The setting that says whether uses are recorded: `off`, or nothing.
  static let usageLogSetting = "log"
  static let usageLogOff = "off"

  /// Whether uses of secrets are recorded.
  var keepsUsageLog: Bool {
    guard let setting = settings[Self.usageLogSetting] else { return true }
    return !setting.isSame(as: Self.usageLogOff)
  }
}

extension VaultSnapshot {
  /// Records uses of secrets, before they are given away.
  ///
  /// It never fails: a use that cannot be recorded is a notice, once, and no reason to keep a
  /// secret from anybody. Nothing is recorded where the log is switched off for this vault.
  ///
  /// - Parameters:
  ///   - uses: The uses; all of them are recorded, or none.
  ///   - caller: Who it is; by default the programs that started this process.
  package func record(_ uses: [Usage], by caller: @autoclosure () -> UsageCaller = .current()) {
    guard !uses.isEmpty, index.keepsUsageLog else { return }
    vault.record(uses, by: caller(), index)
  }

  /// The last recorded use of each item that was allowed, by the items' ids.
  ///
  /// - Parameter items: Items of this snapshot.
  /// - Returns: The uses; none for an item of which no use is recorded.
  /// - Throws: `CredentialError` if the log is there and cannot be read.
  package func lastUses(of items: [Item]) throws -> [String: UsageRecord] {
    try vault.usageLog(index).lastUses(of: items.map(\.recordID))
  }

  /// The time from which on uses are recorded; `nil` without a log.
  ///
  /// - Throws: `CredentialError` if the log is there and cannot be read.
  package func usageLogBeginning() throws -> Date? { try vault.usageLog(index).beginning() }

  /// The recorded uses of secrets, in the order in which they were recorded.
  ///
  /// What was tampered with is left out; ``verifyUsageLog()`` tells of it.
  ///
  /// - Parameter item: Only those of this item.
  /// - Returns: The uses.
  /// - Throws: `CredentialError` if the log is there and cannot be read.
  package func usage(of item: Item? = nil) throws -> [UsageRecord] {
    try vault.usageLog(index).records(of: item?.recordID)
  }

  /// Examines the log: whether every record is there, unchanged, in its place.
  ///
  /// - Returns: What was found.
  /// - Throws: `CredentialError` if the log is there and cannot be read.
  package func verifyUsageLog() throws -> UsageLogReport {
    try vault.usageLog(index).verify()
  }

  /// Whether uses are recorded.
  package var keepsUsageLog: Bool { index.keepsUsageLog }
}

extension UnlockedVault.Blocking {
  /// Switches the log of uses on or off, on every machine.
  ///
  /// The change is itself recorded. What was recorded before is kept as long as it would be.
  ///
  /// - Parameter isOn: Whether uses are to be recorded.
  /// - Throws: ``CredentialError``: what writing throws.
  package func setUsageLog(_ isOn: Bool) throws {
    let index = try vault.snapshot(only: .noItems).index
    guard index.keepsUsageLog != isOn else { return }
    if !isOn { vault.record([.event(.logOff)], by: .current(), index) }
    try vault.commit { edit in
      edit.index.settings[VaultIndex.usageLogSetting] = isOn ? nil : VaultIndex.usageLogOff
    }
    if isOn { vault.record([.event(.logOn)], by: .current(), index) }
  }

  /// Whether uses are recorded.
  package func keepsUsageLog() throws -> Bool {
    try vault.snapshot(only: .noItems).index.keepsUsageLog
  }
}

extension UnlockedVault {
  fileprivate func usageLog(_ index: VaultIndex) throws -> UsageLog {
    UsageLog(
      folder: locked.folder.location.state, vaultID: vaultID,
      blinds: [try keys.blind()] + index.formerKeys.reversed().map(\.blind),
      limits: locked.options.usageLogLimits)
  }

  fileprivate func record(_ uses: [Usage], by caller: UsageCaller, _ index: VaultIndex) {
    do {
      try usageLog(index).append(uses, by: caller, at: locked.options.now())
    } catch {
      let reason =
        (error as? StorageError)?.message ?? (error as? System.Failure)?.reason ?? "\(error)"
      noteOnce(
        VaultNotice(
          .usageNotRecorded, "the use of secrets cannot be recorded here: \(reason)",
          remedies: [.switchOffUsageLog]))
    }
  }

  /// Notes what would be noted with every command, but only once until the machine starts again.
  ///
  /// Nothing is left anywhere where no session is.
  private func noteOnce(_ notice: VaultNotice) {
    guard locked.options.sessionSeconds != 0 else { return note([notice]) }
    let hash = try? Hash.blake2b(
      Array("VLT1/told".utf8) + Array(notice.code.rawValue.utf8) + vaultID, count: 16)
    if ToldMark(Hexadecimal.text(hash ?? [])).leave() { note([notice]) }
  }
}

extension UsageLog {
  private var scan: UsageScan {
    get throws { UsageScan(vaultID: vaultID, keys: try blinds.map(UsageKeys.init(blind:))) }
  }

  /// Examines the log and its head.
  func verify() throws -> UsageLogReport {
    try CredentialError.fromStorage {
      let (log, head) = try read(isLocked: true)
      return try UsageLogVerification(log: log, head: head, scan: scan).report
    }
  }

  /// The uses of an item, or all of them.
  func records(of itemID: Bytes16?) throws -> [UsageRecord] {
    let scan = try scan
    let places = try itemID.map { id in try scan.keys.map { try $0.place(of: id) } }
    return try opened(scan) { entry, _ in
      entry.kind == .use && (places?.contains(entry.place) ?? true)
    }
  }

  /// The last use of each of these items that was allowed, by their ids in hex.
  func lastUses(of itemIDs: [Bytes16]) throws -> [String: UsageRecord] {
    let scan = try scan
    var wanted: [Bytes16: Bytes16] = [:]
    for keys in scan.keys {
      for id in itemIDs { wanted[Bytes16(try keys.place(of: id))] = id }
    }
    return try withLog { bytes in
      var places: [Bytes16: [(offset: Int, entry: UsageEntry)]] = [:]
      scan.walk(bytes, opening: { _, _ in false }) { piece, offset in
        guard case .record(let entry, _, _) = piece, entry.kind == .use,
          let id = wanted[Bytes16(entry.place)]
        else { return }
        places[id, default: []].append((offset, entry))
      }
      var last: [String: UsageRecord] = [:]
      for (id, records) in places {
        // From the end: no more are opened than it takes.
        for record in records.reversed() {
          guard let opened = scan.open(bytes, at: record.offset, length: record.entry.length)
          else { continue }
          let use = try UsageEntry.record(
            sequence: record.entry.sequence, contents: opened.contents)
          guard use.isAllowed else { continue }
          last[Hexadecimal.text(id.bytes)] = use
          break
        }
      }
      return last
    } ?? [:]
  }

  /// The time of the first record.
  func beginning() throws -> Date? {
    let scan = try scan
    return try withLog { bytes in
      var beginning: Int64?
      try scan.walk(bytes, opening: { _, _ in beginning == nil }) { piece, _ in
        guard beginning == nil, case .record(let entry, let contents?, _) = piece else { return }
        // Behind the time of pruning there are older records.
        if entry.kind == .start, try UsageEntry.Start(contents).reason == .pruned { return }
        beginning = try Self.time(of: entry, contents)
      }
      return beginning.map(Date.init(milliseconds:))
    } ?? nil
  }

  private func opened(
    _ scan: UsageScan, _ isWanted: (UsageEntry, Int) -> Bool
  ) throws -> [UsageRecord] {
    try withLog { bytes in
      var records: [UsageRecord] = []
      try scan.walk(bytes, opening: isWanted) { piece, _ in
        guard case .record(let entry, let contents?, _) = piece else { return }
        records.append(try UsageEntry.record(sequence: entry.sequence, contents: contents))
      }
      return records
    } ?? []
  }

  /// Calls `body` with the bytes of the log; `nil` if there is none of this vault.
  private func withLog<Result>(_ body: (RawSpan) throws -> Result) throws -> Result? {
    try CredentialError.fromStorage {
      guard let log = try read(isLocked: false).log,
        log.starts(with: UsageScan.header(vaultID: vaultID))
      else { return nil }
      return try log.withRawSpan(body)
    }
  }
}
