import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftSyntaxMacrosGenericTestSupport
import Testing
import VaultAppDataMacros

let macros: [String: MacroSpec] = [
  "Model": MacroSpec(
    type: ModelMacro.self, conformances: ["PersistentModel", "Observable", "Sendable"]),
  "_ModelInitializer": MacroSpec(type: InitializerMacro.self),
  "_PersistedProperty": MacroSpec(type: PersistedPropertyMacro.self),
  "Attribute": MacroSpec(type: AttributeMacro.self),
  "Relationship": MacroSpec(type: RelationshipMacro.self),
  "Transient": MacroSpec(type: TransientMacro.self),
  "Unique": MacroSpec(type: UniqueMacro.self),
  "Index": MacroSpec(type: IndexMacro.self),
  "ModelActor": MacroSpec(type: ModelActorMacro.self, conformances: ["ModelActor"]),
  "Predicate": MacroSpec(type: PredicateMacro.self),
  "Expression": MacroSpec(type: ModelExpressionMacro.self),
]

/// The macros where the superclass is a model already: the compiler names no conformance.
let submodelMacros = macros.merging(["Model": MacroSpec(type: ModelMacro.self)]) { $1 }

/// Compares the expansion and the diagnostics with what is expected.
func expectExpansion(
  _ source: String, _ expanded: String? = nil, diagnostics: [DiagnosticSpec] = [],
  macros: [String: MacroSpec] = macros, location: Testing.SourceLocation = #_sourceLocation
) {
  assertMacroExpansion(
    source, expandedSource: expanded ?? "", diagnostics: diagnostics, macroSpecs: macros,
    indentationWidth: .spaces(2),
    failureHandler: { failure in
      // A test of a diagnostic alone has no opinion on the rest.
      if expanded == nil, failure.message.contains("expected expanded source") { return }
      Issue.record("\(failure.message)", sourceLocation: location)
    })
}

/// The source as the macros expand it.
func expansion(of source: String) -> String {
  let file = Parser.parse(source: source)
  let context = BasicMacroExpansionContext(
    sourceFiles: [file: .init(moduleName: "Models", fullFilePath: "Models.swift")])
  return file.expand(
    macroSpecs: macros,
    contextGenerator: { syntax in
      BasicMacroExpansionContext(
        sharingWith: context, lexicalContext: syntax.allMacroLexicalContexts())
    }, indentationWidth: .spaces(2)
  ).description
}

struct DiagnosticTests {
  @Test func aStructCannotBeAModel() {
    expectExpansion(
      "@Model struct A {}",
      diagnostics: [
        DiagnosticSpec(
          message: "@Model can only be applied to a class, not to a struct", line: 1, column: 1)
      ])
  }

  @Test func aMissingInitializerIsReportedAtTheName() {
    expectExpansion(
      "@Model class A { var name: String }",
      diagnostics: [
        DiagnosticSpec(
          message: "@Model requires an initializer: a property has no default value", line: 1,
          column: 14)
      ])
  }

  @Test func aLazyPropertyIsReportedWithAFixIt() {
    expectExpansion(
      "@Model class A {\n  lazy var name = \"a\"\n}",
      diagnostics: [
        DiagnosticSpec(
          message: "a lazy property cannot be stored; mark it @Transient or remove 'lazy'",
          line: 2, column: 3, fixIts: [FixItSpec(message: "mark it @Transient")])
      ])
  }

  @Test func anObserverIsReportedWithAFixIt() {
    expectExpansion(
      "@Model class A {\n  var name = \"a\" { didSet {} }\n}",
      diagnostics: [
        DiagnosticSpec(
          message: "'didSet' is not called on a stored property of a model", line: 2, column: 20,
          fixIts: [FixItSpec(message: "mark it @Transient")])
      ])
  }

  @Test func severalPropertiesInOneDeclarationAreReported() {
    expectExpansion(
      "@Model class A {\n  var a = 1, b = 2\n}",
      diagnostics: [
        DiagnosticSpec(
          message: "@Model needs one declaration for each stored property", line: 2, column: 7)
      ])
  }

