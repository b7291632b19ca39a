import Testing
import VaultAppData

@Model
private final class CapturedNote {
  var kind = "a"
  var count = 3
  var ratio = 0.5
  var text: String?
  var tags: [String] = ["x", "y"]
  init() {}
}

/// Captured values of predicates that may end the program: computed where they are reached.
struct CapturedValueTests {
  private let context: ModelContext

  init() throws {
    (_, context) = try memory(CapturedNote.self)
    context.insert(CapturedNote())
    try context.save()
  }

  private func find(_ predicate: Predicate<CapturedNote>) throws -> Int {
    let evaluated = try context.fetch(FetchDescriptor<CapturedNote>()).filter {
      (try? predicate.evaluate($0)) == true
    }
    let found = try context.fetchCount(FetchDescriptor<CapturedNote>(predicate: predicate))
    #expect(found == evaluated.count)
    return found
  }

  @Test func aFilterThatIsOffUnwrapsNothing() throws {
    func wanted(_ kind: String?) -> Predicate<CapturedNote> {
      #Predicate { kind == nil || $0.kind == kind! }
    }
    #expect(try find(wanted(nil)) == 1)
    #expect(try find(wanted("a")) == 1)
    #expect(try find(wanted("b")) == 0)
  }

  @Test func anEmptyListIsNotAskedForItsFirst() throws {
    func first(_ list: [String]) -> Predicate<CapturedNote> {
      #Predicate { list.isEmpty || $0.kind == list[0] }
    }
    #expect(try find(first([])) == 1)
    #expect(try find(first(["b"])) == 0)
  }

