import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing
import VaultCredentials
import VaultSealing
import VaultStorage

/// A vault with an item, and the files of its log of uses.
private struct LoggedVault {
  let vault: ThrowawayVault
  let item: Item

  init(_ change: (inout VaultOptions) -> Void = { _ in }) throws {
    vault = try ThrowawayVault(change)
    try vault.open.blocking.set(name("web/canary-name"), to: Secret("canary-secret"))
    item = try vault.open.blocking.item(name("web/canary-name"))
  }

  var log: String { "\(vault.state)/\(vault.open.id).uses" }
  var head: String { "\(log)-head" }
  var snapshot: VaultSnapshot { get throws { try vault.open.blocking.read() } }

  func use(_ count: Int = 1, _ verb: UsageRecord.Verb = .get) throws {
    for _ in 0..<count { try snapshot.record([Usage(item, verb: verb)]) }
  }

  func verify() throws -> UsageLogReport { try snapshot.verifyUsageLog() }

  func bytes(_ path: String) throws -> [UInt8] {
    try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
  }

  func write(_ bytes: [UInt8], to path: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
  }

  /// The ranges of the log's records: the start, then the uses.
  func records(in log: [UInt8]) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var offset = 24
    while offset + 4 <= log.count {
      let length = (0..<4).reduce(0) { $0 | Int(log[offset + $1]) << (8 * $1) }
      ranges.append(offset..<min(offset + length, log.count))
      offset += length
    }
    return ranges
  }
}

struct UsageLogTests {
  @Test func aUseIsReadBackAsItWasRecorded() throws {
    let logged = try LoggedVault { $0.now = { 1_700_000_000_123 } }
    var caller = UsageCaller(user: 12)
    caller.loginUser = 1000
    caller.terminalDevice = 0x8803
    caller.controlGroup = Array("/user.slice/session-3.scope/tab".utf8)
    let odd: [UInt8] = Array("/bin/".utf8) + [0xFF, 0x0A, 0xC3]
    caller.programs = [
      .init(pid: 77, name: odd, isPath: true), .init(pid: 1, name: [0x80], isPath: false),
    ]
    let snapshot = try logged.snapshot
    snapshot.record(
      [
        Usage(logged.item, field: .named("user"), verb: .run),
        Usage(logged.item, field: .all, verb: .init(rawValue: "new"), isAllowed: false),
      ], by: caller)
    let records = try snapshot.usage()
    try #require(records.count == 2)
    #expect(records[0].itemName == "web/canary-name")
    #expect(records[0].itemID == logged.item.id)
    #expect(records[0].time == Date(timeIntervalSince1970: 1_700_000_000.123))
    #expect(records[0].field == .named("user"))
    #expect(records[0].verb == .run)
    #expect(records[0].isAllowed)
    #expect(records[1].field == .all)
    #expect(records[1].verb.rawValue == "new")
    #expect(!records[1].isAllowed)
    #expect(records.allSatisfy { $0.caller == caller })
    #expect(records.map(\.sequence) == [1, 2])
    #expect(caller.terminal == "pts/3")
    #expect(caller.unit == Array("session-3.scope".utf8))
    #expect(caller.programs[0].shortName == [0xFF, 0x0A, 0xC3])
    // A refused use is none.
    #expect(try snapshot.lastUses(of: [logged.item])[logged.item.id]?.sequence == 1)
    #expect(try snapshot.usageLogBeginning() == records[0].time)
  }

  @Test func theCallerIsTheChainOfProgramsThatTheKernelKnows() throws {
    let caller = UsageCaller.current()
    #expect(caller.user == geteuid())
    #expect(caller.programs.first?.pid == getppid())
    let own = UsageCaller(process: getpid(), user: getuid())
    #expect(own.programs.first?.pid == getpid())
    #expect(own.programs.first?.isPath == true)
    let path = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    #expect(own.programs.first?.name == Array(path.utf8))
    #expect(Array(own.programs.dropFirst()) == caller.programs)
    #expect(own.controlGroup == caller.controlGroup)
  }

