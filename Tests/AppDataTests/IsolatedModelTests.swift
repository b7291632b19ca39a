import Observation
import Synchronization
import TestSupport
import Testing
import VaultAppData

/// Classes of a global actor, wherever they have it from: a macro sees names only.
struct IsolatedModelTests {
  @Test @Storekeeper func anActorMayHaveAnyName() throws {
    let (container, context) = try memory(KeptCrate.self)
    let crate = KeptCrate("a")
    crate.parts = [KeptCrate("b")]
    context.insert(crate)
    try context.save()
    #expect(crate.parts.first?.whole === crate)
    let found = try ModelContext(container).fetch(FetchDescriptor<KeptCrate>())
    #expect(Set(found.map(\.name)) == ["a", "b"] && found.allSatisfy { $0.code == "code" })
    // A change that no setter makes is observed, too.
    let observed = Observed()
    withObservationTracking {
      _ = crate.parts.first?.whole
    } onChange: {
      observed.count.withLock { $0 += 1 }
    }
    crate.parts = []
    #expect(observed.count.withLock { $0 } > 0)
  }

  @Test @MainActor func aSuperclassBringsItAlong() throws {
    let (container, context) = try memory(ScreenBase.self, ScreenPanel.self)
    let panel = ScreenPanel()
    panel.title = "t"
    panel.note = "n"
    panel.inner = [ScreenPanel()]
    context.insert(panel)
    try context.save()
    #expect(panel.inner.first?.outer === panel)
    let found = try ModelContext(container).fetch(FetchDescriptor<ScreenBase>())
    #expect(found.count == 2 && found.contains { $0.title == "t" })
    #expect(found.contains { ($0 as? ScreenPanel)?.note == "n" })
    context.delete(panel)
    context.rollback()
    #expect(panel.inner.count == 1)
  }

  @Test @MainActor func soDoesAProtocol() throws {
    let (container, context) = try memory(PresentedItem.self)
    let item = PresentedItem()
    item.title = "shown"
    context.insert(item)
    try context.save()
    #expect(item.line == "shown")
    #expect(
      try ModelContext(container).fetch(FetchDescriptor<PresentedItem>()).map(\.title) == ["shown"])
  }

  @Test func anUnrelatedAttributeChangesNothing() throws {
    let (_, context) = try memory(LookedUp.self)
    let object = LookedUp()
    context.insert(object)
    try context.save()
    #expect(object.anything == "anything")
    let found = try context.fetch(
      FetchDescriptor<LookedUp>(predicate: #Predicate { $0.id == 3 && $0.name == "a" }))
    #expect(found.count == 1)
  }
}

private final class Observed: Sendable {
  let count = Mutex(0)
}

@globalActor actor Storekeeper {
  static let shared = Storekeeper()
}

@Storekeeper
@Model final class KeptCrate {
  let code: String
  var name: String
  var whole: KeptCrate?
  @Relationship(inverse: \KeptCrate.whole) var parts: [KeptCrate] = []
  init(_ name: String) {
    code = "code"
    self.name = name
  }
}

@MainActor
@Model class ScreenBase {
  var title = ""
  init() {}
}

@Model final class ScreenPanel: ScreenBase {
  var note = ""
  var outer: ScreenPanel?
  @Relationship(inverse: \ScreenPanel.outer) var inner: [ScreenPanel] = []
}

@MainActor protocol Presented {
  var line: String { get }
}

@Model final class PresentedItem: Presented {
  var title = ""
  var line: String { title }
  init() {}
}

@dynamicMemberLookup
@available(macOS 14, *)
@Model final class LookedUp {
  var id = 3
  var name = "a"
  subscript(dynamicMember name: String) -> String { name }
  init() {}
}