  @Test func aReservedNameIsReportedAtTheName() {
    expectExpansion(
      "@Model class A {\n  var description = \"\"\n}",
      diagnostics: [
        DiagnosticSpec(
          message: "a stored property of a model cannot be named 'description'", line: 2, column: 7)
      ])
  }

  @Test func aTransientPropertyNeedsADefaultValue() {
    expectExpansion(
      "@Model class A {\n  @Transient var t: Int\n  init() { t = 0 }\n}",
      diagnostics: [
        DiagnosticSpec(
          message: "a @Transient property that is not optional needs a default value: 't'",
          line: 2, column: 18)
      ])
  }

  @Test func anOptionalTransientPropertyNeedsNone() {
    expectExpansion("@Model class A {\n  @Transient var t: Int?\n}")
  }

  @Test(arguments: ["Int { 1 }", "Int { get { 1 } }", "[Int] { get { [] } set {} }"])
  func aComputedPropertyMayBeTransient(body: String) {
    expectExpansion("@Model class A {\n  @Transient var t: \(body)\n}")
  }

  @Test func aPropertyIsEitherAttributeOrRelationship() {
    expectExpansion(
      "@Model class A {\n  @Attribute @Relationship var b: B?\n}",
      diagnostics: [
        DiagnosticSpec(
          message: "a property is either an @Attribute or a @Relationship", line: 2, column: 14)
      ])
  }

  @Test func anAttributeOnAComputedPropertyIsReported() {
    expectExpansion(
      "@Model class A {\n  @Attribute var b: Int { 1 }\n}",
      diagnostics: [
        DiagnosticSpec(
          message: "@Attribute can only be applied to a stored property", line: 2, column: 3)
      ])
  }

  @Test func aConstraintOutsideOfAModelIsReported() {
    expectExpansion(
      "class A {\n  #Unique<A>([\\.b])\n}",
      diagnostics: [
        DiagnosticSpec(
          message: "#Unique can only be used inside of a class with @Model", line: 2, column: 3)
      ])
  }

  @Test func aConstraintInAModelIsAccepted() {
    expectExpansion("@Model class A {\n  #Unique<A>([\\.b])\n  var b = 1\n}")
  }

  @Test func aSealedAttributeIsNeitherUniqueNorIndexedNorAConstant() {
    expectExpansion(
      """
      @Model class A {
        @Attribute(.encrypt, .unique) var a = ""
        @Attribute(.encrypt) var b = ""
        @Attribute(.encrypt) let c: String
        var d = ""
        #Unique<A>([\\.d, \\.b])
        #Index<A>(.binary([\\A.b]))
        init(c: String) { self.c = c }
      }
      """,
      diagnostics: [
        DiagnosticSpec(
          message: "'a' is sealed by .encrypt and cannot be unique", line: 2, column: 24),
        DiagnosticSpec(
          message: "'c' is sealed by .encrypt and cannot be a constant", line: 4, column: 24),
        DiagnosticSpec(
          message: "'b' is sealed by .encrypt and cannot be unique", line: 6, column: 20),
        DiagnosticSpec(
          message: "'b' is sealed by .encrypt and cannot be in an index", line: 7, column: 22),
      ])
  }

  @Test func aModelActorMustBeAnActor() {
    expectExpansion(
      "@ModelActor class A {}",
      diagnostics: [
        DiagnosticSpec(
          message: "@ModelActor can only be applied to an actor", line: 1, column: 1)
      ])
  }
}

struct ExpansionTests {
  @Test func aModelActorHasAContextOfItsOwn() {
    expectExpansion(
      "@ModelActor\nactor Service {\n}",
      """
      actor Service {

        nonisolated let modelExecutor: any _AppData.ModelExecutor

        nonisolated let modelContainer: _AppData.ModelContainer

        init(modelContainer: _AppData.ModelContainer) {
          let modelContext = _AppData.ModelContext(modelContainer)
          self.modelExecutor = _AppData.DefaultSerialModelExecutor(modelContext: modelContext)
          self.modelContainer = modelContainer
        }
      }

      extension Service: _AppData.ModelActor {
      }
      """)
  }

