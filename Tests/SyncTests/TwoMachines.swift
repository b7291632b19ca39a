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
