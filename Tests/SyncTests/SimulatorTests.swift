import Foundation
import Testing
import VaultCredentials
import VaultSync

/// Machines that change, synchronize, part, crash and are copied at random: they come to the same,
/// and nothing that was typed is lost.
///
/// `SYNC_SEEDS=100000` runs that many schedules, `SYNC_SEEDS=17-17` the one of a seed. With
/// `SYNC_LEAVING=1` machines whose roles change leave, too, and join again: seeds 65, 115, 212, 252
/// and 268 end with differences of which nobody has said yet whose mistake they are.
struct SimulatorTests {
  private static let seeds: ClosedRange<UInt64> = {
    let wanted = ProcessInfo.processInfo.environment["SYNC_SEEDS"] ?? "1000"
    let numbers = wanted.split(separator: "-").compactMap { UInt64($0) }
    guard let first = numbers.first, let last = numbers.last else { return 1...1000 }
    return numbers.count == 2 && first <= last ? first...last : 1...last
  }()

  private static let mayLeave = ProcessInfo.processInfo.environment["SYNC_LEAVING"] == "1"

  /// Each part has every so many-th seed.
  private static let parts = 8

  @Test(arguments: 0..<parts)
  func machinesComeToTheSameAndLoseNothing(_ part: Int) {
    for seed in Self.seeds where Int(seed % UInt64(Self.parts)) == part {
      Self.run(seed, mayLeave: Self.mayLeave)
    }
  }

  private static func run(
    _ seed: UInt64, hasPreferences: Bool = true, hasNotes: Bool = true, isAsItWas: Bool = false,
    mayLeave: Bool = false
  ) {
    do {
      var space = try SimulatedSpace(
        seed: seed, hasPreferences: hasPreferences, hasNotes: hasNotes, hasFolders: !isAsItWas,
        hasRoles: !isAsItWas, mayLeave: mayLeave)
      for finding in try space.run() { Issue.record("seed \(seed): \(finding)") }
    } catch {
      Issue.record("seed \(seed): \(error)")
    }
  }

  /// Schedules that once found a mistake.
  @Test(arguments: [122, 489, 928, 975, 1559, 3084, 4621, 4750] as [UInt64])
  func whatWasMendedStaysSo(_ seed: UInt64) {
    Self.run(seed, hasPreferences: false, hasNotes: false, isAsItWas: true)
  }

  /// Preferences that were lost, and used since; a machine that joins again with another value,
  /// also of an item that was removed for good, or put into the trash and made anew.
  @Test(arguments: [515, 520, 735, 3479, 5377, 15_319, 61_409] as [UInt64])
  func whatWasMendedWithPreferencesStaysSo(_ seed: UInt64) {
    Self.run(seed, hasNotes: false, isAsItWas: true)
  }

  /// Readers, machines that were removed, records that lie in packs, and homes that were put back
  /// from before what a snapshot stands in for.
  @Test(
    arguments: [
      24, 117, 284, 699, 842, 926, 1042, 1501, 1858, 2861, 2905, 3113, 3121, 3222, 3344, 3559, 5311,
      5365, 6874, 8768, 12_761, 17_380, 20_995,
    ] as [UInt64])
  func whatWasMendedWithRolesAndFoldersStaysSo(_ seed: UInt64) { Self.run(seed) }

  /// A merge that is wrong in one respect; the simulator must say so, or it would not notice a
  /// mistake of ours.
  enum BadMerge: CaseIterable {
    /// Of two values that met, one is gone.
    case dropsTheLoser
    /// Every machine keeps its own.
    case keepsItsOwn
    /// What was before the current value is gone.
    case dropsEarlierVersions
    /// Of two notes that met, a machine now and then forgets the other one.
    case dropsTheOtherNote

    func merge(
      _ shared: inout SharedVault, _ state: FoldedSpace, _ base: [SharedItem]?
    ) throws -> MergeReport {
      var items = state.items
      let local = try shared.items().items
      for position in items.indices {
        let own = local[items[position].id]
        switch self {
        case .dropsTheLoser:
          let conflicts = state.folded[items[position].id]?.conflicts ?? []
          if !conflicts.isEmpty { items[position].earlier.removeFirst() }
        case .keepsItsOwn:
          if let own { items[position] = own }
        case .dropsEarlierVersions:
          items[position].earlier = []
        case .dropsTheOtherNote:
          if shared.now.isMultiple(of: 2) { items[position].lost = [] }
        }
      }
      return try shared.merge(items, removals: state.removals, base: base)
    }
  }

  /// The same for preferences.
  enum BadPreferences: CaseIterable {
    /// Every machine keeps its own.
    case keepsItsOwn
    /// What a machine lacks was removed by it, also where it never had it.
    case takesAbsenceForRemoval
    /// A clock that is behind makes a change the earlier one, also of what it has replaced.
    case believesClocksAlone
    /// The value that lost is in no journal.
    case dropsTheLoser

    func merge(
      _ sides: PreferenceMerge.Sides, _ changed: () throws -> [String: Int64]
    ) throws -> PreferenceMerge {
      var sides = sides
      var removed: Set<String> = []
      switch self {
      case .keepsItsOwn: sides.target = sides.base ?? FoldedPreferences.Domain()
      case .takesAbsenceForRemoval:
        sides.base = sides.base ?? sides.target
        removed = Set(sides.target.values.keys).subtracting(sides.local.values.keys)
      case .believesClocksAlone: sides.base = nil
      case .dropsTheLoser: break
      }
      return try PreferenceMerge(sides) {
        try changed().merging(removed.map { ($0, sides.now) }) { known, _ in known }
      }
    }
  }

  @Test(arguments: BadPreferences.allCases)
  func aBadMergeOfPreferencesIsReported(_ bad: BadPreferences) throws {
    var found = 0
    for seed in UInt64(1)...60 where found == 0 {
      var space = try SimulatedSpace(seed: seed) {
        $0.exchange.tuning.mergingPreferences = bad.merge
        ($0.preferences as? MemoryPreferences)?.isForgetting = bad == .dropsTheLoser
      }
      found += try space.run().count
    }
    #expect(found > 0)
  }

  @Test(arguments: BadMerge.allCases)
  func aBadMergeIsReported(_ bad: BadMerge) throws {
    var found = 0
    for seed in UInt64(1)...60 where found == 0 {
      var space = try SimulatedSpace(seed: seed) { $0.exchange.tuning.merging = bad.merge }
      found += try space.run().count
    }
    #expect(found > 0)
  }
}
