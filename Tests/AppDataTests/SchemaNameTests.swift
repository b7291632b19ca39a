import TestSupport
import Testing
import VaultAppData

@Model
private final class CaseSite {
  var url = "a"
  // swift-format-ignore: AlwaysUseLowerCamelCase
  var URL = "b"
  init() {}
}

@Model
private final class NameOwner {
  init() {}
}

@Model
private final class NameKept {
  var owner: NameOwner?
  // swift-format-ignore: AlwaysUseLowerCamelCase
  var owner_id = 5
  var price: Decimal = 1
  // swift-format-ignore: AlwaysUseLowerCamelCase
  var price_order = 4
  init() {}
}

// swift-format-ignore: TypeNamesShouldBeCapitalized
@Model
private final class berth {
  var n = 1
  init() {}
}

@Model
private final class Berth {
  var n = 2
  @Relationship(inverse: \Pennant.berths) var pennants: [Pennant] = []
  init() {}
}

@Model
private final class Pennant {
  var berths: [Berth] = []
  init() {}
}

@Model
private final class Berth_pennants {
  var n = 3
  init() {}
}

@MainActor
@Model
private final class ActorAsset: Sendable {
  var id: UUID
  var title = "a"
  var owner: ActorAsset?
  @Relationship(inverse: \ActorAsset.owner) var parts: [ActorAsset] = []
  init() { id = UUID() }
}

/// A second conformance would be a warning, and so an error here.
@Model
private final class UncheckedModel: @unchecked Sendable {
  var title = "a"
  init() {}
}

@Model
private final class SpacedModel {
  var `with space` = 3
  var `ünïcode name`: String?
  init() {}
}

@Model
private final class ConfiguredModel {
  var always = 1
  #if os(Linux)
  var onLinux = "default"
  #if DEBUG || !DEBUG
  @Attribute(.unique) var inner = 2
  #endif
  #else
  var elsewhere = 0.5
  #endif
  #if canImport(Foundation)
  var computed: Int { always }
  @Transient var transient = 1
  static let shared = 1
  #endif
  init() {}
}

@Model
private final class WrongInverse {
  @Relationship(inverse: \WrongStop.name) var stops: [WrongStop] = []
  init() {}
}

@Model
private final class WrongStop {
  var name = ""
  var other: WrongElsewhere?
  init() {}
}

@Model
private final class WrongElsewhere {
  init() {}
}

@Model
private final class StrayInverse {
  @Relationship(inverse: \WrongStop.other) var stops: [WrongStop] = []
  init() {}
}

private enum First {
  @Model
  final class ClashSite {
    var url = "a"
    init() {}
  }
}

private enum Second {
  @Model
  final class ClashSite {
    var url = "a"
    // swift-format-ignore: AlwaysUseLowerCamelCase
    var URL = "b"
    init() {}
  }
}

/// Names and forms of properties that are legal in Swift.
struct SchemaNameTests {
  private func again<Model: PersistentModel>(_ context: ModelContext, _ type: Model.Type) throws
    -> Model
  {
    try context.save()
    let others = ModelContext(context.container)
    return try #require(try others.fetch(FetchDescriptor<Model>()).first)
  }

