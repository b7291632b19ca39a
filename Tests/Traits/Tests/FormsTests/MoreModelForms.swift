// More model classes: comments, wrappers, availability, protocols.

import SwiftData
import Testing

@Model final class TransientObserver {
  var n = 0
  @Transient var count = 0 { didSet { n += 1 } }
  init() {}
}
@Test func a18_didSetOnTransient() throws {
  let x = try memory(TransientObserver.self)
  let t = TransientObserver()
  x.insert(t)
  t.count = 4
  #expect(t.n == 1)
}
enum Outer {
  @Model final class Inner {
    var n = 0
    init() {}
  }
}
extension Outer {
  @Model final class Other {
    var inner: Outer.Inner?
    init() {}
  }
}
@Test func a19_nestedAndExtensionModels() throws {
  let x = try memory(Outer.Other.self)
  let o = Outer.Other()
  o.inner = Outer.Inner()
  x.insert(o)
  try x.save()
  #expect(try x.fetch(FetchDescriptor<Outer.Inner>()).count == 1)
}
@Model final class Commented {
  /// Doc
  // swift-format-ignore: BeginDocumentationCommentWithOneLineSummary
  var /* inline */ name /* after */: /* type */ String /* end */ = "x"  // trailing
  // var gone: Int
  @Attribute( /* .unique */) var code: Int = 1 /* multi
  line */
  @Relationship(deleteRule: .cascade /* why */, inverse: \CommentedChild.parent /* x */)  // y
  var kids: [CommentedChild] = [] /* var z: Int */
  init() { /* nothing */  }
}
@Model final class CommentedChild {
  var parent: Commented?
  init() {}
}
@Test func a20_commentsInside() throws {
  let x = try memory(Commented.self)
  let c = Commented()
  c.kids = [CommentedChild()]
  x.insert(c)
  try x.save()
  #expect(try x.fetchCount(FetchDescriptor<CommentedChild>()) == 1)
}

