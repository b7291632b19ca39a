import Testing
import VaultCredentials
import VaultSealing
import VaultSync

/// A space in memory that the laptop has founded and the desktop joined.
struct TwoMachines {
  let engine = MemoryEngine()
  let laptop: SyncMachine
  let desktop: SyncMachine
  var first: SyncedVault
  var second: SyncedVault

  /// Makes both, and brings them together.
  ///
  /// - Parameters:
  ///   - token: The value of `token`, which the laptop has before.
  ///   - role: The desktop's.
  ///   - keepsBases: Whether both keep at once what the first records come to.
  /// - Throws: What none of this should throw.
  init(token: String = "1", role: SyncRole = .writer, keepsBases: Bool = false) throws {
    laptop = try SyncMachine("laptop")
    desktop = try SyncMachine("desktop")
    try laptop.set("token", token)
    first = try laptop.founding(engine)
    second = try desktop.joining(first, engine, role: role)
    if keepsBases { (first.exchange.tuning.baseStep, second.exchange.tuning.baseStep) = (0, 0) }
    try first.synchronize()
  }
}

/// A suite that begins with two machines.
protocol SuiteOfTwoMachines {
  var machines: TwoMachines { get }
}

extension SuiteOfTwoMachines {
  var engine: MemoryEngine { machines.engine }
  var laptop: SyncMachine { machines.laptop }
  var desktop: SyncMachine { machines.desktop }
  var first: SyncedVault { machines.first }
  var second: SyncedVault { machines.second }

  /// The names of the epochs' keys that a home has: from what it remembers, and from each box in the
  /// store that one of its keys opens.
  func keys(of machine: SyncMachine) throws -> Set<[UInt8]> {
    let seed = try #require(try machine.vault.blocking.key(for: "sync-device"))
    let state = try SyncState(
      sealed: #require(try SyncFiles(vault: machine.vault.blocking.path).state()),
      key: KeyPairs(seed: seed).own)
    let pairs = try ([seed] + state.seeds).map { try KeyPairs(seed: $0) }
    var found = Set(state.epochs.map(\.id))
    let history = try KnownSpace(laptop).history
    for record in history.all {
      for case .epoch(_, let id, let boxes) in record.content.operations {
        let isOpen = boxes.contains { box in
          pairs.contains { (try? $0.sealing.open(box.key)) != nil }
        }
        if isOpen { found.insert(id) }
      }
    }
    return found
  }

  /// The names of the keys that the records with an item's name are sealed with.
  func epochs(of name: String) throws -> Set<[UInt8]> {
    let history = try KnownSpace(laptop).history
    let records = history.all.filter { record in
      record.content.operations.contains { operation in
        guard case .item(let item) = operation else { return false }
        return item.changes.contains { key, value in
          if case .text(name)? = value { key.kind == .name } else { false }
        }
      }
    }
    #expect(!records.isEmpty)
    return Set(records.map(\.epoch))
  }
}

/// The same, and a server that has joined, too.
struct ThreeMachines {
  let two: TwoMachines
  let server: SyncMachine
  let third: SyncedVault

  init() throws {
    two = try TwoMachines()
    server = try SyncMachine("server")
    third = try server.joining(two.first, two.engine)
  }
}

/// A suite that begins with three machines.
protocol SuiteOfThreeMachines: SuiteOfTwoMachines {
  var three: ThreeMachines { get }
}

extension SuiteOfThreeMachines {
  var machines: TwoMachines { three.two }
  var server: SyncMachine { three.server }
  var third: SyncedVault { three.third }

  /// Lets each of the machines synchronize.
  func synchronizeAll() throws {
    for one in [first, second, third] { try one.synchronize() }
  }
}