  @Test(arguments: [0, 1, 2])
  func nothingIsDividedByZeroBehindAGuard(_ divisor: Int) throws {
    let total = 4
    #expect(
      try find(#Predicate { divisor == 0 || $0.count > total / divisor }) == [1, 0, 1][divisor])
    #expect(
      try find(#Predicate { divisor != 0 && $0.count > total % divisor }) == [0, 1, 1][divisor])
    #expect(
      try find(#Predicate { (divisor == 0 ? $0.count : total / divisor) == 3 })
        == [1, 0, 0][divisor])
  }

  @Test func aConditionAndACoalescingGuard() throws {
    let wanted: String? = nil
    let map = ["x": 3]
    #expect(
      try find(#Predicate { if wanted != nil { $0.kind == wanted! } else { $0.count == 3 } }) == 1)
    #expect(try find(#Predicate { $0.count == map["x"]! }) == 1)
    let none: [String: Int] = [:]
    #expect(try find(#Predicate { none["x"] != nil && $0.count == none["x"]! }) == 0)
    #expect(try find(#Predicate { $0.text ?? wanted! == "a" || $0.count == 3 }) == 0)
  }

  @Test func callsAndMembersOfUnwrappedValuesWaitToo() throws {
    let wanted: String? = nil
    let numbers: [Int] = []
    let length = -1
    #expect(try find(#Predicate { wanted == nil || $0.kind == wanted!.lowercased() }) == 1)
    #expect(try find(#Predicate { wanted == nil || $0.count == wanted!.count }) == 1)
    #expect(try find(#Predicate { numbers.isEmpty || $0.count > numbers.max()! + 1 }) == 1)
    #expect(
      try find(#Predicate { length < 0 || numbers.prefix(length).isEmpty && $0.count > 0 }) == 1)
    let names = ["a", "b"]
    #expect(
      try find(#Predicate { names.isEmpty || names.map { $0.lowercased() }.contains($0.kind) }) == 1
    )
    #expect(try find(#Predicate { length < 0 || $0.count > Int(Double(length).squareRoot()) }) == 1)
  }

  @Test func aDefaultAndAChainReachTheirPartsOnlyIfAsked() throws {
    let map = ["x": 3]
    let (none, key): (Int?, String?) = (nil, nil)
    #expect(try find(#Predicate { $0.count == map["x", default: none!] }) == 1)
    #expect(try find(#Predicate { $0.count == map["y", default: none!] }) == 0)
    #expect(try find(#Predicate { $0.count == 3 && key?.appending(key!) == nil }) == 1)
    #expect(try find(#Predicate { $0.count == 3 && (none ?? none!) == 1 }) == 0)
    #expect(try find(#Predicate { $0.count == 3 && max(none ?? 0, map["x"]!) == 3 }) == 1)
  }

  @Test func whatOnlySomeRowsReachEndsNoQuery() throws {
    let wanted: String? = nil
    let numbers: [Int] = []
    let (zero, most) = (0, Int.max)
    #expect(try find(#Predicate { $0.count == 3 || $0.kind == wanted! }) == 1)
    #expect(try find(#Predicate { $0.count == 4 || $0.kind == wanted! }) == 0)
    #expect(try find(#Predicate { $0.count == 3 || $0.count > numbers[1] }) == 1)
    #expect(try find(#Predicate { $0.count == 3 || $0.count > most / zero }) == 1)
    #expect(try find(#Predicate { $0.count == 3 || $0.count > most + 1 }) == 1)
    #expect(try find(#Predicate { $0.count == 3 || (most...zero).contains($0.count) }) == 1)
    #expect(try find(#Predicate { !$0.tags.allSatisfy { $0 == wanted! } }) == 0)
    #expect(try find(#Predicate { !$0.tags.contains { $0 == wanted! } }) == 0)
  }

  @Test func aValueIsTheOneThatWasCaptured() throws {
    var list = ["a"]
    let predicate = #Predicate<CapturedNote> { $0.kind == list[0] }
    list = ["b"]
    #expect(try find(predicate) == 1)
    #expect(list == ["b"])
  }

  @Test func descriptionsOfTheSameFetchAreEqual() {
    func descriptor(_ list: [String], _ index: Int) -> FetchDescriptor<CapturedNote> {
      FetchDescriptor(predicate: #Predicate { $0.kind == list[index] })
    }
    #expect(descriptor(["a"], 0) == descriptor(["a"], 0))
    #expect(descriptor(["a"], 0) != descriptor(["b"], 0))
    #expect(descriptor(["a", "a"], 0) != descriptor(["a", "a"], 1))
  }

  @Test func aPredicateCanBePrinted() {
    let list = ["a"]
    let search = "rome"
    let long = #Expression<CapturedNote, Int> { $0.tags.count }
    let other = #Predicate<CapturedNote> { $0.kind.localizedStandardContains(search) }
    let predicate = #Predicate<CapturedNote> {
      $0.kind.localizedStandardContains(search) || $0.kind == list[0] || long.evaluate($0) > 2
        || other.evaluate($0) || $0.kind.caseInsensitiveCompare(search) == .orderedSame
        || $0.kind.localizedCompare(search) == .orderedAscending
    }
    let text = "\(predicate)"
    for part in ["rome", "localizedStandardContains", "list[0]", "caseInsensitiveCompare"] {
      #expect(text.contains(part), "\(text)")
    }
    #expect("\(String(describing: other)) \(long)".contains("evaluate"))
  }

  @Test func aLimitOfZeroIsNone() throws {
    var descriptor = FetchDescriptor<CapturedNote>()
    descriptor.fetchLimit = 0
    #expect(try context.fetch(descriptor).count == 1)
    #expect(try context.fetchCount(descriptor) == 1)
  }

  @Test func aComputedPropertyIsNamedWithItsClass() throws {
    let error = #expect(throws: SwiftDataError.self) {
      try context.fetch(FetchDescriptor<CapturedNote>(predicate: #Predicate { $0.short == "a" }))
    }
    #expect(error?.message.contains("CapturedNote.… is a computed or transient property") == true)
  }
}

extension CapturedNote {
  fileprivate var short: String { String(kind.prefix(1)) }
}