@Model class OpenBase {
  var a = 1
  init() {}
  deinit { _ = 1 }
  subscript(i: Int) -> Int { a + i }
}
@Model final class SubOne: OpenBase {
  var b: Int = 2
  override init() { super.init() }
}
@Test func a21_inheritance() throws {
  let x = try memory(OpenBase.self, SubOne.self)
  x.insert(OpenBase())
  x.insert(SubOne())
  try x.save()
  let y = ModelContext(x.container)
  #expect(try y.fetch(FetchDescriptor<OpenBase>()).compactMap { $0 as? SubOne }.map(\.b) == [2])
  #expect(try y.fetchCount(FetchDescriptor<OpenBase>(predicate: #Predicate { $0 is SubOne })) == 1)
  #expect(try y.fetch(FetchDescriptor<SubOne>(sortBy: [SortDescriptor(\.a)])).count == 1)
  #expect(
    try y.fetchCount(FetchDescriptor<SubOne>(predicate: #Predicate { $0.a == 1 && $0.b == 2 })) == 1
  )
}
// CloudKit rules: all optional or with defaults, no unique, optional relationships
@Model final class Cloud {
  var name: String?
  var when: Date? = nil
  var n: Int = 0
  var blob: Data?
  @Relationship(deleteRule: .cascade, inverse: \CloudItem.owner) var items: [CloudItem]? = []
  @Relationship(inverse: \CloudItem.tagged) var tagged: [CloudItem]?
  init() {}
}
@Model final class CloudItem {
  var title: String? = ""
  var owner: Cloud?
  var tagged: [Cloud]?
  init(_ t: String) { title = t }
}
@Test func a22_cloudKitShaped() throws {
  let x = try memory(Cloud.self, CloudItem.self)
  let c = Cloud()
  x.insert(c)
  c.items?.append(CloudItem("a"))
  c.items?.append(CloudItem("b"))
  c.tagged = [CloudItem("c")]
  try x.save()
  let y = ModelContext(x.container)
  let d = try #require(try y.fetch(FetchDescriptor<Cloud>()).first)
  #expect(d.items?.compactMap(\.title) == ["a", "b"] && d.tagged?.count == 1)
  #expect(
    try y.fetchCount(
      FetchDescriptor<CloudItem>(predicate: #Predicate { $0.owner?.items?.isEmpty == false })) == 2)
  #expect(
    try y.fetchCount(
      FetchDescriptor<CloudItem>(predicate: #Predicate { ($0.tagged?.count ?? 0) > 0 })) == 1)
  #expect(
    try y.fetchCount(
      FetchDescriptor<CloudItem>(
        predicate: #Predicate { $0.title?.localizedStandardContains("A") == true })) == 1)
}
@Model final class ImplicitlyUnwrapped {
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  var a: Int!
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  var owner: Owner! = nil
  init() { a = 1 }
}
@Test func a23_implicitlyUnwrapped() throws {
  let x = try memory(ImplicitlyUnwrapped.self, Owner.self)
  let i = ImplicitlyUnwrapped()
  i.owner = Owner()
  x.insert(i)
  try x.save()
  let j = try #require(
    try ModelContext(x.container).fetch(FetchDescriptor<ImplicitlyUnwrapped>()).first)
  #expect(j.a == 1 && j.owner != nil)
}
typealias Cents = Int
typealias Pets = [Blob]
typealias MaybePet = Blob?
@Model final class Aliased {
  var price: Cents = 3
  var pets: Pets = []
  var best: MaybePet = nil
  init() {}
}
@Test func a24_typealiases() throws {
  let x = try memory(Aliased.self, Blob.self)
  let a = Aliased()
  x.insert(a)
  a.pets = [Blob(), Blob()]
  a.best = a.pets[0]
  try x.save()
  let b = try #require(try ModelContext(x.container).fetch(FetchDescriptor<Aliased>()).first)
  #expect(b.pets.count == 2 && b.best != nil && b.price == 3)
}
@Model final class SetOfModels {
  var name = ""
  @Relationship var members: [Owner] = []
  init() {}
}
@Test func a25_externalStorage() throws {
  let store = try OnDisk(Blob.self)
  let big = Data((0..<2_000_000).map { UInt8(truncatingIfNeeded: $0) })
  do {
    let x = try store.open()
    let b = Blob()
    b.big = big
    b.text = String(repeating: "t", count: 300_000)
    x.insert(b)
    try x.save()
  }
  let x = try store.open()
  let b = try #require(try x.fetch(FetchDescriptor<Blob>()).first)
  #expect(b.big == big && b.text.count == 300_000)
  #expect(try x.fetchCount(FetchDescriptor<Blob>(predicate: #Predicate { $0.big != nil })) == 1)
  x.delete(b)
  try x.save()
}
@Model final class Blob {
  @Attribute(.externalStorage) var big: Data?
  @Attribute(.externalStorage) var text: String = ""
  init() {}
}
@Model final class MultiOption {
  @Attribute(.unique, .preserveValueOnDeletion) var code: String
  @Attribute(.externalStorage, originalName: "old") var d: Data?
  @Attribute(.spotlight) var s = "x"
  @Attribute(.allowsCloudEncryption) var e = "y"
  @Attribute(.ephemeral) var eph: Int = 4
  @Attribute(hashModifier: "v2") var h = 1
  init(_ c: String) { code = c }
}
@Test func a26_manyOptions() throws {
  let x = try memory(MultiOption.self)
  let m = MultiOption("a")
  m.eph = 9
  x.insert(m)
  try x.save()
  #expect(m.eph == 9)
  #expect(try ModelContext(x.container).fetch(FetchDescriptor<MultiOption>()).first?.eph == 4)
}
@Model nonisolated final class Free: @unchecked Sendable {
  var n = 0
  nonisolated init() {}
}
@Test func a28_nonisolatedUncheckedSendable() throws {
  let x = try memory(Free.self)
  x.insert(Free())
  try x.save()
  #expect(try x.fetchCount(FetchDescriptor<Free>()) == 1)
}
