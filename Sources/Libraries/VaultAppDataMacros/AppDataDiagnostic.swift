import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// The macros' messages about wrong use.
struct AppDataDiagnostic: DiagnosticMessage {
  let message: String
  let diagnosticID: MessageID
  let severity: DiagnosticSeverity

  init(_ id: String, _ message: String, severity: DiagnosticSeverity = .error) {
    self.message = message
    diagnosticID = MessageID(domain: "VaultAppData", id: id)
    self.severity = severity
  }

  static func notAClass(_ kind: String) -> Self {
    Self("not-a-class", "@Model can only be applied to a class, not to \(kind)")
  }
  static let noInitializer = Self(
    "no-initializer", "@Model requires an initializer: a property has no default value")
  static let lazyProperty = Self(
    "lazy", "a lazy property cannot be stored; mark it @Transient or remove 'lazy'")
  static func observer(_ kind: String) -> Self {
    Self("observer", "'\(kind)' is not called on a stored property of a model")
  }
  static func notKept(_ modifier: String) -> Self {
    Self(
      "not-kept", "a property that is '\(modifier)' cannot be stored; mark it @Transient")
  }
  static func conditional(_ what: String) -> Self {
    Self(
      "conditional",
      "@Model cannot tell whether this '#if' is compiled; declare \(what) outside of it")
  }
  static func unseen(_ macro: String) -> Self {
    Self(
      "unseen-macro",
      "@Model cannot see what '#\(macro)' declares; use it in an extension of the class")
  }
  static let severalBindings = Self(
    "several-bindings", "@Model needs one declaration for each stored property")
  static func reservedName(_ name: String) -> Self {
    Self("reserved-name", "a stored property of a model cannot be named '\(name)'")
  }
  static func transientNeedsDefault(_ name: String) -> Self {
    Self(
      "transient-default",
      "a @Transient property that is not optional needs a default value: '\(name)'")
  }
  static let bothKinds = Self(
    "both-kinds", "a property is either an @Attribute or a @Relationship")
  static func onComputed(_ attribute: String) -> Self {
    Self("on-computed", "@\(attribute) can only be applied to a stored property")
  }
  static func outsideModel(_ macro: String) -> Self {
    Self("outside-model", "#\(macro) can only be used inside of a class with @Model")
  }
  static func sealed(_ name: String, _ what: String) -> Self {
    Self("sealed", "'\(name)' is sealed by .encrypt and cannot be \(what)")
  }
  static let notAnActor = Self("not-an-actor", "@ModelActor can only be applied to an actor")
}

struct AppDataFixIt: FixItMessage {
  let message: String
  let fixItID: MessageID

  init(_ id: String, _ message: String) {
    self.message = message
    fixItID = MessageID(domain: "VaultAppData", id: id)
  }
}

extension MacroExpansionContext {
  func report(
    _ message: AppDataDiagnostic, at node: some SyntaxProtocol, fixIts: [FixIt] = []
  ) {
    diagnose(Diagnostic(node: Syntax(node), message: message, fixIts: fixIts))
  }
}

extension ModelDeclaration {
  /// Names that `PersistentModel` or its protocols have taken.
  private static let reserved: Set<String> = [
    "description", "hash", "hashValue", "persistentModelID", "persistentBackingData",
    "modelContext", "schemaMetadata", "hasChanges", "isDeleted",
  ]

  /// Reports what is wrong in the class.
  static func check(_ declaration: ClassDeclSyntax, in context: some MacroExpansionContext) {
    let members = ModelMembers(declaration, in: context)
    for member in members.compiled {
      if let variable = member.as(VariableDeclSyntax.self) { check(variable, in: context) }
      if let macro = member.as(MacroExpansionDeclSyntax.self),
        !seenMacros.contains(macro.macroName.text)
      {
        context.report(.unseen(macro.macroName.text), at: macro)
      }
    }
    for member in members.undecided {
      guard let variable = member.as(VariableDeclSyntax.self),
        variable.mayBeStoredInModel(in: context)
      else {
        if let macro = member.as(MacroExpansionDeclSyntax.self),
          ["Unique", "Index"].contains(macro.macroName.text)
        {
          context.report(.conditional("#\(macro.macroName.text)"), at: macro)
        }
        continue
      }
      context.report(.conditional("a stored property"), at: variable.bindings)
    }
    for attribute in ModelAttributes(declaration.attributes, in: context).undecided
    where attribute.isGlobalActor {
      context.report(.conditional("@\(attribute.plainName)"), at: attribute)
    }
    checkSealed(ModelDeclaration(declaration, in: context), in: context)
  }

