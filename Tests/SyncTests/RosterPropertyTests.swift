import Foundation
import Testing
import VaultCredentials
import VaultSealing
import VaultSync

/// Spaces of random people: who belongs to them is the same in whatever order their records come,
/// and no record of a reader, a writer, a stranger or somebody who was removed changes it.
///
/// `ROSTER_SEEDS=10000` runs that many.
struct RosterPropertyTests {
  /// What somebody does; with what he knows of the others, `nil` for everything.
  struct Action {
    enum Kind {
      case add(String, SyncRole)
      case remove(String)
      case role(String, SyncRole)
      case code(String)
      case claim(code: String)
      case subscription(String)
      case admission(String, code: String)
      case succeed(String)
      case word
    }

    let author: String
    let kind: Kind
    var known: [String: Int]?
  }

  private static let seeds = Int(ProcessInfo.processInfo.environment["ROSTER_SEEDS"] ?? "") ?? 120
  private static let parts = 4

  /// A schedule of honest people, some of whom did not know of each other.
  private static func actions(_ dice: inout SimulatedSpace.Dice) throws -> [Action] {
    var space = try PaperSpace()
    var actions: [Action] = []
    var people = ["founder"]
    var earlier: [[String: Int]] = []
    for number in 0..<14 {
      let roster = space.roster
      let admins = people.filter { name in
        space.people[name].map { roster.isAdmin($0.stream) } ?? false
      }
      guard let author = admins.isEmpty ? nil : admins[dice.below(admins.count)] else { break }
      let known = dice.isOne(in: 3) && !earlier.isEmpty ? earlier[dice.below(earlier.count)] : nil
      let other = people[dice.below(people.count)]
      let roles: [SyncRole] = [.reader, .writer, .admin, .owner]
      let role = roles[dice.below(try #require(space.people[author]).isOwner(in: roster) ? 4 : 3)]
      var action: Action
      switch dice.below(10) {
      case 0..<4:
        people.append("p\(number)")
        action = Action(author: author, kind: .add("p\(number)", role))
      // Who goes by himself may leave nobody behind; that is another test.
      case 4 where other != author:
        action = Action(author: author, kind: .remove(other), known: known)
      case 5 where other != author:
        action = Action(author: author, kind: .role(other, role), known: known)
      case 6:
        people.append("r\(number)")
        actions.append(Action(author: author, kind: .code("c\(number)")))
        try perform(actions[actions.count - 1], in: &space)
        action = Action(author: "r\(number)", kind: .claim(code: "c\(number)"))
      case 7:
        people.append("s\(number)")
        // Whoever has the home of a machine knows its first record. Of two that know as much the hash
        // decides who is first, which is another one each time.
        let isFirst = !actions.contains {
          if case .succeed(other) = $0.kind { true } else { false }
        }
        action = Action(
          author: "s\(number)", kind: .succeed(other),
          known: isFirst ? known?.merging([other: 1]) { max($0, $1) } : nil)
      case 8:
        // A subscription, which somebody claims, and is let in by.
        actions.append(Action(author: author, kind: .subscription("t\(number)")))
        try perform(actions[actions.count - 1], in: &space)
        actions.append(Action(author: "x\(number)", kind: .claim(code: "t\(number)")))
        try perform(actions[actions.count - 1], in: &space)
        action = Action(
          author: author, kind: .admission("x\(number)", code: "t\(number)"))
      default: action = Action(author: other, kind: .word, known: known)
      }
      // Who has said more than he would remember says it with all that he knows.
      if let count = action.known?[author], count < space.counts[author, default: 0] {
        action.known = nil
      }
      earlier.append(space.counts)
      actions.append(action)
      try perform(action, in: &space)
    }
    // Everybody says something at last, also those who are out and do not know it.
    for name in people.shuffled(by: &dice) {
      actions.append(Action(author: name, kind: .word, known: dice.isOne(in: 2) ? [:] : nil))
    }
    return actions
  }

  private static func perform(
    _ action: Action, in space: inout PaperSpace, also extra: [VaultSync.Operation] = []
  ) throws {
    let author = action.author
    switch action.kind {
    case .add(let name, let role): try space.add(name, role, by: author)
    case .remove(let name): try space.remove(name, by: author, knowing: action.known)
    case .role(let name, let role):
      try space.setRole(role, of: name, by: author, knowing: action.known)
    case .code(let code): try space.makeCode(code, by: author)
    case .claim(let code): try space.claim(author, by: code)
    case .subscription(let code): try space.subscribe(code, by: author)
    case .admission(let name, let code): try space.admit(name, by: author, code: code)
    case .succeed(let former):
      try space.succeed(author, of: former, knowing: action.known)
    case .word: try space.write(author, extra, knowing: action.known)
    }
  }

  /// All that somebody can say of who belongs to a space.
  private static func words(_ name: String, in space: inout PaperSpace) throws
    -> [[VaultSync.Operation]]
  {
    let invitation = try space.invitation("of \(name)", .owner, uses: 100, expires: .max)
    let recovery = try space.invitation("code of \(name)", .admin, uses: .max, expires: .max)
    let streams = space.people.values.map(\.stream).sorted()
    let subscription = try space.subscription("sub-of-\(name)")
    let codes = space.codes.values.map(\.id).sorted { $0.lexicographicallyPrecedes($1) }
    guard let person = space.people[name] else { return [] }
    let people = space.people.values.sorted { $0.stream < $1.stream }
    return [
      [invitation, recovery, subscription],
      streams.flatMap { [.remove($0, last: 0), .remove($0, last: .max)] },
      streams.flatMap { [.role($0, .reader), .role($0, .owner)] },
      codes.map { .settle(invitation: $0, accepted: []) },
      codes.map { .settle(invitation: $0, accepted: streams) },
      codes.map { .admit(invitation: $0, accepted: streams) },
      [.epoch(number: 2, id: [UInt8](repeating: 3, count: 16), sealed: [])],
      streams.map { .confirm($0, sequence: 1) },
      [.unseen(streams.map { ($0, 0) } + streams.map { ($0, .max) })],
      [.lacks(epoch: space.epoch.id)] + people.flatMap(\.records).map { .held($0.bytes) },
      [
        .create(
          keys: person.keys.publicKeys, nonce: [UInt8](repeating: 7, count: 16), label: name,
          rules: 2)
      ],
      [
        .succeed(
          keys: person.keys.publicKeys, predecessor: streams[0], label: name,
          signature: person.keys.signing.signature(
            of: Operation.succeeded(by: person.stream, in: space.space)))
      ],
      try codes.isEmpty
        ? [] : [space.claim(person, by: space.codes.keys.sorted()[0])].compactMap(\.self),
    ]
  }

  private static func played(
    _ actions: [Action], _ place: Int? = nil, _ word: Int = 0
  ) throws -> PaperSpace {
    var space = try PaperSpace()
    for (number, action) in actions.enumerated() {
      let extra = number == place ? try words(action.author, in: &space)[word] : []
      try perform(action, in: &space, also: extra)
    }
    return space
  }

  @Test(arguments: 0..<parts)
  func theOrderOfRecordsDoesNotMatter(_ part: Int) throws {
    for seed in 1...Self.seeds where seed % Self.parts == part {
      var dice = SimulatedSpace.Dice(seed: UInt64(seed))
      let space = try Self.played(Self.actions(&dice))
      let expected = PaperSpace.everything(of: space.roster)
      for _ in 0..<3 {
        let other = try space.reopened(in: space.people.keys.sorted().shuffled(by: &dice))
        #expect(other.all.count == space.history.all.count, "seed \(seed)")
        let roster = Roster(other.records, upTo: other.frontier)
        #expect(PaperSpace.everything(of: roster) == expected, "seed \(seed)")
      }
      // By a subscription nobody is let in.
      #expect(!space.members.contains { $0.hasPrefix("x") }, "seed \(seed)")
      // Somebody always can go on, unless he went by himself.
      #expect(!space.roster.owners.isEmpty, "seed \(seed)")
    }
  }

  /// Each kind of word at a random place of each one who has no say.
  @Test(arguments: 0..<parts)
  func whoHasNoSayChangesNothing(_ part: Int) throws {
    var count = 0
    for seed in 1...Self.seeds where seed % Self.parts == part {
      var dice = SimulatedSpace.Dice(seed: UInt64(seed) << 32)
      let actions = try Self.actions(&dice)
      let space = try Self.played(actions)
      let places = actions.indices.filter { place in
        guard case .word = actions[place].kind, let person = space.people[actions[place].author]
        else { return false }
        // Whoever goes on for somebody has his key.
        return space.family(of: actions[place].author).union([person.stream]).allSatisfy {
          Self.hasNoSay($0, at: place, actions)
        }
      }
      for place in places.shuffled(by: &dice).prefix(2) {
        for word in 0..<12 where dice.isOne(in: 3) {
          let other = try Self.played(actions, place, word)
          count += 1
          let author = actions[place].author
          // His own stream may be stopped by it, and nobody else's.
          let stopped = Set(other.history.stops.map(\.stream))
          let claimants = other.people.filter { $0.key.hasPrefix("x") }.map(\.value.stream)
          #expect(
            stopped.subtracting(claimants).allSatisfy { $0 == other.people[author]?.stream },
            "seed \(seed)")
          // Everybody may leave, and give away what he may; and with him who goes on for him.
          let family = space.family(of: author)
          #expect(
            other.lines(without: family) == space.lines(without: family),
            "seed \(seed), place \(place), word \(word) of \(author)")
        }
      }
    }
    #expect(count > Self.seeds / Self.parts)
  }

