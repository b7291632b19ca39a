import SwiftSyntax
import SwiftSyntaxBuilder

/// Members that are read of a value: `filter.first`, `self.form.name`, `Settings.shared.limit`.
///
/// A member may be computed, and count on the guard before it: `words.isEmpty || $0.word ==
/// filter.first`. The value itself is copied when the predicate is made, with or without a guard.
struct MemberChain {
  /// The value, as it is written: `filter`, `self.form`, `Settings.shared`.
  let root: String
  /// What is read of it, in order.
  let names: [String]
  /// The same as it is written, with the dots and question marks.
  let path: String
  /// Whether it goes on behind a `?`.
  let isOptional: Bool

  /// `nil` for what is a value by itself, such as the case of an enum, and for a call's result.
  init?(_ node: MemberAccessExprSyntax) {
    var (names, isOptional, current) = ([String](), false, ExprSyntax(node))
    var root: ExprSyntax?
    while root == nil {
      if let chain = current.as(OptionalChainingExprSyntax.self) {
        isOptional = true
        current = chain.expression
        continue
      }
      if let reference = current.as(DeclReferenceExprSyntax.self), reference.isValue {
        root = current
        break
      }
      guard let member = current.as(MemberAccessExprSyntax.self), member.declName.isValue,
        let base = member.base
      else { return nil }
      if base.isType || base.as(DeclReferenceExprSyntax.self)?.baseName.text == "self" {
        root = current
      } else {
        names.insert(member.declName.plainName, at: 0)
        current = base
      }
    }
    guard let root, !names.isEmpty else { return nil }
    self.root = root.trimmedDescription
    self.names = names
    self.isOptional = isOptional
    let rest = node.trimmedDescription.utf8.dropFirst(self.root.utf8.count)
    path = String(decoding: rest, as: UTF8.self)
  }

  /// The values of an expanded predicate read it so: at once where that cannot end the program.
  ///
  /// The root is followed by `.self`: it is a type if its name is one in small letters.
  var source: String {
    let names = names.map { StringLiteralExprSyntax(content: $0).description }
    return "_AppData.Member(\(root).self, \(names.joined(separator: ", "))) { $0\(path) }"
  }
}

extension ExprSyntax {
  /// A type's name, as far as its letters tell.
  var isType: Bool {
    if let node = self.as(MemberAccessExprSyntax.self) {
      return node.declName.baseName.text.first?.isUppercase == true
        && node.base?.mayHoldTypes == true
    }
    return self.as(DeclReferenceExprSyntax.self)?.baseName.text.first?.isUppercase == true
  }

  /// Whether it may have types in it, as no value has: a type, or a module in small letters.
  var mayHoldTypes: Bool { isType || self.as(DeclReferenceExprSyntax.self)?.isValue == true }

  /// Whether it is only the beginning of what is read: `a?.b` of `a?.b.c()`.
  var isBaseOfMore: Bool {
    guard let parent else { return false }
    if let node = parent.as(MemberAccessExprSyntax.self) { return node.base?.id == id }
    if let node = parent.as(FunctionCallExprSyntax.self) { return node.calledExpression.id == id }
    if let node = parent.as(SubscriptCallExprSyntax.self) { return node.calledExpression.id == id }
    return parent.is(ForceUnwrapExprSyntax.self) || parent.is(OptionalChainingExprSyntax.self)
  }
}

extension DeclReferenceExprSyntax {
  /// Whether it may be the name of a value, and neither a function's nor a type's.
  fileprivate var isValue: Bool {
    guard argumentNames == nil, case .identifier(let text) = baseName.tokenKind else {
      return false
    }
    return text.first?.isUppercase == false && !text.hasPrefix("$")
  }

  /// The name without backticks.
  fileprivate var plainName: String {
    var plain = baseName.text
    plain.unicodeScalars.removeAll { $0 == "`" }
    return plain
  }
}