  /// Whoever makes a namespace chooses there which path leads to which file.
  @Test(.enabled(if: OtherMounts.canBeMade, "needs unshare(1) and the right to use it"))
  func aPathOfOtherMountsIsNotBelieved() throws {
    let home = try TemporaryHome()
    let named = "\(home.path)/named"
    try FileManager.default.copyItem(atPath: "/bin/true", toPath: named)
    let sleeping = Process()
    sleeping.executableURL = URL(fileURLWithPath: OtherMounts.unshare)
    sleeping.arguments = [
      "-Urm", "sh", "-c", "mount --bind /bin/sleep \(named) && exec \(named) 600",
    ]
    try sleeping.run()
    defer { kill(sleeping.processIdentifier, SIGKILL) }
    var names: Set<String> = []
    let end = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < end, !names.contains("a program in another namespace") {
      let caller = UsageCaller(process: sleeping.processIdentifier, user: geteuid())
      if let first = caller.programs.first {
        #expect(first.name != Array(named.utf8))
        names.insert(String(decoding: first.name, as: UTF8.self))
      }
      usleep(2000)
    }
    #expect(names.contains("a program in another namespace"), "\(names)")
  }

  /// An update replaces a program's file while the program runs.
  @Test func aProgramWhoseFileWasReplacedKeepsItsPath() throws {
    let home = try TemporaryHome()
    let path = "\(home.path)/sleep"
    try FileManager.default.copyItem(atPath: "/bin/sleep", toPath: path)
    let sleeping = Process()
    sleeping.executableURL = URL(fileURLWithPath: path)
    sleeping.arguments = ["600"]
    try sleeping.run()
    defer { kill(sleeping.processIdentifier, SIGKILL) }
    try FileManager.default.removeItem(atPath: path)
    let first = UsageCaller(process: sleeping.processIdentifier, user: geteuid()).programs.first
    #expect(first?.isPath == true && first?.name == Array("\(path) (deleted)".utf8))
  }