  /// Whether somebody was a reader, a writer, out or nobody when he wrote, and later.
  private static func hasNoSay(_ stream: StreamID, at place: Int, _ actions: [Action]) -> Bool {
    guard let before = try? played(Array(actions[..<place])), let after = try? played(actions)
    else {
      return false
    }
    let (known, last) = (before.roster.members[stream], after.roster.members[stream])
    let isOut = known?.last != nil && last?.last == known?.last
    return isOut || [known, last].allSatisfy { ($0?.role ?? .reader) < .admin }
  }
}

extension PaperSpace {
  /// Who is in, by their names here: what two are called who call themselves the same depends on
  /// hashes, where neither knew of the other.
  fileprivate func lines(without others: Set<StreamID>) -> [String] {
    let roster = roster
    return people.sorted { $0.key < $1.key }.compactMap { name, person in
      guard !others.contains(person.stream), let member = roster.members[person.stream] else {
        return nil
      }
      return "\(name) \(member.role.name) \(member.last ?? 0) \(member.successor == nil)"
    }
  }

  /// Somebody with all who go on for him, and for whom he goes on.
  fileprivate func family(of name: String) -> Set<StreamID> {
    let label = people[name].map { $0.label ?? name }
    return Set(people.filter { ($0.value.label ?? $0.key) == label }.map(\.value.stream))
  }
}

extension PaperSpace.Person {
  fileprivate func isOwner(in roster: Roster) -> Bool { roster.isOwner(stream) }
}

extension Array {
  /// The elements in an order that follows from the dice.
  fileprivate func shuffled(by dice: inout SimulatedSpace.Dice) -> [Element] {
    var rest = self
    var all: [Element] = []
    while !rest.isEmpty { all.append(rest.remove(at: dice.below(rest.count))) }
    return all
  }
}
