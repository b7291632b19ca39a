import Testing
import VaultAppData

/// Links to rows that another context has deleted meanwhile.
struct DeletedElsewhereTests {
  enum Way: CaseIterable {
    case append, insertAndSet, appendAndChange, fetchedAppend, fetchedChangeAppend, oldChild
    case inInitializer, join, joinFromOther
  }

  @Test(arguments: Way.allCases)
  func theLinkIsDroppedAndTheRestIsSaved(way: Way) throws {
    let (container, setup) = try memory(LateClub.self)
    setup.insert(LateClub("a"))
    setup.insert(LateMember(5))
    try setup.save()
    let context = ModelContext(container)
    let club = try #require(try context.fetch(FetchDescriptor<LateClub>()).first)
    let old = try #require(try context.fetch(FetchDescriptor<LateMember>()).first)
    if [.fetchedAppend, .fetchedChangeAppend].contains(way) { _ = (club.name, club.members.count) }
    let other = ModelContext(container)
    other.delete(try #require(try other.fetch(FetchDescriptor<LateClub>()).first))
    try other.save()
    let new = LateMember(77)
    switch way {
    case .append, .fetchedAppend: club.members.append(new)
    case .insertAndSet:
      context.insert(new)
      new.club = club
    case .appendAndChange:
      club.members.append(new)
      club.value = 5
    case .fetchedChangeAppend:
      club.value = 5
      club.members.append(new)
    case .oldChild:
      context.insert(new)
      old.club = club
      old.number = 6
    case .inInitializer: _ = LateMember(77, club)
    case .join:
      context.insert(new)
      new.guests = [club]
    case .joinFromOther: club.guests.append(new)
    }
    context.insert(LateClub("fresh"))
    try context.save()
    let look = ModelContext(container)
    #expect(try look.fetch(FetchDescriptor<LateClub>()).map(\.name) == ["fresh"])
    let members = try look.fetch(FetchDescriptor<LateMember>(sortBy: [SortDescriptor(\.number)]))
    #expect(members.map(\.number) == [way == .oldChild ? 6 : 5, 77])
    #expect(members.allSatisfy { $0.club == nil && $0.guests.isEmpty })
    #expect(old.club == nil)
    if way != .inInitializer {
      #expect(new.modelContext === context && new.club == nil && new.guests.isEmpty)
    }
    #expect(try container.check() == [])
    try context.save()
    #expect(!context.hasChanges)
  }

  @Test func theMergePolicyMayRefuseIt() throws {
    let (container, context) = try memory(LateClub.self)
    let club = LateClub("a")
    context.insert(club)
    try context.save()
    let other = ModelContext(container)
    other.delete(try #require(try other.fetch(FetchDescriptor<LateClub>()).first))
    try other.save()
    context.mergePolicy = .error
    let new = LateMember(77)
    context.insert(new)
    new.club = club
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error == .missingRow)
    #expect(
      error?.message
        == "LateMember.club of object 1 leads to LateClub 1, which another context or process has deleted"
    )
    #expect(new.club === club)
  }

  @Test(arguments: [false, true])
  func whatRequiresItIsNamed(inTransaction: Bool) throws {
    let (container, context) = try memory(LateFee.self)
    let club = LateClub("Ada")
    context.insert(club)
    try context.save()
    let other = ModelContext(container)
    other.delete(try #require(try other.fetch(FetchDescriptor<LateClub>()).first))
    try other.save()
    for _ in 0..<3 { context.insert(LateMember(1)) }
    let error = #expect(throws: SwiftDataError.self) {
      if inTransaction {
        // Read again there: the object is known to be gone.
        try context.transaction { context.insert(LateFee(club)) }
      } else {
        context.insert(LateFee(club))
        try context.save()
      }
    }
    #expect(error == .modelValidationFailure)
    let message = error?.message ?? ""
    #expect(inTransaction || message.contains("leads to LateClub 1"), "\(message)")
    #expect(message.hasPrefix("LateFee.club of object 1 is required"), "\(message)")
  }
}

@Model private final class LateClub {
  var name: String
  var value = 0
  @Relationship(inverse: \LateMember.club) var members: [LateMember] = []
  @Relationship(inverse: \LateMember.guests) var guests: [LateMember] = []
  init(_ name: String) { self.name = name }
}

@Model private final class LateMember {
  var number: Int
  var club: LateClub?
  var guests: [LateClub] = []
  init(_ number: Int, _ club: LateClub? = nil) {
    self.number = number
    self.club = club
  }
}

@Model private final class LateFee {
  var club: LateClub
  init(_ club: LateClub) { self.club = club }
}
