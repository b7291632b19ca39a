import SwiftDiagnostics
import SwiftIfConfig
import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftSyntaxMacrosGenericTestSupport
import Testing
import VaultAppDataMacros

/// One of each kind of member: what `@Model` stores, and what it refuses.
struct ModelMemberTests {
  /// What is stored, and what is reported.
  private func look(_ members: String, isConfigured: Bool = true) -> (stored: [String], [String]) {
    let source = "@Model final class A {\n\(members)\ninit() {}\n}"
    let file = Parser.parse(source: source)
    let context = BasicMacroExpansionContext(
      sourceFiles: [file: .init(moduleName: "Models", fullFilePath: "Models.swift")],
      buildConfiguration: isConfigured ? Linux() : nil)
    let text = file.expand(
      macroSpecs: macros,
      contextGenerator: { syntax in
        BasicMacroExpansionContext(
          sharingWith: context, lexicalContext: syntax.allMacroLexicalContexts())
      }, indentationWidth: .spaces(2)
    ).description
    let stored = text.split(separator: "PropertyMetadata(name: \"").dropFirst().map {
      String($0.prefix { $0 != "\"" })
    }
    return (stored, context.diagnostics.map(\.message))
  }

  private struct Linux: BuildConfiguration {
    func isCustomConditionSet(name: String) -> Bool { name == "DEBUG" }
    func hasFeature(name: String) -> Bool { false }
    func hasAttribute(name: String) -> Bool { false }
    func canImport(importPath: [(TokenSyntax, String)], version: CanImportVersion) throws -> Bool {
      throw CocoaLess()
    }
    struct CocoaLess: Error {}
    func isActiveTargetOS(name: String) -> Bool { name == "Linux" }
    func isActiveTargetArchitecture(name: String) -> Bool { name == "x86_64" }
    func isActiveTargetEnvironment(name: String) -> Bool { false }
    func isActiveTargetRuntime(name: String) -> Bool { false }
    func isActiveTargetPointerAuthentication(name: String) -> Bool { false }
    func isActiveTargetObjectFormat(name: String) -> Bool { false }
    var targetPointerBitWidth: Int { 64 }
    var targetAtomicBitWidths: [Int] { [8, 16, 32, 64] }
    var endianness: Endianness { .little }
    var languageVersion: VersionTuple { VersionTuple(6) }
    var compilerVersion: VersionTuple { VersionTuple(6, 3) }
  }

  private func expectStored(_ members: String, _ names: [String]) {
    let (stored, problems) = look(members)
    #expect(stored == names && problems.isEmpty, "\(members): \(stored) \(problems)")
  }

  private func expectRefused(_ members: String, _ message: String, isConfigured: Bool = true) {
    let (_, problems) = look(members, isConfigured: isConfigured)
    #expect(problems == [message], "\(members): \(problems)")
  }

  @Test func propertiesAreStored() {
    expectStored("var a = 1", ["a"])
    expectStored("public private(set) var a: Int?", ["a"])
    expectStored("let a: Int", ["a"])
    expectStored("@Attribute(.unique) var a = 1", ["a"])
  }

  @Test func whatHasNoStorageOrSaysSoIsNot() {
    for member in [
      "var a: Int { 1 }", "var a: Int { get { 1 } set {} }", "static var a = 1",
      "class var a: Int { 1 }",
      "let a = 1", "let (a, b) = (1, 2)", "@Transient var a = 1",
      "@Transient weak var a: AnyObject?",
      "func a() {}", "subscript(a: Int) -> Int { a }",
      "enum Kind { case a }", "struct Part { var a = 1 }", "class Other { var a = 1 }",
      "typealias B = Int", "deinit {}", "#sourceLocation(file: \"a\", line: 1)\n#sourceLocation()",
    ] { expectStored(member, []) }
  }

