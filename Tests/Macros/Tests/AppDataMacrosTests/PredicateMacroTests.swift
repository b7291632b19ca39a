import SwiftSyntaxMacrosGenericTestSupport
import Testing

struct PredicateMacroTests {
  /// The expansion of a body, with `~` for what the builders' names begin with.
  private func expect(
    _ body: String, _ expanded: String, location: Testing.SourceLocation = #_sourceLocation
  ) {
    let full = expanded.split(separator: "~", omittingEmptySubsequences: false)
      .joined(separator: "Foundation.PredicateExpressions.")
    expectExpansion(
      "#Predicate<A> { \(body) }",
      "Foundation.Predicate<A>({ _v0 in\n\(full)\n})", location: location)
  }

  private func expectError(
    _ source: String, _ message: String, column: Int, fixIt: String? = nil,
    location: Testing.SourceLocation = #_sourceLocation
  ) {
    expectExpansion(
      source,
      diagnostics: [
        DiagnosticSpec(
          message: message, line: 1, column: column,
          fixIts: fixIt.map { [FixItSpec(message: $0)] } ?? [])
      ], location: location)
  }

  @Test func aComparisonBecomesItsNode() {
    expect(
      "$0.name == name",
      "~build_Equal(lhs: ~build_KeyPath(root: ~build_Arg(_v0), keyPath: \\.name), "
        + "rhs: ~build_Arg(name))")
  }

  @Test func whatDoesNotDependOnTheModelIsAValue() {
    expect(
      "limits.sorted().contains($0.count) && isOpen()",
      "~build_Conjunction(lhs: ~build_contains(~build_Arg(limits.sorted()), "
        + "~build_KeyPath(root: ~build_Arg(_v0), keyPath: \\.count)), rhs: ~build_Arg(isOpen()))")
  }

  @Test func whatMayEndTheProgramIsComputedWhereItIsReached() {
    expect(
      "kind == nil || $0.kind == kind!",
      "~build_Disjunction(lhs: ~build_Arg(kind == nil), "
        + "rhs: ~build_Equal(lhs: ~build_KeyPath(root: ~build_Arg(_v0), keyPath: \\.kind), "
        + "rhs: ~build_ForcedUnwrap(~build_Arg(kind))))")
    expect(
      "list[0] / n.count == $0.count",
      """
      ~build_Equal(lhs: _AppData.buildDeferred("list[0] / n.count", list, n.count) { _c0, _c1 in
      let _t0 = try _AppData.element(_c0, 0, _c0[0])
      let _t1 = try _AppData.quotient(_t0, _c1, _t0 / _c1)
      return _t1
      }, rhs: ~build_KeyPath(root: ~build_Arg(_v0), keyPath: \\.count))
      """)
    expect(
      "$0.isOpen || max(n!, 2) > 1",
      """
      ~build_Disjunction(lhs: ~build_KeyPath(root: ~build_Arg(_v0), keyPath: \\.isOpen), \
      rhs: _AppData.buildDeferred(nil, n) { _c0 in
      let _t0 = try _AppData.unwrapped(_c0)
      return max(_t0, 2) > 1
      })
      """)
  }

  @Test func aMemberBehindAGuardIsReadWhereItIsReached() {
    func member(_ source: String, _ member: String, _ use: String = "_c0.value") -> String {
      "~build_Disjunction(lhs: ~build_KeyPath(root: ~build_Arg(_v0), keyPath: \\.isOpen), "
        + "rhs: ~build_Equal(lhs: ~build_KeyPath(root: ~build_Arg(_v0), keyPath: \\.name), "
        + "rhs: _AppData.buildDeferred(\"\(source)\", _AppData.Member(\(member)) { _c0 in\n"
        + "\(use)\n}))"
    }
    for (source, read) in [
      ("filter.first", "filter.self, \"first\") { $0.first }"),
      ("form.filter.first", "form.self, \"filter\", \"first\") { $0.filter.first }"),
      ("form?.filter.first", "form.self, \"filter\", \"first\") { $0?.filter.first }"),
      ("self.form.name", "self.form.self, \"name\") { $0.name }"),
      ("Conf.shared.name", "Conf.shared.self, \"name\") { $0.name }"),
    ] {
      expect("$0.isOpen || $0.name == \(source)", member(source, read))
    }
    expect(
      "$0.isOpen || $0.name == form.name.lowercased()",
      member(
        "form.name.lowercased()", "form.self, \"name\") { $0.name }", "_c0.value.lowercased()"))
    for source in ["self.name", "Conf.name", "name"] {
      expect(
        "$0.isOpen || $0.name == \(source)",
        "~build_Disjunction(lhs: ~build_KeyPath(root: ~build_Arg(_v0), keyPath: \\.isOpen), "
          + "rhs: ~build_Equal(lhs: ~build_KeyPath(root: ~build_Arg(_v0), keyPath: \\.name), "
          + "rhs: ~build_Arg(\(source))))")
    }
  }