  @Test func aProcessThatRunsAnotherProgramIsSaidToHaveChanged() throws {
    let caller = UsageCaller(process: getpid(), user: geteuid(), isSameProgram: false)
    #expect(caller.programs.first?.isPath == false)
    #expect(
      caller.programs.first?.name
        == Array("a program that was another one when it connected".utf8))
    #expect(caller.programs.dropFirst().first?.pid == getppid())
  }

  @Test func neitherSecretNorNameIsInTheFiles() throws {
    let logged = try LoggedVault()
    try logged.use(3)
    for path in [logged.log, logged.head] {
      let bytes = Data(try logged.bytes(path))
      #expect(bytes.range(of: Data("canary".utf8)) == nil)
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o600)
    }
    #expect(try logged.verify().records == 3)
  }

  /// Something that is done to the log of ten uses, and what is told of it.
  enum Tampering: String, CaseIterable {
    case takenOut, takenOutFirst, changed, changedNumber, swapped, repeated, cutOff, cutOffInside
    case emptied, removed, withoutStart, headRemoved, headEmptied, headChanged, headOfBefore
    case withoutHeadAndEnd, garbageBetween, lengthChanged

    func expected() -> [UsageLogReport.Problem] {
      switch self {
      case .takenOut: [.missing(5...5)]
      case .takenOutFirst: [.missing(1...2)]
      case .changed: [.changed(5)]
      case .changedNumber: [.missing(5...5)]
      case .swapped: [.outOfPlace(5)]
      case .repeated: [.outOfPlace(5)]
      case .cutOff: [.cutOff(8...10)]
      case .cutOffInside: [.cutOff(10...10)]
      case .emptied, .removed: [.cutOff(1...10)]
      case .withoutStart: [.beginningMissing(upTo: 0)]
      case .headRemoved, .headEmptied, .withoutHeadAndEnd: [.headMissing]
      case .headChanged: [.headChanged]
      case .headOfBefore: []
      case .garbageBetween: []
      case .lengthChanged: [.changed(5)]
      }
    }
  }

  @Test(arguments: Tampering.allCases)
  func eachSortOfTamperingIsTold(_ tampering: Tampering) throws {
    let logged = try LoggedVault()
    try logged.use(4)
    let earlier = try logged.bytes(logged.head)
    try logged.use(6)
    #expect(try logged.verify() == logged.verify())
    #expect(try !logged.verify().isTampered)
    var log = try logged.bytes(logged.log)
    var head = try logged.bytes(logged.head)
    let all = logged.records(in: log)
    try #require(all.count == 11)
    switch tampering {
    case .takenOut: log.removeSubrange(all[5])
    case .takenOutFirst: log.removeSubrange(all[1].lowerBound..<all[2].upperBound)
    case .changed: log[all[5].upperBound - 1] ^= 1
    case .changedNumber: log[all[5].lowerBound + 8] = 77
    case .swapped:
      let five = Array(log[all[5]])
      log.removeSubrange(all[5])
      log.insert(contentsOf: five, at: all[5].lowerBound + all[6].count)
    case .repeated: log.insert(contentsOf: log[all[5]], at: all[8].lowerBound)
    case .cutOff: log.removeSubrange(all[8].lowerBound...)
    case .cutOffInside: log.removeLast(10)
    case .emptied: log = []
    case .removed: try FileManager.default.removeItem(atPath: logged.log)
    case .withoutStart: log.removeSubrange(all[0])
    case .headRemoved: try FileManager.default.removeItem(atPath: logged.head)
    case .headEmptied: head = []
    case .headChanged: head[20] ^= 1
    case .headOfBefore: head = earlier
    case .withoutHeadAndEnd:
      log.removeSubrange(all[8].lowerBound...)
      head = []
    case .garbageBetween:
      log.insert(contentsOf: [UInt8](repeating: 7, count: 33), at: all[5].lowerBound)
    case .lengthChanged: log[all[5].lowerBound] ^= 0x40
    }
    if tampering != .removed { try logged.write(log, to: logged.log) }
    if tampering != .headRemoved { try logged.write(head, to: logged.head) }
    let report = try logged.verify()
    for problem in tampering.expected() {
      #expect(report.problems.contains(problem), "\(report.problems)")
    }
    // A head of before is as after a writer that was killed: the log itself is whole.
    #expect(report.isTampered == (tampering != .headOfBefore))
    if tampering == .garbageBetween {
      #expect(report.problems == [.unreadable(offset: all[5].lowerBound, count: 33)])
    }
    // The log goes on, and what was done stays told.
    try logged.use(2)
    let after = try logged.verify()
    #expect(after.isTampered == (tampering != .headOfBefore), "\(after.problems)")
    #expect(after.tornBytes == 0)
    #expect(try logged.snapshot.usage().suffix(2).allSatisfy { $0.verb == .get })
  }

  @Test func aTornTailIsToldAsTornAndTheLogGoesOn() throws {
    let logged = try LoggedVault()
    try logged.use(3)
    let log = try logged.bytes(logged.log)
    let last = try #require(logged.records(in: log).last)
    // What a writer leaves that is killed in the middle of its write.
    for count in [1, 30, 64, last.count - 1] {
      let before = try logged.bytes(logged.log)
      try logged.write(before + log[last].prefix(count), to: logged.log)
      let torn = try logged.verify()
      #expect(torn.tornBytes == count)
      #expect(!torn.isTampered)
      try logged.use()
      let after = try logged.verify()
      #expect(!after.isTampered, "\(after.problems)")
      #expect(after.tornBytes == 0)
    }
    #expect(try logged.verify().records == 7)
  }

  @Test func aWriterThatWasKilledAtAnyCallLeavesALogThatVerifies() throws {
    var number = 1
    while true {
      let logged = try LoggedVault()
      if number % 2 == 0 { try logged.use(2) }
      let before = number % 2 == 0 ? 2 : 0
      let plan = FaultPlan(.kill, at: (number + 1) / 2)
      let snapshot = try logged.snapshot
      System.withFaults(plan) { snapshot.record([Usage(logged.item, verb: .get)]) }
      let report = try logged.verify()
      #expect(!report.isTampered, "\(number): \(report.problems)")
      try logged.use()
      let after = try logged.verify()
      #expect(!after.isTampered, "\(number): \(after.problems)")
      #expect((before + 1...before + 2).contains(after.records))
      if !plan.hasFired, number > 2 { break }
      number += 1
    }
    #expect(number > 6)
  }

  @Test(arguments: [ENOSPC, EROFS, EACCES, EIO])
  func aLogThatCannotBeWrittenIsANoticeAndNothingElse(_ errno: Int32) throws {
    var number = 1
    while true {
      let logged = try LoggedVault()
      try logged.use()
      let plan = FaultPlan(.error(errno), at: number)
      let snapshot = try logged.snapshot
      System.withFaults(plan) { snapshot.record([Usage(logged.item, verb: .get)]) }
      #expect(try snapshot.secret(of: logged.item).text == "canary-secret")
      try logged.use()
      let after = try logged.verify()
      #expect(!after.isTampered, "\(number): \(after.problems)")
      #expect((2...3).contains(after.records))
      guard plan.hasFired else { break }
      number += 1
    }
    #expect(number > 3)
  }

  @Test func anotherVaultsLogIsNone() throws {
    let one = try LoggedVault()
    let other = try LoggedVault()
    try one.use(3)
    try other.use(3)
    var log = try other.bytes(other.log)
    try one.write(log, to: one.log)
    #expect(try one.verify().problems == [.foreign])
    #expect(try one.snapshot.usage().isEmpty)
    // The other log, made to look like this vault's own.
    log.replaceSubrange(8..<24, with: try #require(Hexadecimal.bytes(one.vault.open.id)))
    try one.write(log, to: one.log)
    try one.write(other.bytes(other.head), to: one.head)
    let report = try one.verify()
    #expect(report.isTampered)
    #expect(report.problems.contains(.headChanged))
    #expect(report.records == 0)
    try one.use()
    #expect(try one.snapshot.usage().count == 1)
    #expect(try one.verify().isTampered)
  }

  @Test func aClockThatIsSetBackIsToldAndNoDamage() throws {
    let clock = Mutex<Int64>(2_000_000_000_000)
    let now = ClockBox(clock)
    let logged = try LoggedVault { $0.now = { now.value } }
    try logged.use()
    now.value -= 86_400_000
    try logged.use(2)
    now.value += 3 * 86_400_000
    try logged.use()
    let report = try logged.verify()
    #expect(!report.isTampered)
    #expect(report.clockSetBack == [2])
    #expect(try logged.snapshot.usage().map(\.sequence) == [1, 2, 3, 4])
  }

  @Test func aLogThatIsSwitchedOffRecordsThatAndNoMore() throws {
    let logged = try LoggedVault()
    try logged.use()
    let blocking = logged.vault.open.blocking
    try blocking.setUsageLog(false)
    #expect(try !blocking.keepsUsageLog())
    try logged.use(3)
    try blocking.setUsageLog(false)
    #expect(try logged.snapshot.usage().map(\.verb) == [.get, .logOff])
    try blocking.setUsageLog(true)
    try logged.use()
    #expect(try logged.snapshot.usage().map(\.verb) == [.get, .logOff, .logOn, .get])
    #expect(try logged.snapshot.usage().map { $0.itemID == nil } == [false, true, true, false])
    #expect(try !logged.verify().isTampered)
  }

  @Test func aLogThatIsTooLongLosesItsOlderHalfAndSaysSo() throws {
    let logged = try LoggedVault { $0.usageLogLimits.size = 12_000 }
    try logged.use(100)
    let report = try logged.verify()
    #expect(!report.isTampered, "\(report.problems)")
    #expect(report.pruned > 0)
    #expect(report.prunedUntil != nil)
    #expect(report.pruned + UInt64(report.records) == 100)
    #expect(try logged.bytes(logged.log).count <= 12_000)
    #expect(try logged.snapshot.usage().map(\.sequence) == Array(report.pruned + 1...100))
    // What pruning left is as protected as before.
    var log = try logged.bytes(logged.log)
    let all = logged.records(in: log)
    log.removeSubrange(all[1])
    try logged.write(log, to: logged.log)
    #expect(try logged.verify().problems == [.missing(report.pruned + 1...report.pruned + 1)])
  }

  @Test func whatIsTooOldIsPruned() throws {
    let now = ClockBox(Mutex<Int64>(1_700_000_000_000))
    let logged = try LoggedVault {
      $0.now = { now.value }
      $0.usageLogLimits.age = 100 * 86_400_000
      $0.usageLogLimits.recordsForTime = 1
    }
    for _ in 0..<30 {
      try logged.use()
      now.value += 10 * 86_400_000
    }
    let report = try logged.verify()
    #expect(!report.isTampered, "\(report.problems)")
    #expect((10...13).contains(report.records))
    #expect(report.pruned + UInt64(report.records) == 30)
  }

  /// A clock that was set wrong for a few uses makes nothing old; one that stays there does.
  @Test func aWrongClockPrunesNothing() throws {
    let (start, far) = (Int64(1_700_000_000_000), Int64(500 * 86_400_000))
    let now = ClockBox(Mutex<Int64>(start))
    let logged = try LoggedVault { $0.now = { now.value } }
    try logged.use(20)
    now.value += far
    try logged.use(3)
    now.value -= far
    try logged.use(20)
    #expect(try logged.verify().pruned == 0)
    #expect(try logged.snapshot.usage().count == 43)
    now.value += far
    try logged.use(20)
    #expect(try logged.verify().pruned > 0)
    #expect(try !logged.verify().isTampered)
  }

  /// Whatever size somebody gave the file, the next use is recorded, and what is missing is told.
  @Test(.timeLimit(.minutes(10))) func aHugeFileKeepsNobodyFromASecret() throws {
    let logged = try LoggedVault { $0.usageLogLimits.size = 1 << 20 }
    try logged.use(3)
    try #require(unsafe truncate(logged.log, 5 << 30) == 0)
    try logged.use()
    #expect(try logged.verify().records == 4)
    let size = try FileManager.default.attributesOfItem(atPath: logged.log)[.size] as? Int
    #expect(try #require(size) < 1 << 20)
  }

  @Test func aRotationOfTheKeyLeavesTheLogReadable() throws {
    let logged = try LoggedVault()
    try logged.use(3)
    let before = try logged.bytes(logged.log)
    let rotated = try logged.vault.open.blocking.rotate(
      to: [.keyFile(SecretBytes.random(count: 32))]
    ).blocking
    let snapshot = try rotated.read()
    #expect(try snapshot.usage().count == 3)
    #expect(try !snapshot.verifyUsageLog().isTampered)
    snapshot.record([Usage(logged.item, verb: .run)])
    #expect(try snapshot.usage(of: logged.item).map(\.verb) == [.get, .get, .get, .run])
    #expect(try !snapshot.verifyUsageLog().isTampered)
    // Whoever has the old key alone appends nothing to it any more.
    let after = try logged.bytes(logged.log)
    let old = logged.records(in: before)[3]
    try logged.write(after + before[old], to: logged.log)
    #expect(try snapshot.verifyUsageLog().isTampered)
  }

  @Test func anItemKeepsItsRecordsWhateverItIsCalled() throws {
    let logged = try LoggedVault()
    try logged.use(2)
    let blocking = logged.vault.open.blocking
    try blocking.set(name("other"), to: Secret("x"))
    _ = try blocking.rename(name("web/canary-name"), to: name("renamed"))
    let renamed = try blocking.item(name("renamed"))
    let snapshot = try blocking.read()
    snapshot.record([Usage(renamed, verb: .run)])
    let records = try snapshot.usage(of: renamed)
    #expect(records.map(\.itemName) == ["web/canary-name", "web/canary-name", "renamed"])
    #expect(try snapshot.usage(of: blocking.item(name("other"))).isEmpty)
    #expect(try snapshot.lastUses(of: snapshot.items()).keys.sorted() == [renamed.id])
  }

  @Test func manyThreadsAppendToOneChain() async throws {
    let logged = try LoggedVault { $0.usageLogLimits.patience = .seconds(120) }
    let item = logged.item
    let snapshot = try logged.snapshot
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<25 { snapshot.record([Usage(item, verb: .get)]) }
        }
      }
    }
    let report = try logged.verify()
    #expect(report.records == 200)
    #expect(!report.isTampered, "\(report.problems)")
  }
}

/// A clock that a test sets.
private final class ClockBox: Sendable {
  private let time: Mutex<Int64>

  init(_ time: consuming Mutex<Int64>) { self.time = time }

  var value: Int64 {
    get { time.withLock { $0 } }
    set { time.withLock { $0 = newValue } }
  }
}

/// Whether this machine lets a process have mounts of its own.
private enum OtherMounts {
  static let unshare = "/usr/bin/unshare"
  static let canBeMade: Bool = {
    let trial = Process()
    trial.executableURL = URL(fileURLWithPath: unshare)
    trial.arguments = ["-Urm", "true"]
    trial.standardError = FileHandle.nullDevice
    guard (try? trial.run()) != nil else { return false }
    trial.waitUntilExit()
    return trial.terminationStatus == 0
  }()
}
