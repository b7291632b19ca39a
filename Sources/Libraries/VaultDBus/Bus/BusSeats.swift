/// Who has to go when clients take too much: a process' own clients first.
struct BusSeats {
  private let clients: [BusConnection]
  private let limits: BusServer.Limits
  private let byProcess: [Int32: [BusConnection]]

  init(_ clients: [BusConnection], _ limits: BusServer.Limits) {
    self.clients = clients
    self.limits = limits
    byProcess = Dictionary(grouping: clients) { $0.peer.process }
  }

  /// Those that have not said who they are for too long.
  var late: [BusConnection] {
    let now = ContinuousClock.now
    return clients.filter { $0.name == nil && now - $0.began > limits.patience }
  }

  /// Those for which too much is kept, the largest of the largest process first, until the rest is
  /// within the limits.
  var tooLarge: [BusConnection] {
    var found: [BusConnection] = []
    var total = 0
    var processes: [(bytes: Int, clients: [BusConnection])] = []
    for clients in byProcess.values {
      let sorted = clients.sorted { $0.heldBytes < $1.heldBytes }
      processes.append((sorted.reduce(0) { $0 + $1.heldBytes }, sorted))
      total += processes[processes.count - 1].bytes
    }
    while let place = processes.indices.max(by: { processes[$0].bytes < processes[$1].bytes }),
      processes[place].bytes > limits.bytesOfProcess || total > limits.bytes,
      let largest = processes[place].clients.popLast()
    {
      found.append(largest)
      processes[place].bytes -= largest.heldBytes
      total -= largest.heldBytes
    }
    return found
  }

  /// The client whose seat a new one gets; `nil` if there are free ones.
  func toGive(to new: BusConnection) -> BusConnection? {
    let own = byProcess[new.peer.process] ?? []
    if own.count >= limits.clientsOfProcess { return Self.mostSilent(of: own) }
    guard clients.count >= limits.clients else { return nil }
    let nameless = clients.filter { $0.name == nil }
    if !nameless.isEmpty { return Self.mostSilent(of: nameless) }
    return byProcess.values.max { $0.count < $1.count }.flatMap(Self.mostSilent)
  }

  /// The one that has not said who it is, or else was not heard of, for the longest time.
  private static func mostSilent(of clients: [BusConnection]) -> BusConnection? {
    clients.min {
      if ($0.name == nil) != ($1.name == nil) { return $0.name == nil }
      return $0.lastHeard < $1.lastHeard
    }
  }

  /// The milliseconds until then, rounded up; `nil` for no end.
  static func milliseconds(until end: ContinuousClock.Instant?) -> Int? {
    guard let left = end.map({ $0 - .now }) else { return nil }
    let (seconds, attoseconds) = left.components
    return max(0, Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000) + 1)
  }
}