  @Test func aMemberWithoutAGuardIsReadAtOnce() {
    expect(
      "$0.name == form.filter.first",
      "~build_Equal(lhs: ~build_KeyPath(root: ~build_Arg(_v0), keyPath: \\.name), "
        + "rhs: ~build_Arg(form.filter.first))")
    // In a computation of its own, `??` is a guard as well.
    expect(
      "list[0] == (name ?? form.first)",
      """
      _AppData.buildDeferred("list[0] == (name ?? form.first)", list, name, \
      _AppData.Member(form.self, "first") { $0.first }) { _c0, _c1, _c2 in
      let _t0 = try _AppData.element(_c0, 0, _c0[0])
      return _t0 == (_c1 ?? _c2.value)
      }
      """)
  }

  @Test func aNodeThatFoundationLacksIsOurs() {
    expect(
      "$0.name.localizedStandardContains(search)",
      "_AppData.buildLocalizedStandardContains("
        + "~build_KeyPath(root: ~build_Arg(_v0), keyPath: \\.name), ~build_Arg(search))")
  }

  @Test func severalModelsAreNumbered() {
    expectExpansion(
      "#Predicate<A, B> { $0.list.contains { $0.isOld } && $1.isNew }",
      "Foundation.Predicate<A, B>({ _v0, _v1 in\n"
        + """
        ~build_Conjunction(lhs: ~build_contains(~build_KeyPath(root: ~build_Arg(_v0), \
        keyPath: \\.list), where: { _v2 in
        ~build_KeyPath(root: ~build_Arg(_v2), keyPath: \\.isOld)
        }), rhs: ~build_KeyPath(root: ~build_Arg(_v1), keyPath: \\.isNew))
        })
        """.replacing("~", with: "Foundation.PredicateExpressions."))
  }

  @Test func anExpressionIsTheSameTree() {
    expectExpansion(
      "#Expression<A, Bool> { $0.name.localizedStandardContains(search) }",
      "Foundation.Expression<A, Bool>({ _v0 in\n_AppData.buildLocalizedStandardContains("
        + "Foundation.PredicateExpressions.build_KeyPath("
        + "root: Foundation.PredicateExpressions.build_Arg(_v0), keyPath: \\.name), "
        + "Foundation.PredicateExpressions.build_Arg(search))\n})")
    expectError("#Expression(body)", "#Expression takes a closure, written in place", column: 13)
  }

  @Test func aCaseOfAnEnumIsAValue() {
    expect(
      "$0.rank == Rank.high || $0.rank == .low",
      "~build_Disjunction(lhs: ~build_Equal("
        + "lhs: ~build_KeyPath(root: ~build_Arg(_v0), keyPath: \\.rank), "
        + "rhs: ~build_Arg(Rank.high)), rhs: ~build_Equal("
        + "lhs: ~build_KeyPath(root: ~build_Arg(_v0), keyPath: \\.rank), rhs: ~build_Arg(.low)))")
  }

  @Test func nilIsANodeOfItsOwn() {
    expect(
      "$0.end != nil",
      "~build_NotEqual(lhs: ~build_KeyPath(root: ~build_Arg(_v0), keyPath: \\.end), "
        + "rhs: ~build_NilLiteral())")
  }

  @Test func severalLinesAreRefusedAtTheSecond() {
    expectError(
      "#Predicate<A> { let a = 1; return $0.b == a }", "the body of a predicate is one expression",
      column: 28)
  }

  @Test func aFunctionThatNoStoreKnowsIsRefusedAtItsName() {
    expectError(
      "#Predicate<A> { $0.name.lowercased() == \"a\" }",
      "'lowercased()' is not supported in a predicate; compare with caseInsensitiveCompare(_:), "
        + "or search with localizedStandardContains(_:)", column: 25)
    expectError(
      "#Predicate<A> { abs($0.age) == 1 }", "'abs()' is not supported in a predicate", column: 17)
  }

  @Test func aFunctionWithAnotherNameIsOffered() {
    expectError(
      "#Predicate<A> { $0.name.hasPrefix(\"a\") }",
      "'hasPrefix(_:)' is not supported in a predicate", column: 25,
      fixIt: "use 'starts(with:)'")
    expectError(
      "#Predicate<A> { $0.name.localizedCaseInsensitiveContains(\"a\") }",
      "'localizedCaseInsensitiveContains(_:)' is not supported in a predicate", column: 25,
      fixIt: "use 'localizedStandardContains(_:)'")
  }

  @Test func anOperatorIsRefusedWhereItStands() {
    expectError(
      "#Predicate<A> { $0.bits & 1 == 1 }", "the operator '&' is not supported in a predicate",
      column: 25)
    expectError(
      "#Predicate<A> { $0.self === other }", "the operator '===' is not supported in a predicate",
      column: 25)
  }

  @Test func anIfNeedsAnElse() {
    expectError(
      "#Predicate<A> { if $0.a { true } }", "an 'if' in a predicate needs an 'else'", column: 17)
  }

  @Test func aSwitchIsRefused() {
    expectError(
      "#Predicate<A> { switch $0.a { default: true } }",
      "'switch' is not supported in a predicate", column: 17)
  }

  @Test func aFunctionInPlaceOfAClosureIsRefused() {
    expectError(
      "#Predicate<A>(test)", "#Predicate takes a closure, written in place", column: 15)
  }

  @Test func anAsIsRefused() {
    expectError(
      "#Predicate<A> { ($0.a as B) == b }", "'as' is not supported in a predicate", column: 23)
  }
}
