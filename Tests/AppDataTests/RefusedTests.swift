import Foundation
import TestSupport
import Testing

/// The compiler's messages about invalid models.
struct RefusedTests {
  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  private func errors(_ source: String) throws -> String {
    let file = "\(home.path)/model.swift"
    try "import SwiftData\n\(source)".write(toFile: file, atomically: true, encoding: .utf8)
    let result = try SwiftCompiler.run(
      #require(SwiftCompiler.path), ["-typecheck", "-swift-version", "6", file], home: home)
    #expect(result.status != 0)
    return result.errors
  }

  @Test(
    .enabled(if: SwiftCompiler.path != nil, "needs swiftc in PATH"),
    arguments: ["var p = P()", "var p: P", "var p: P?", "var p: [P] = []", "let p: P"])
  func aTypeThatCannotBeStoredIsToldByWhatItLacks(property: String) throws {
    let errors = try errors(
      "struct P {}\n@Model final class A {\n  \(property)\n  init(p: P) { self.p = p }\n}")
    #expect(errors.contains("a stored property must be Codable"), "\(errors.prefix(2_000))")
    #expect(!errors.contains("StoredValue"), "\(errors.prefix(2_000))")
  }

  @Test(
    .enabled(if: SwiftCompiler.path != nil, "needs swiftc in PATH"),
    arguments: ["A", "A?", "[A]"])
  func aRelationshipMayNotBeAConstant(type: String) throws {
    let errors = try errors(
      "@Model final class A {\n  let a: \(type)\n  init(a: \(type)) { self.a = a }\n}")
    #expect(
      errors.contains("a relationship must be declared with 'var'"), "\(errors.prefix(2_000))")
  }

  @Test(.enabled(if: SwiftCompiler.path != nil, "needs swiftc in PATH"))
  func anObserverIsTheOnlyError() throws {
    let errors = try errors("@Model final class A {\n  var t = 1 { didSet {} }\n  init() {}\n}")
    #expect(
      errors.contains("'didSet' is not called on a stored property"), "\(errors.prefix(2_000))")
    #expect(!errors.contains("cannot find"), "\(errors.prefix(2_000))")
  }

  @Test(.enabled(if: SwiftCompiler.path != nil, "needs swiftc in PATH"))
  func anErrorInAnInitializerIsWhereTheProgramHasIt() throws {
    let errors = try errors(
      "@Model final class A {\n  let a: Int\n\n  init() {\n    // One.\n\n    a = 1\n    nope()\n  }\n}"
    )
    #expect(
      errors.contains("model.swift:9:5: error: cannot find 'nope'"), "\(errors.prefix(2_000))")
  }

  @Test(.enabled(if: SwiftCompiler.path != nil, "needs swiftc in PATH"))
  func aSealedAttributeIsNeitherUniqueNorIndexedNorAConstant() throws {
    let errors = try errors(
      """
      @Model final class A {
        @Attribute(.encrypt, .unique) var a = ""
        @Attribute(Schema.Attribute.Option.encrypt) var b = ""
        @Attribute(.encrypt) let c: String
        var d = ""
        #Unique<A>([\\.d, \\.b])
        #Index<A>(.binary([\\A.b]), .rtree([\\.d]))
        init(c: String) { self.c = c }
      }
      """)
    for (line, name, what) in [
      (3, "a", "unique"), (5, "c", "a constant"), (7, "b", "unique"), (8, "b", "in an index"),
    ] {
      let found = errors.split(separator: "\n").contains {
        $0.contains("model.swift:\(line):")
          && $0.contains("'\(name)' is sealed by .encrypt and cannot be \(what)")
      }
      #expect(found, "\(what): \(errors.prefix(4_000))")
    }
    #expect(!errors.contains("'d'"), "\(errors.prefix(4_000))")
  }
}