  @Test func namesThatDifferInCaseHaveColumnsOfTheirOwn() throws {
    let (_, context) = try memory(CaseSite.self)
    let address = CaseSite()
    address.URL = "z"
    context.insert(address)
    try context.save()
    let others = ModelContext(context.container)
    let found = try others.fetch(FetchDescriptor<CaseSite>(predicate: #Predicate { $0.URL == "z" }))
    #expect(found.map(\.url) == ["a"])
    #expect(
      try others.fetchCount(FetchDescriptor<CaseSite>(predicate: #Predicate { $0.url == "z" })) == 0
    )
  }

  @Test func aColumnBesideAPropertyGivesWay() throws {
    let (_, context) = try memory(NameOwner.self, NameKept.self)
    let animal = NameKept()
    animal.owner = NameOwner()
    context.insert(animal)
    let found = try again(context, NameKept.self)
    #expect(found.owner != nil && found.owner_id == 5 && found.price == 1 && found.price_order == 4)
  }

  @Test func classesThatDifferInCaseHaveTablesOfTheirOwn() throws {
    let (_, context) = try memory(berth.self, Berth.self, Pennant.self, Berth_pennants.self)
    let tagged = Berth()
    tagged.pennants = [Pennant()]
    context.insert(tagged)
    context.insert(berth())
    context.insert(Berth_pennants())
    #expect(try again(context, Berth.self).pennants.first?.berths.first?.n == 2)
    #expect(try again(context, berth.self).n == 1)
    #expect(try again(context, Berth_pennants.self).n == 3)
  }

  @Test func aStoreGainsAndLosesANameThatIsTaken() throws {
    let home = try TemporaryHome()
    let configuration = ModelConfiguration(
      url: Foundation.URL(fileURLWithPath: "\(home.path)/sites.store"))
    do {
      let container = try ModelContainer(for: First.ClashSite.self, configurations: configuration)
      let context = ModelContext(container)
      let site = First.ClashSite()
      site.url = "mine"
      context.insert(site)
      try context.save()
    }
    do {
      let container = try ModelContainer(for: Second.ClashSite.self, configurations: configuration)
      let context = ModelContext(container)
      let site = try #require(try context.fetch(FetchDescriptor<Second.ClashSite>()).first)
      #expect(site.url == "mine" && site.URL == "b")
      site.URL = "other"
      try context.save()
    }
    let container = try ModelContainer(for: First.ClashSite.self, configurations: configuration)
    let context = ModelContext(container)
    #expect(try context.fetch(FetchDescriptor<First.ClashSite>()).map(\.url) == ["mine"])
    #expect(try container.check().isEmpty)
  }

  @Test @MainActor func aClassMayBelongToAnActor() throws {
    let (_, context) = try memory(ActorAsset.self)
    let asset = ActorAsset()
    asset.parts = [ActorAsset()]
    context.insert(asset)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<ActorAsset>()) == 2)
    #expect(asset.parts.first?.owner === asset)
  }

  @Test func aClassMaySayByItselfThatItIsSendable() throws {
    let (_, context) = try memory(UncheckedModel.self)
    context.insert(UncheckedModel())
    #expect(try again(context, UncheckedModel.self).title == "a")
  }

  @Test func aNameMayHaveSpaces() throws {
    let (_, context) = try memory(SpacedModel.self)
    let spaced = SpacedModel()
    spaced.`with space` = 4
    spaced.`ünïcode name` = "n"
    context.insert(spaced)
    let found = try again(context, SpacedModel.self)
    #expect(found.`with space` == 4 && found.`ünïcode name` == "n")
    #expect(
      try context.fetchCount(
        FetchDescriptor<SpacedModel>(predicate: #Predicate { $0.`with space` == 4 })) == 1)
  }

  @Test func aPropertyWithinAConditionIsStored() throws {
    let (container, context) = try memory(ConfiguredModel.self)
    let conditional = ConfiguredModel()
    (conditional.onLinux, conditional.inner) = ("mine", 7)
    context.insert(conditional)
    let found = try again(context, ConfiguredModel.self)
    #expect(found.onLinux == "mine" && found.inner == 7)
    let names = container.schema.entities.first?.attributes.map(\.name).sorted()
    #expect(names == ["always", "inner", "onLinux"])
  }

  @Test func anInverseThatLeadsNowhereIsRefused() throws {
    func message(_ types: any PersistentModel.Type...) -> String {
      let memory = ModelConfiguration(isStoredInMemoryOnly: true)
      let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
        try ModelContainer(for: Schema(types), configurations: memory)
      }
      return error?.message ?? ""
    }
    #expect(
      message(WrongInverse.self)
        == "WrongInverse.stops: its inverse WrongStop.name is no relationship; name the one "
        + "that leads back to WrongInverse")
    #expect(
      message(StrayInverse.self)
        == "StrayInverse.stops: its inverse WrongStop.other leads to WrongElsewhere, not to StrayInverse; "
        + "name the one that leads back")
    // Also where another inverse could be guessed.
    #expect(message(GuessedInverse.self, OtherInverse.self).hasPrefix("GuessedInverse.stops: its"))
    #expect(message(ComputedInverse.self).hasPrefix("ComputedInverse.stops: its inverse is no"))
    #expect(message(LongInverse.self).hasPrefix("LongInverse.stops: its inverse is no"))
  }
}

@Model private final class GuessedInverse {
  @Relationship(inverse: \OtherInverse.stop) var stops: [GuessedStop] = []
  init() {}
}

@Model private final class GuessedStop {
  var guessed: GuessedInverse?
  init() {}
}

@Model private final class OtherInverse {
  var stop: GuessedStop?
  init() {}
}

@Model private final class ComputedInverse {
  @Relationship(inverse: \ComputedStop.same) var stops: [ComputedStop] = []
  init() {}
}

@Model private final class ComputedStop {
  var guessed: ComputedInverse?
  var same: ComputedInverse? { guessed }
  init() {}
}

@Model private final class LongInverse {
  @Relationship(inverse: \LongStop.guessed?.me) var stops: [LongStop] = []
  var me: LongInverse?
  init() {}
}

@Model private final class LongStop {
  var guessed: LongInverse?
  init() {}
}