  /// Macros that declare nothing, or that are read.
  private static let seenMacros: Set<String> = ["Unique", "Index", "warning", "error"]

  /// The store cannot compare what it cannot read.
  private static func checkSealed(
    _ model: ModelDeclaration, in context: some MacroExpansionContext
  ) {
    let sealed = model.properties.filter { $0.option("encrypt") != nil }
    for property in sealed {
      if let unique = property.option("unique") {
        context.report(.sealed(property.name, "unique"), at: unique)
      }
      // It would be opened whenever an object is made.
      if property.isConstant {
        context.report(
          .sealed(property.name, "a constant"), at: property.declaration.bindingSpecifier)
      }
    }
    for macro in model.macros {
      let what = macro.macroName.text == "Unique" ? "unique" : "in an index"
      for path in macro.arguments.keyPaths {
        let last = path.components.last?.component.as(KeyPathPropertyComponentSyntax.self)
        guard let name = last?.declName.baseName.text,
          sealed.contains(where: { $0.name == name })
        else { continue }
        context.report(.sealed(name, what), at: path)
      }
    }
  }

  private static func check(
    _ variable: VariableDeclSyntax, in context: some MacroExpansionContext
  ) {
    guard !variable.isStatic, variable.bindings.contains(where: variable.isStored) else { return }
    for attribute in ModelAttributes(variable.attributes, in: context).undecided
    where attribute.isReadByModel {
      context.report(.conditional("@\(attribute.plainName)"), at: attribute)
    }
    if variable.hasAttribute("Transient", in: context) {
      checkTransient(variable, in: context)
      return
    }
    if variable.mayBeStoredInModel(in: context),
      variable.bindings.count > 1
        || variable.bindings.contains(where: { !$0.pattern.is(IdentifierPatternSyntax.self) })
    {
      context.report(.severalBindings, at: variable.bindings)
    }
    if let modifier = variable.modifiers.first(where: {
      ["weak", "unowned"].contains($0.name.text)
    }) {
      context.report(
        .notKept(modifier.name.text), at: modifier, fixIts: [makeTransient(variable)])
    }
    if let modifier = variable.modifiers.first(where: { $0.name.text == "lazy" }) {
      context.report(.lazyProperty, at: modifier, fixIts: [makeTransient(variable)])
    }
    if let observer = variable.observer {
      context.report(
        .observer(observer.accessorSpecifier.text), at: observer.accessorSpecifier,
        fixIts: [makeTransient(variable)])
    }
    if variable.hasAttribute("Attribute", in: context),
      let other = variable.attribute(named: "Relationship", in: context)
    {
      context.report(.bothKinds, at: other)
    }
    for binding in variable.bindings {
      if let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier,
        reserved.contains(name.text)
      {
        context.report(.reservedName(name.text), at: name)
      }
    }
  }

  private static func checkTransient(
    _ variable: VariableDeclSyntax, in context: some MacroExpansionContext
  ) {
    for binding in variable.bindings where binding.initializer == nil {
      guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier,
        let type = binding.typeAnnotation?.type
      else { continue }
      let text = type.trimmedDescription
      if type.is(OptionalTypeSyntax.self) || text.hasPrefix("Optional<") || text.hasSuffix("!") {
        continue
      }
      context.report(.transientNeedsDefault(name.text), at: name)
    }
  }

  private static func makeTransient(_ variable: VariableDeclSyntax) -> FixIt {
    var fixed = variable
    fixed.leadingTrivia = []
    fixed.attributes.insert(
      .attribute(
        AttributeSyntax(
          attributeName: IdentifierTypeSyntax(name: .identifier("Transient")),
          trailingTrivia: .space)), at: fixed.attributes.startIndex)
    fixed.leadingTrivia = variable.leadingTrivia
    return FixIt(
      message: AppDataFixIt("make-transient", "mark it @Transient"),
      changes: [.replace(oldNode: Syntax(variable), newNode: Syntax(fixed))])
  }
}