  @Test func whatCannotBeReadIsRefused() {
    let several = "@Model needs one declaration for each stored property"
    expectRefused("var a = 1, b = 2", several)
    expectRefused("var (a, b) = (1, 2)", several)
    expectRefused("var a, b: Int", several)
    expectRefused(
      "lazy var a = 1", "a lazy property cannot be stored; mark it @Transient or remove 'lazy'")
    expectRefused(
      "weak var a: AnyObject?", "a property that is 'weak' cannot be stored; mark it @Transient")
    expectRefused(
      "#made(\"a\")", "@Model cannot see what '#made' declares; use it in an extension of the class"
    )
  }

  @Test func aConditionIsFollowed() {
    expectStored("#if os(Linux)\nvar a = 1\n#else\nvar b = 1\n#endif\nvar c = 1", ["a", "c"])
    expectStored("#if os(macOS)\nvar a = 1\n#elseif DEBUG\nvar b = 1\n#endif", ["b"])
    expectStored("#if DEBUG\n#if os(Linux)\nvar a = 1\n#endif\nvar b = 1\n#endif", ["a", "b"])
    expectStored("#if !DEBUG\nvar a = 1\n#endif", [])
    expectStored("#if canImport(UIKit)\nvar a: Int { 1 }\n@Transient var b = 1\n#endif", [])
  }

  @Test func aConditionThatOnlyTheCompilerKnowsIsRefused() {
    let refusal =
      "@Model cannot tell whether this '#if' is compiled; declare a stored property outside of it"
    expectRefused("#if canImport(UIKit)\nvar a = 1\n#endif", refusal)
    expectRefused("#if DEBUG\nvar a = 1\n#endif", refusal, isConfigured: false)
    expectRefused(
      "#if DEBUG\nvar b: Int { 1 }\n#else\nvar a: Int\n#endif", refusal, isConfigured: false)
    expectRefused(
      "#if canImport(UIKit)\n#Unique<A>([\\.a])\n#endif",
      "@Model cannot tell whether this '#if' is compiled; declare #Unique outside of it")
  }

  /// The expansion, with what is reported.
  private func expand(_ source: String, isConfigured: Bool = true) -> (String, [String]) {
    let file = Parser.parse(source: source)
    let context = BasicMacroExpansionContext(
      sourceFiles: [file: .init(moduleName: "Models", fullFilePath: "Models.swift")],
      buildConfiguration: isConfigured ? Linux() : nil)
    let text = file.expand(
      macroSpecs: macros,
      contextGenerator: { syntax in
        BasicMacroExpansionContext(
          sharingWith: context, lexicalContext: syntax.allMacroLexicalContexts())
      }, indentationWidth: .spaces(2)
    ).description
    return (text, context.diagnostics.map(\.message))
  }

  @Test func anAttributeInAConditionIsTaken() {
    let (text, problems) = expand(
      """
      @Model final class A {
        #if os(Linux)
        @Attribute(.encrypt)
        #endif
        var a = 1
        #if os(macOS)
        @Attribute(.unique)
        #elseif DEBUG
        #if os(Linux)
        @Attribute(originalName: "z")
        #endif
        #endif
        var b = 1
        #if DEBUG
        @Relationship(deleteRule: .cascade)
        #endif
        var c: [B] = []
        #if os(macOS)
        @Transient
        #endif
        var d = 1
        #if canImport(UIKit)
        @available(*, deprecated)
        #endif
        var e = 1
        init() {}
      }
      """)
    #expect(problems.isEmpty)
    #expect(text.contains("metadata: _AppData.Schema.Attribute(.encrypt))"))
    #expect(text.contains("metadata: _AppData.Schema.Attribute(originalName: \"z\"))"))
    #expect(text.contains("metadata: _AppData.Schema.Relationship(deleteRule: .cascade))"))
    #expect(!text.contains("Attribute(.unique))"))
    expectStored("#if DEBUG\n@Transient\n#endif\nvar a = 1\nvar b = 1", ["b"])
    expectStored("#if os(macOS)\n@Transient\n#endif\nvar a = 1", ["a"])
  }

