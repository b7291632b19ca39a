import Foundation
import TestSupport

/// Random predicates over captured values, as source that Foundation's macro takes as well.
struct CapturedForms {
  var random: SeededGenerator

  private mutating func pick(_ all: [String]) -> String {
    all.randomElement(using: &random) ?? ""
  }

  private mutating func chance(_ count: Int) -> Bool {
    Int.random(in: 0..<count, using: &random) == 0
  }

  /// The body of a predicate.
  ///
  /// Made again until it is one that a compiler takes: Foundation's macro hands it the whole as one
  /// expression, whose time doubles with each part that may be of several types.
  mutating func body() -> String {
    while true {
      // A condition is an expression where it is the whole of a closure.
      let made =
        chance(8) ? "if \(test(0)) { \(test(0)) } else { \(test(0)) }" : test(1)
      if Self.weight(of: made) <= Self.most { return made }
    }
  }

  /// The limit for the weights of a body's parts.
  private static let most = 12

  /// What a body costs a compiler: each operator and call is one of many, a literal may be of any
  /// type, and what has a value for `nil`, or a closure, is tried with each of these.
  static func weight(of body: String) -> Int {
    let costs: [(part: String, cost: Int)] = [
      ("||", 1), ("&&", 1), (" ? ", 3), ("if ", 3), ("??", 3), ("!(", 1), ("==", 1), ("!=", 1),
      ("<", 1), (">", 1), (" + ", 2), (" - ", 2), (" * ", 2), (" / ", 2), (" % ", 2), ("! ", 1),
      ("[", 1), ("default:", 2), ("contains", 2), ("{ $0", 3), ("max()", 1), ("first!", 1),
      ("\"", 1), (" 1", 2), (" 2", 2), ("(1", 2), ("(2", 2),
    ]
    return costs.reduce(0) { sum, each in
      sum + (body.components(separatedBy: each.part).count - 1) * each.cost
    }
  }

  /// An expression that is true or false.
  mutating func test(_ depth: Int) -> String {
    if depth == 0 || chance(6) { return leaf() }
    switch Int.random(in: 0..<8, using: &random) {
    case 0, 1: return guarded()
    case 2: return "(\(test(depth - 1)) || \(test(depth - 1)))"
    case 3: return "(\(test(depth - 1)) && \(test(depth - 1)))"
    case 4: return "!(\(test(depth - 1)))"
    case 5: return "(\(test(0)) ? \(test(depth - 1)) : \(test(depth - 1)))"
    case 6: return "(flag ? \(test(depth - 1)) : \(test(depth - 1)))"
    default: return "(\(test(0)) || \(leaf()))"
    }
  }

  /// A guard, and what it guards.
  private mutating func guarded() -> String {
    let pairs: [(String, String, String)] = [
      (
        "o == nil", "o != nil",
        pick(["o! == r.n", "r.n > o! + 1", "list.contains(o!)", "o! / 2 == r.n"])
      ),
      ("s == nil", "s != nil", pick(["r.kind == s!", "s!.count == r.n", "names.contains(s!)"])),
      (
        "list.isEmpty", "!list.isEmpty",
        pick(["list[0] == r.n", "list.max()! > r.n", "list.first! == a"])
      ),
      ("b == 0", "b != 0", pick(["a / b == r.n", "r.n % 3 == a % b", "r.n > a / b - 1"])),
      (
        "names.isEmpty", "names.count > 0",
        pick(["r.kind == names[0]", "r.tags.contains(names[0])"])
      ),
      (
        "map[\"x\"] == nil", "map[\"x\"] != nil",
        pick(["map[\"x\"]! == r.n", "r.n < map[\"x\"]! * 2"])
      ),
      ("a > b", "a <= b", pick(["(a...b).contains(r.n)", "(a..<b).contains(r.n)"])),
      ("a >= list.count", "a < list.count", pick(["r.n == list[a]", "list[a] / 2 > r.n"])),
    ]
    let (off, on, then) = pairs.randomElement(using: &random) ?? pairs[0]
    switch Int.random(in: 0..<5, using: &random) {
    case 0: return "(\(off) || \(then))"
    case 1: return "(\(on) && \(then))"
    case 2: return "(\(off) ? r.done : \(then))"
    case 3: return "(\(on) ? \(then) : r.n == 1)"
    // Of the row.
    default: return "(\(pick(["r.done", "r.n > 1", "r.note == nil"])) || \(then))"
    }
  }

  private mutating func leaf() -> String {
    switch Int.random(in: 0..<9, using: &random) {
    case 0: return "(\(integer(1)) \(comparison()) \(integer(0)))"
    case 1: return "(r.n \(comparison()) \(integer(1)))"
    case 2: return "(\(text()) == \(text()))"
    case 3: return pick(["r.done", "flag", "list.isEmpty", "o == nil", "s == nil", "r.opt == nil"])
    case 4: return "list.contains(\(integer(1)))"
    case 5: return "names.contains(\(text()))"
    case 6: return "(r.ratio \(comparison()) \(pick(["x", "x / y", "x * double", "y - x"])))"
    case 7: return "r.tags.contains { $0 == \(text()) }"
    default: return "r.tags.allSatisfy { $0 != \(text()) }"
    }
  }

  private mutating func comparison() -> String { pick(["==", "!=", "<", ">", "<=", ">="]) }

  private mutating func integer(_ depth: Int) -> String {
    if depth == 0 || chance(3) {
      return pick([
        "a", "b", "c", "one", "two", "o!", "list[a]", "list[0]", "list.count", "r.n", "r.opt!",
      ])
    }
    switch Int.random(in: 0..<7, using: &random) {
    case 0: return "(\(integer(depth - 1)) / \(integer(depth - 1)))"
    case 1: return "(\(integer(depth - 1)) % \(integer(depth - 1)))"
    case 2: return "(\(integer(depth - 1)) \(pick(["+", "-", "*"])) \(integer(depth - 1)))"
    case 3: return "(o ?? \(integer(depth - 1)))"
    case 4: return "map[\(pick(["s!", "names[0]"])), default: \(integer(0))]"
    case 5: return pick(["list.max()!", "list.first!", "map[\"x\"]!", "s!.count"])
    default: return "(flag ? \(integer(depth - 1)) : \(integer(depth - 1)))"
    }
  }

  private mutating func text() -> String {
    pick(["s!", "names[0]", "names[a]", "(s ?? ex)", "ex", "r.kind", "(s ?? names[0])"])
  }

  /// Functions that make the predicates, over a class with this name.
  static func functions(_ forms: [String], over name: String) -> String {
    let made = forms.enumerated().map { number, body in
      """
      func form\(number)(_ v: Values) -> Predicate<\(name)> {
        let a = v.a, b = v.b, c = v.c, o = v.o, s = v.s, x = v.x, y = v.y, flag = v.flag
        let list = v.list, names = v.names, map = v.map
        // A literal in the midst of a large expression may be of any type.
        let one = 1, two = 2, double = 2.0, ex = "x"
        return #Predicate<\(name)> { r in \(body) }
      }
      """
    }
    let list = forms.indices.map { "form\($0)" }.joined(separator: ", ")
    return """
      enum \(name)Forms {
      \(made.map { "static " + $0 }.joined(separator: "\n"))
      static let all: [@Sendable (Values) -> Predicate<\(name)>] = [\(list)]
      }
      """
  }
}
