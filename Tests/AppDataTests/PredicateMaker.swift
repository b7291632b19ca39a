import TestSupport
import Testing
import VaultAppData

/// Makes random conditions on a person, of every kind of expression.
struct PredicateMaker {
  typealias Nodes = PredicateExpressions
  typealias Test = any StandardPredicateExpression<Bool>
  typealias Number = any StandardPredicateExpression<Int>
  typealias Real = any StandardPredicateExpression<Double>
  typealias Text = any StandardPredicateExpression<String>
  typealias Human = Nodes.Variable<Person>

  var random: SeededGenerator

  mutating func chance(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
  mutating func any<Value>(_ values: [Value]) -> Value { values[chance(values.count)] }

  // MARK: Conditions

  mutating func test(_ person: Human, depth: Int) -> Test {
    if depth > 0 {
      switch chance(9) {
      case 0: return and(test(person, depth: depth - 1), test(person, depth: depth - 1))
      case 1: return or(test(person, depth: depth - 1), test(person, depth: depth - 1))
      case 2: return not(test(person, depth: depth - 1))
      case 3:
        return choose(
          test(person, depth: depth - 1), test(person, depth: depth - 1),
          test(person, depth: depth - 1))
      case 4: return sequence(person, depth: depth - 1)
      case 5: return choice(person, depth: depth - 1)
      default: break
      }
    }
    switch chance(14) {
    case 0: return compare(number(person, depth: depth), number(person, depth: depth))
    case 1: return compare(real(person, depth: depth), real(person, depth: depth))
    case 2: return compare(text(person, depth: depth), text(person, depth: depth))
    case 3: return equal(number(person, depth: depth), number(person, depth: depth))
    case 4: return equal(text(person, depth: depth), text(person, depth: depth))
    case 5: return equal(real(person, depth: depth), real(person, depth: depth))
    case 6: return optional(person)
    case 7: return words(text(person, depth: depth), text(person, depth: depth))
    case 8: return type(person)
    case 9: return date(person)
    case 10: return part(person)
    case 11: return list(person)
    case 12: return chain(person)
    default: return simple(person)
    }
  }

  func and(
    _ left: some StandardPredicateExpression<Bool>, _ right: some StandardPredicateExpression<Bool>
  ) -> Test {
    Nodes.build_Conjunction(lhs: left, rhs: right)
  }

  func or(
    _ left: some StandardPredicateExpression<Bool>, _ right: some StandardPredicateExpression<Bool>
  ) -> Test {
    Nodes.build_Disjunction(lhs: left, rhs: right)
  }

  func not(_ test: some StandardPredicateExpression<Bool>) -> Test { Nodes.build_Negation(test) }

  func choose(
    _ test: some StandardPredicateExpression<Bool>, _ yes: some StandardPredicateExpression<Bool>,
    _ no: some StandardPredicateExpression<Bool>
  ) -> Test {
    Nodes.build_Conditional(test, yes, no)
  }

  mutating func compare<Value: Comparable>(
    _ left: some StandardPredicateExpression<Value>,
    _ right: some StandardPredicateExpression<Value>
  ) -> Test {
    let op = any(
      [.lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual]
        as [Nodes.ComparisonOperator])
    return Nodes.build_Comparison(lhs: left, rhs: right, op: op)
  }

  mutating func equal<Value: Equatable>(
    _ left: some StandardPredicateExpression<Value>,
    _ right: some StandardPredicateExpression<Value>
  ) -> Test {
    chance(2) == 0
      ? Nodes.build_Equal(lhs: left, rhs: right) : Nodes.build_NotEqual(lhs: left, rhs: right)
  }

  // Generic over the model: asked for a class that a macro extends, the compiler may not have its
  // conformances yet.
  mutating func leadsNowhere<Model: PersistentModel>(
    _ target: some StandardPredicateExpression<Model?>
  ) -> Test {
    equal(target, Nodes.build_NilLiteral())
  }

  mutating func simple(_ person: Human) -> Test {
    switch chance(8) {
    case 0: return Nodes.build_KeyPath(root: person, keyPath: \.isActive)
    case 1:
      return Nodes.build_contains(
        Nodes.build_Arg(["Anna", "é", "", "z"]), Nodes.build_KeyPath(root: person, keyPath: \.name))
    case 2:
      return Nodes.build_contains(
        Nodes.build_Arg([0.1, .infinity, 2.5]), Nodes.build_KeyPath(root: person, keyPath: \.height)
      )
    case 3:
      return Nodes.build_contains(
        Nodes.build_KeyPath(root: person, keyPath: \.tags),
        Nodes.build_Arg(any(Crew.texts)))
    case 4:
      return Nodes.build_contains(
        Nodes.build_ClosedRange(
          lower: Nodes.build_Arg(-3), upper: Nodes.build_Arg(any([0, 5, 100]))),
        Nodes.build_KeyPath(root: person, keyPath: \.age))
    case 5:
      return Nodes.build_Equal(
        lhs: Nodes.build_KeyPath(root: person, keyPath: \.rank),
        rhs: Nodes.build_Arg(any(Person.Rank.allCases)))
    case 6:
      return Nodes.build_Comparison(
        lhs: Nodes.build_KeyPath(root: person, keyPath: \.balance),
        rhs: Nodes.build_Arg(Decimal(any([-13, 0, 1, 12]))), op: .greaterThan)
    default: return Nodes.build_Arg(chance(2) == 0)
    }
  }

  mutating func optional(_ person: Human) -> Test {
    switch chance(6) {
    case 0:
      return equal(
        Nodes.build_KeyPath(root: person, keyPath: \.nickname),
        Nodes.build_Arg(any(Crew.texts + [nil])))
    case 1:
      return equal(
        Nodes.build_KeyPath(root: person, keyPath: \.flag),
        Nodes.build_Arg(any([true, false, nil])))
    case 2:
      return leadsNowhere(Nodes.build_KeyPath(root: person, keyPath: \.team))
    case 3:
      let title = any(["Red", "", "Zoë"])
      return equal(
        Nodes.build_flatMap(Nodes.build_KeyPath(root: person, keyPath: \.team)) {
          Nodes.build_KeyPath(root: $0, keyPath: \.title)
        }, Nodes.build_Arg(Optional(title)))
    case 4:
      let city: String? = any(["Rome", nil])
      return equal(
        Nodes.build_flatMap(Nodes.build_KeyPath(root: person, keyPath: \.team)) {
          Nodes.build_KeyPath(root: $0, keyPath: \.city)
        }, Nodes.build_Arg(city))
    default:
      let other = any(Crew.texts)
      return Nodes.build_NilCoalesce(
        lhs: Nodes.build_flatMap(Nodes.build_KeyPath(root: person, keyPath: \.nickname)) {
          Nodes.build_contains($0, Nodes.build_Arg(other))
        }, rhs: Nodes.build_KeyPath(root: person, keyPath: \.isActive))
    }
  }

  mutating func words(
    _ left: some StandardPredicateExpression<String>,
    _ right: some StandardPredicateExpression<String>
  ) -> Test {
    switch chance(3) {
    case 0: Nodes.build_contains(left, right)
    case 1: Nodes.build_starts(left, with: right)
    default: Nodes.build_KeyPath(root: left, keyPath: \.isEmpty)
    }
  }

  // MARK: Sequences

  mutating func sequence(_ person: Human, depth: Int) -> Test {
    let weight = any([0, 1.5, 3])
    let isAll = chance(2) == 0
    func heavy(_ pet: Nodes.Variable<Pet>) -> some StandardPredicateExpression<Bool> {
      Nodes.build_Comparison(
        lhs: Nodes.build_KeyPath(root: pet, keyPath: \.weight), rhs: Nodes.build_Arg(weight),
        op: .greaterThanOrEqual)
    }
    let pets = Nodes.build_KeyPath(root: person, keyPath: \.pets)
    let filtered = Nodes.build_filter(pets) { Nodes.build_KeyPath(root: $0, keyPath: \.isTame) }
    switch chance(6) {
    case 0:
      return isAll
        ? Nodes.build_allSatisfy(pets) { heavy($0) }
        : Nodes.build_contains(pets, where: { heavy($0) })
    case 1:
      return isAll
        ? Nodes.build_allSatisfy(filtered) { heavy($0) }
        : Nodes.build_contains(filtered, where: { heavy($0) })
    case 2:
      return compare(
        Nodes.build_KeyPath(root: filtered, keyPath: \.count), Nodes.build_Arg(chance(3)))
    case 3:
      let fee: Int? = any([10, -3, nil])
      return Nodes.build_contains(
        Nodes.build_KeyPath(root: person, keyPath: \.clubs),
        where: {
          Nodes.build_Equal(
            lhs: Nodes.build_KeyPath(root: $0, keyPath: \.fee), rhs: Nodes.build_Arg(fee))
        })
    case 4:
      let number = any(Crew.integers)
      return Nodes.build_allSatisfy(Nodes.build_KeyPath(root: person, keyPath: \.numbers)) {
        Nodes.build_NotEqual(lhs: $0, rhs: Nodes.build_Arg(number))
      }
    default:
      return Nodes.build_contains(
        pets,
        where: {
          Nodes.build_Equal(
            lhs: Nodes.build_KeyPath(root: $0, keyPath: \.name),
            rhs: Nodes.build_KeyPath(root: person, keyPath: \.name))
        })
    }
  }

  // MARK: Values

  mutating func number(_ person: Human, depth: Int) -> Number {
    // Sums of what may be at the end of the range would trap in the objects' own evaluation.
    switch chance(depth > 0 ? 8 : 6) {
    case 0: return Nodes.build_KeyPath(root: person, keyPath: \.age)
    case 1: return Nodes.build_Arg(any(Crew.integers))
    case 2:
      return Nodes.build_KeyPath(
        root: Nodes.build_KeyPath(root: person, keyPath: \.pets), keyPath: \.count)
    case 3:
      return Nodes.build_KeyPath(
        root: Nodes.build_KeyPath(root: person, keyPath: \.name), keyPath: \.count)
    case 4:
      return Nodes.build_NilCoalesce(
        lhs: Nodes.build_KeyPath(
          root: Nodes.build_KeyPath(root: person, keyPath: \.address), keyPath: \.zip),
        rhs: Nodes.build_Arg(any(Crew.integers)))
    case 5:
      return Nodes.build_ForcedUnwrap(
        Nodes.build_flatMap(Nodes.build_KeyPath(root: person, keyPath: \.team)) {
          Nodes.build_KeyPath(root: $0, keyPath: \.size)
        })
    case 6: return reckon(count(person), count(person))
    default: return divide(count(person), any([1, 2, -3]))
    }
  }

  mutating func count(_ person: Human) -> Number {
    switch chance(3) {
    case 0:
      return Nodes.build_KeyPath(
        root: Nodes.build_KeyPath(root: person, keyPath: \.numbers), keyPath: \.count)
    case 1:
      return Nodes.build_NilCoalesce(
        lhs: Nodes.build_max(Nodes.build_KeyPath(root: person, keyPath: \.numbers)),
        rhs: Nodes.build_Arg(-7))
    default: return Nodes.build_Arg(any(Crew.integers))
    }
  }

  mutating func reckon(
    _ left: some StandardPredicateExpression<Int>, _ right: some StandardPredicateExpression<Int>
  ) -> Number {
    let op = any([.add, .subtract, .multiply] as [Nodes.ArithmeticOperator])
    return Nodes.build_Arithmetic(lhs: left, rhs: right, op: op)
  }

  mutating func divide(_ left: some StandardPredicateExpression<Int>, _ right: Int) -> Number {
    chance(2) == 0
      ? Nodes.build_Division(lhs: left, rhs: Nodes.build_Arg(right))
      : Nodes.build_Remainder(lhs: left, rhs: Nodes.build_Arg(right))
  }

  mutating func real(_ person: Human, depth: Int) -> Real {
    switch chance(depth > 0 ? 6 : 4) {
    case 0: return Nodes.build_KeyPath(root: person, keyPath: \.height)
    case 1: return Nodes.build_Arg(any(Crew.reals + [.nan]))
    case 2:
      return Nodes.build_NilCoalesce(
        lhs: Nodes.build_KeyPath(root: person, keyPath: \.score),
        rhs: Nodes.build_Arg(any(Crew.reals)))
    case 3:
      return Nodes.build_KeyPath(
        root: Nodes.build_KeyPath(
          root: Nodes.build_KeyPath(root: person, keyPath: \.address), keyPath: \.spot),
        keyPath: \.latitude)
    case 4: return mix(real(person, depth: depth - 1), real(person, depth: depth - 1))
    default: return share(real(person, depth: depth - 1), real(person, depth: depth - 1))
    }
  }

  mutating func mix(
    _ left: some StandardPredicateExpression<Double>,
    _ right: some StandardPredicateExpression<Double>
  ) -> Real {
    let op = any([.add, .subtract, .multiply] as [Nodes.ArithmeticOperator])
    return Nodes.build_Arithmetic(lhs: left, rhs: right, op: op)
  }

  func share(
    _ left: some StandardPredicateExpression<Double>,
    _ right: some StandardPredicateExpression<Double>
  ) -> Real {
    Nodes.build_Division(lhs: left, rhs: right)
  }

  mutating func text(_ person: Human, depth: Int) -> Text {
    switch chance(5) {
    case 0: return Nodes.build_KeyPath(root: person, keyPath: \.name)
    case 1: return Nodes.build_Arg(any(Crew.texts))
    case 2:
      return Nodes.build_NilCoalesce(
        lhs: Nodes.build_KeyPath(root: person, keyPath: \.nickname),
        rhs: Nodes.build_KeyPath(root: person, keyPath: \.name))
    case 3:
      return Nodes.build_KeyPath(
        root: Nodes.build_KeyPath(root: person, keyPath: \.address), keyPath: \.city)
    default:
      return Nodes.build_ForcedUnwrap(Nodes.build_KeyPath(root: person, keyPath: \.nickname))
    }
  }
}