  @Test func whatATransformerMakesDataHasAccessorsOfItsOwn() {
    expectExpansion(
      """
      @_PersistedProperty(transformable: 2) var color: Color
      """,
      #"""
      var color: Color {
        @storageRestrictions(accesses: _$backingData, initializes: _color)
        init(initialValue) {
          _AppData.initializeTransformable(_$backingData, 2, \.color, initialValue)
          _color = _AppData.NoType()
        }
        get {
          _$observationRegistrar.access(self, keyPath: \.color)
          return _AppData.transformable(of: self, _$backingData.reading, 2, \.color)
        }
        set {
          _$observationRegistrar.withMutation(of: self, keyPath: \.color) {
            _AppData.setTransformable(of: self, _$backingData, 2, \.color, newValue)
          }
        }
      }

      private var _color: _AppData.NoType
      """#)
  }

  @Test func aConstantIsReadByNameAndWrittenByAFunctionOfItsOwn() {
    let source =
      "@Model\nfinal class A {\n  let id: Int\n  var n = 1\n  init(id: Int) { self.id = id }\n}"
    let expanded = expansion(of: source)
    #expect(expanded.contains("id = _AppData.constant(backingData, 0, \\A.id)"))
    #expect(expanded.contains("func _$writeConstants()"))
    #expect(expanded.contains("_AppData.initialize(_$backingData, 0, \\.id, id)"))
    #expect(
      !expansion(of: "@Model\nfinal class A {\n  let n = 1\n}").contains("_$writeConstants"))
  }

  @Test func anInitializerIntroducesTheObjectWhereverItEnds() {
    expectExpansion(
      """
      class A {
        @_ModelInitializer
        init?(_ b: B, n: Int) {
          self.b = b

          guard n > 0 else { return nil }
          // The end.
          if n == 1 { return }
          list.forEach { _ in return }
        }
      }
      """,
      """
      class A {
        init?(_ b: B, n: Int) {
        #sourceLocation(file: "test.swift", line: 4)
        self.b = b

            guard n > 0 else { return nil }
            // The end.
            if n == 1 { _AppData.made(self); return }
            list.forEach { _ in return }
        #sourceLocation()
        _AppData.made(self)
        }
      }
      """)
  }

  @Test func onlyModelsWithConstantsOrPossibleRelationshipsAreIntroduced() {
    func isIntroduced(_ properties: String) -> Bool {
      expansion(of: "@Model class A {\n  \(properties)\n  init() { a = 1 }\n}")
        .contains("_AppData.made")
    }
    #expect(!isIntroduced("var a = 1\n  var b: String?\n  var c: [Date] = []"))
    #expect(isIntroduced("let a: Int"))
    #expect(isIntroduced("var a: B?"))
    #expect(isIntroduced("var a: [B] = []"))
    #expect(isIntroduced("@Relationship var a: [B]?"))
  }

  @Test func whatMayBeAnArrayOfModelsIsChangedInPlace() {
    func isChanged(_ property: String) -> Bool {
      expansion(of: "@_PersistedProperty(0) \(property)").contains("_modify")
    }
    #expect(
      isChanged("var a: [B] = []") && isChanged("var a: [B]?") && isChanged("var a: Array<B>"))
    #expect(!isChanged("var a: B?") && !isChanged("var a: [String]") && !isChanged("var a = 1"))
  }

  @Test func aModelKeepsItsValuesInTheBackingData() {
    expectExpansion(
      "@Model\nfinal class Task {\n  var title = \"\"\n}",
      #"""
      final class Task {
        var title {
          @storageRestrictions(accesses: _$backingData, initializes: _title)
          init(initialValue) {
            _AppData.initialize(_$backingData, 0, \.title, initialValue)
            _title = _AppData.NoType()
          }
          get {
            _$observationRegistrar.access(self, keyPath: \.title)
            return _AppData.value(of: self, _$backingData.reading, 0, \.title)
          }
          set {
            _$observationRegistrar.withMutation(of: self, keyPath: \.title) {
              _AppData.setValue(of: self, _$backingData, 0, \.title, newValue)
            }
          }
        }

        private var _title: _AppData.NoType

        nonisolated static let _$description = _AppData.ModelDescription(Task.self)

        @safe @exclusivity(unchecked) nonisolated(unsafe) private var _$backingData: _AppData.Storage<Task> = _AppData.newStorage(Task._$description)

        nonisolated var persistentBackingData: any _AppData.BackingData<Task> {
          get { _$backingData.backingData }
          set { _$backingData = _AppData.Storage(newValue) }
        }

        nonisolated var _$record: _AppData.Record? { _$backingData.record }

        nonisolated static func _$make(_ record: _AppData.Record) -> Self {
          self.init(backingData: _AppData.ModelBackingData<Task>(record))
        }

        nonisolated static var schemaMetadata: [_AppData.Schema.PropertyMetadata] {
          [
            _AppData.Schema.PropertyMetadata(name: "title", keypath: \Task.title, defaultValue: _AppData.defaultValue(for: \Task.title, ""), metadata: nil),
          ]
        }

        nonisolated init(backingData: any _AppData.BackingData<Task>) {
          _title = _AppData.NoType()
          _AppData.adopt(self, &_$backingData, backingData)
        }

        @safe @exclusivity(unchecked) nonisolated(unsafe) private var _$observationRegistrar = _AppData.Registrar()

        internal nonisolated func access<_M>(keyPath: Swift.KeyPath<Task, _M>) {
          _$observationRegistrar.access(self, keyPath: keyPath)
        }

        internal nonisolated func withMutation<_M, _R>(
          keyPath: Swift.KeyPath<Task, _M>, _ mutation: () throws -> _R
        ) rethrows -> _R {
          try _$observationRegistrar.withMutation(of: self, keyPath: keyPath, mutation)
        }

        nonisolated func _$changing(_ property: Swift.Int) {
          switch property {
          case 0: withMutation(keyPath: \.title) {}
          default: break
          }
        }
      }

      extension Task: nonisolated _AppData.PersistentModel {}

      extension Task: nonisolated Observation.Observable {}

      @available(*, unavailable) extension Task: Swift.Sendable {}
      """#)
  }
  @Test func aSubclassHasItsOwnValuesUntilTheSuperclassHasMadeTheRest() {
    expectExpansion(
      """
      @Model
      class Business: Trip {
        var daily: Double
        init(daily: Double) {
          self.daily = daily
          super.init(name: "")
        }
      }
      """,
      #"""
      class Business: Trip {
        var daily: Double {
          @storageRestrictions(accesses: _$backingData, initializes: _daily)
          init(initialValue) {
            _AppData.initialize(_$backingData, Business._$first + 0, \.daily, initialValue)
            _daily = _AppData.NoType()
          }
          get {
            _$observationRegistrar.access(self, keyPath: \.daily)
            return _AppData.value(of: self, _$backingData.reading, Business._$first + 0, \.daily)
          }
          set {
            _$observationRegistrar.withMutation(of: self, keyPath: \.daily) {
              _AppData.setValue(of: self, _$backingData, Business._$first + 0, \.daily, newValue)
            }
          }
        }

        private var _daily: _AppData.NoType
        init(daily: Double) {

            self.daily = daily
            super.init(name: "")
        _$join()
        }

        nonisolated private static let _$madeDescription = _AppData.ModelDescription(Business.self, inheriting: Trip.self)

        nonisolated override class var _$description: _AppData.ModelDescription { Business._$madeDescription }

        nonisolated private static let _$first = Trip._$description.count

        @safe @exclusivity(unchecked) nonisolated(unsafe) private var _$backingData: _AppData.Storage<Business> = _AppData.newStorage(Business._$madeDescription)

        nonisolated override var persistentBackingData: any _AppData.BackingData<Trip.Root> {
          get {
            _$join()
            return super.persistentBackingData
          }
          set {
            super.persistentBackingData = newValue
            _$backingData = _AppData.ownStorage(newValue._$record)
          }
        }

        nonisolated override var _$record: _AppData.Record? {
          _$join()
          return _$backingData.record
        }

        nonisolated private func _$join() {
          if let joined = _AppData.join(&_$backingData, super._$record) {
            super.persistentBackingData = _AppData.ModelBackingData<Trip.Root>(joined)
          }
        }

        nonisolated override class var schemaMetadata: [_AppData.Schema.PropertyMetadata] {
          _AppData.unisolated(Business._$metadata, as: (() -> [_AppData.Schema.PropertyMetadata]).self)()
        }

        private static func _$metadata() -> [_AppData.Schema.PropertyMetadata] {
          [
            _AppData.Schema.PropertyMetadata(name: "daily", keypath: \Business.daily, defaultValue: nil, metadata: nil),
          ]
        }

        nonisolated required init(backingData: any _AppData.BackingData<Trip.Root>) {
          _daily = _AppData.NoType()
          super.init(backingData: backingData)
          _$join()
        }

        @safe @exclusivity(unchecked) nonisolated(unsafe) private var _$observationRegistrar = _AppData.Registrar()

        internal nonisolated func access<_M>(keyPath: Swift.KeyPath<Business, _M>) {
          _$observationRegistrar.access(self, keyPath: keyPath)
        }

        internal nonisolated func withMutation<_M, _R>(
          keyPath: Swift.KeyPath<Business, _M>, _ mutation: () throws -> _R
        ) rethrows -> _R {
          try _$observationRegistrar.withMutation(of: self, keyPath: keyPath, mutation)
        }

        nonisolated override func _$changing(_ property: Swift.Int) {
          _AppData.unisolated(Business._$changed, as: ((Business, Swift.Int) -> Swift.Void).self)(self, property - Business._$first)
          super._$changing(property)
        }

        private static func _$changed(_ model: Business, _ property: Swift.Int) {
          switch property {
          case 0: model.withMutation(keyPath: \.daily) {}
          default: break
          }
        }
      }
      """#, macros: submodelMacros)
  }

  @Test func aClassThatOnlyNamesAProtocolHasNoSuperclassToJoin() {
    let source = "@Model\nclass A: Named {\n  var n = 1\n  init() {}\n}"
    let expanded = expansion(of: source)
    #expect(expanded.contains("private static var _$first: Swift.Int {"))
    #expect(!expanded.contains("override") && !expanded.contains("super."))
    // What is not final may be inherited from, in an open class from everywhere.
    #expect(expanded.contains("class var _$description"))
    #expect(
      expansion(of: "@Model\nopen class A {\n  var n = 1\n}").contains(
        "nonisolated open class var schemaMetadata"))
  }

  @Test func aSubclassWhoseValuesAllHaveDefaultsInheritsTheInitializers() {
    let inner = "  var n = 1\n  var m: Int?\n"
    expectExpansion("@Model final class B: A {\n\(inner)}", macros: submodelMacros)
    func expanded(_ members: String) -> String {
      let file = Parser.parse(source: "@Model final class B: A {\n\(members)}")
      let context = BasicMacroExpansionContext(
        sourceFiles: [file: .init(moduleName: "Models", fullFilePath: "Models.swift")])
      return file.expand(
        macroSpecs: submodelMacros,
        contextGenerator: { syntax in
          BasicMacroExpansionContext(
            sharingWith: context, lexicalContext: syntax.allMacroLexicalContexts())
        }, indentationWidth: .spaces(2)
      ).description
    }
    #expect(!expanded(inner).contains("init(backingData"))
    #expect(expanded(inner + "  init() { super.init() }\n").contains("required init(backingData"))
    let constant = "  let id: Int\n  init() { id = 1; super.init() }\n"
    #expect(expanded(constant).contains("super._$writeConstants()"))
  }
}