  @Test func anAttributeInAConditionThatOnlyTheCompilerKnowsIsRefused() {
    for name in ["Attribute", "Relationship", "Transient"] {
      let refusal =
        "@Model cannot tell whether this '#if' is compiled; declare @\(name) outside of it"
      expectRefused("#if canImport(UIKit)\n@\(name)\n#endif\nvar a = 1", refusal)
      expectRefused("#if DEBUG\n@\(name)\n#endif\nvar a = 1", refusal, isConfigured: false)
    }
  }

  @Test func anActorInAConditionIsTakenOrRefused() {
    func source(_ condition: String) -> String {
      "#if \(condition)\n@MainActor\n#endif\n@Model final class A {\n  var a = 1\n  init() {}\n}"
    }
    #expect(expand(source("os(Linux)")).0.contains("_AppData.unisolated(A._$metadata"))
    #expect(!expand(source("os(macOS)")).0.contains("_AppData.unisolated("))
    #expect(
      expand(source("canImport(UIKit)")).1 == [
        "@Model cannot tell whether this '#if' is compiled; declare @MainActor outside of it"
      ])
    #expect(
      expand("#if os(Linux)\n@Model\n#endif\nfinal class A {\n  #Index<A>([\\.a])\n}").1.isEmpty)
  }

  @Test func aNameWithQuotationMarksIsALiteral() {
    let expanded = expansion(of: "@Model final class A {\n  var `a\"b` = 1\n  init() {}\n}")
    #expect(expanded.contains("PropertyMetadata(name: #\"a\"b\"#, keypath: \\A.`a\"b`"))
    #expect(expanded.contains("private var `_a\"b`: _AppData.NoType"))
  }

  @Test func aNameWithSpacesIsQuotedEverywhere() {
    let expanded = expansion(of: "@Model final class A {\n  var `a b` = 1\n  init() {}\n}")
    #expect(expanded.contains("private var `_a b`: _AppData.NoType"))
    #expect(expanded.contains("initializes: `_a b`)"))
    #expect(expanded.contains("`_a b` = _AppData.NoType()"))
    #expect(expanded.contains("PropertyMetadata(name: \"a b\", keypath: \\A.`a b`"))
  }

  @Test func aClassOfAnActorMakesItsKeyPathsThere() {
    let expanded = expansion(of: "@MainActor @Model final class A {\n  var id = 1\n  init() {}\n}")
    #expect(expanded.contains("_AppData.unisolated(A._$metadata, as: "))
    #expect(expanded.contains("_AppData.unisolated(A._$changed, as: "))
    #expect(expanded.contains("extension A: @preconcurrency nonisolated _AppData.PersistentModel"))
  }

  /// An actor may have any name, and a superclass or protocol may bring one along.
  @Test func whatMayBelongToAnActorDoesSo() {
    func isAsked(_ attribute: String, _ inherited: String = "") -> Bool {
      expansion(of: "\(attribute) @Model final class A\(inherited) {\n  var a = 1\n  init() {}\n}")
        .contains("_AppData.unisolated(A._$metadata")
    }
    #expect(isAsked("@Storekeeper") && isAsked("@Syncable") && isAsked("", ": Shown"))
    #expect(isAsked("", ": Codable, Shown"))
    #expect(!isAsked("") && !isAsked("@available(macOS 14, *)") && !isAsked("@objc"))
    #expect(!isAsked("", ": Codable, Identifiable, @unchecked Sendable, Swift.Hashable"))
  }

  @Test func anInitializerThatForgetsAPropertyIsLeftToTheCompiler() {
    func isIntroduced(_ body: String) -> Bool {
      expansion(of: "@Model final class A {\n  var b: [B]\n  init() { \(body) }\n}")
        .contains("_AppData.made(self)")
    }
    #expect(
      isIntroduced("b = []") && isIntroduced("self.b = []") && isIntroduced("(b, _) = ([], 1)"))
    #expect(!isIntroduced(""))
  }
}
