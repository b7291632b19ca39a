import VaultSync

/// The preferences of simulated machines: what was set, removed, added and dropped on each of them,
/// and whether all of it is there afterwards.
struct SimulatedPreferences {
  static let domains = ["tool", "editor"]

  /// A key of a domain.
  struct Place: Hashable {
    let domain: String
    let key: String
  }

  /// What is known of one machine.
  struct Machine {
    let store: MemoryPreferences
    /// The domains that were added on it.
    var members: Set<String> = []
    /// What was typed on it.
    var typed: [Place: Set<String>] = [:]
    /// Values that were replaced or removed on it, which it has not told yet.
    var untold: [Place: Set<String>] = [:]
    /// All values that were replaced or removed on it.
    var replaced: Set<String> = []
  }

  /// A machine's preferences as they were.
  struct Kept {
    fileprivate let contents: MemoryPreferences.Contents
    fileprivate let machine: Machine
  }

  private(set) var machines: [Machine] = []
  private var count = 0
  /// Values that were replaced or removed by somebody who knew of them: no clock brings them back.
  private var replaced: [Place: Set<String>] = [:]
  /// Values that a machine may come with that was not in between.
  private var mayReturn: Set<String> = []
  /// Keys that somebody has removed.
  private var removed: Set<Place> = []

  /// Adds a machine, which may have what another one had.
  mutating func add(_ kept: Kept? = nil) {
    let store = MemoryPreferences()
    if let kept { store.all = kept.contents }
    var machine = Machine(store: store)
    machine.typed = kept?.machine.typed ?? [:]
    machine.replaced = kept?.machine.replaced ?? []
    if let kept { mayReturn.formUnion(Self.values(kept.contents)) }
    machines.append(machine)
  }

  private static func values(_ contents: MemoryPreferences.Contents) -> [String] {
    contents.domains.values.flatMap { $0.values.values }.map { String(decoding: $0, as: UTF8.self) }
  }

  // MARK: - What people do

  /// Sets a key to a value that nobody has typed before, or removes it.
  mutating func change(_ place: Place, on number: Int, at time: Int64, isRemoved: Bool) {
    let old = machines[number].store.values(of: place.domain)[place.key]
    count += 1
    let value = isRemoved ? nil : "p\(count)"
    guard value != old else { return }
    machines[number].store.set(place.key, value, at: time, in: place.domain)
    if let value { machines[number].typed[place, default: []].insert(value) }
    if isRemoved { removed.insert(place) }
    guard machines[number].members.contains(place.domain), let old else { return }
    replaced[place, default: []].insert(old)
    machines[number].untold[place, default: []].insert(old)
    machines[number].replaced.insert(old)
  }

  mutating func added(_ domain: String, on number: Int) { machines[number].members.insert(domain) }

  /// A machine goes its own way from now on, with what it has.
  mutating func dropped(_ domain: String, on number: Int) {
    guard machines[number].members.remove(domain) != nil else { return }
    mayReturn.formUnion(machines[number].store.values(of: domain).values)
    forget(number) { $0.domain == domain }
  }

  /// Which domains a machine has after a call that was ended.
  mutating func has(_ domains: [String], on number: Int) {
    for domain in Self.domains where domains.contains(domain) { added(domain, on: number) }
    for domain in Self.domains where !domains.contains(domain) { dropped(domain, on: number) }
  }

  /// Nobody hears what a machine had not told.
  private mutating func forget(_ number: Int, where isMeant: (Place) -> Bool = { _ in true }) {
    for (place, values) in machines[number].untold where isMeant(place) {
      replaced[place]?.subtract(values)
      machines[number].untold[place] = nil
    }
  }

  /// All that a machine had to tell is told.
  mutating func told(_ number: Int) { machines[number].untold = [:] }

  /// The preferences of a machine are lost, and nothing else of it.
  mutating func lose(_ number: Int) {
    forget(number)
    machines[number].store.all = MemoryPreferences.Contents()
    machines[number].typed = [:]
  }

  /// Somebody has ended the rights of a machine: what it replaced since may be there again.
  ///
  /// - Parameters:
  ///   - number: The machine.
  ///   - isMember: Whether it tells the others again what is changed on it.
  mutating func isEnded(_ number: Int, isMember: Bool) {
    mayReturn.formUnion(machines[number].replaced)
    if !isMember { machines[number].members = [] }
  }

  func kept(_ number: Int) -> Kept {
    Kept(contents: machines[number].store.all, machine: machines[number])
  }

  /// A copy of a machine goes on as another one.
  mutating func goesOn(with kept: Kept, on number: Int) {
    machines[number].members = kept.machine.members
  }

  /// A machine is put back with its disk.
  mutating func putBack(_ kept: Kept, on number: Int) {
    forget(number)
    mayReturn.formUnion(Self.values(kept.contents))
    machines[number].store.all = kept.contents
    machines[number].typed = kept.machine.typed
    machines[number].members = kept.machine.members
  }

  // MARK: - Afterwards

  /// What is wrong; nothing if all is well.
  func findings() -> [String] {
    Self.domains.flatMap(differences) + machines.indices.flatMap(losses)
  }

  /// What machines that added a domain do not agree on, and what nobody can have meant.
  private func differences(_ domain: String) -> [String] {
    let members = machines.indices.filter { machines[$0].members.contains(domain) }
    guard let first = members.first else { return [] }
    let values = machines[first].store.values(of: domain)
    var findings: [String] = []
    for number in members.dropFirst() {
      let others = machines[number].store.values(of: domain)
      if others != values {
        findings.append("m\(number) has \(others) in \(domain), and m\(first) has \(values)")
      }
    }
    for (key, value) in values {
      let place = Place(domain: domain, key: key)
      if replaced[place]?.contains(value) == true, !mayReturn.contains(value) {
        findings.append("\(domain) \(key) is \(value) again, which was replaced")
      }
    }
    for number in members {
      for place in machines[number].typed.keys
      where place.domain == domain && values[place.key] == nil && !removed.contains(place) {
        findings.append("\(domain) \(place.key) has no value, and nobody has removed it")
      }
    }
    return findings
  }

  /// What somebody typed is there, or in the journal, with the machine that has replaced it.
  private func losses(_ number: Int) -> [String] {
    let (machine, all) = (machines[number], machines[number].store.all)
    return machine.typed.flatMap { place, values in
      let current = machine.store.values(of: place.domain)[place.key]
      return values.filter { value in
        value != current
          && !all.journal.contains {
            $0.domain == place.domain && $0.key == place.key && $0.old == value
              && $0.machine != ""
          }
      }
      .map { "m\(number) has lost \($0) of \(place.domain) \(place.key)" }
    }
  }
}
