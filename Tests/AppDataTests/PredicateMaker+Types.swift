import Testing
import VaultAppData

/// The types and functions that a condition may use besides numbers and texts.
extension PredicateMaker {
  func at<Root: PredicateExpression, Value>(
    _ root: Root, _ path: any KeyPath<Root.Output, Value> & Sendable
  ) -> Nodes.KeyPath<Root, Value> {
    Nodes.build_KeyPath(root: root, keyPath: path)
  }

  // MARK: Types with a form of their own

  mutating func type(_ person: Human) -> Test {
    switch chance(12) {
    // Character is not Codable, so that no predicate captures one.
    case 0: return equal(at(person, \.initial), at(person, \.initial))
    case 1: return equal(at(person, \.token), Nodes.build_Arg(UUID()))
    case 2:
      return equal(at(person, \.mood), Nodes.build_Arg(any([.calm, .glad, .sad] as [Person.Mood])))
    case 3:
      return equal(
        at(person, \.maybeMood), Nodes.build_Arg(any([.calm, .glad, nil] as [Person.Mood?])))
    case 4: return compare(at(person, \.rank), Nodes.build_Arg(any(Person.Rank.allCases)))
    case 5:
      return equal(
        _AppData.buildRawValue(root: at(person, \.rank), keyPath: \.rawValue),
        Nodes.build_Arg(chance(4)))
    case 6:
      return Nodes.build_contains(
        Nodes.build_Arg(any([[], [.calm], [.glad, .sad]] as [[Person.Mood]])),
        at(person, \.mood))
    case 7: return money(at(person, \.balance))
    case 8:
      return compare(
        at(person, \.big), Nodes.build_Arg(any([0, 7, UInt64(Int64.max), .max] as [UInt64])))
    case 9:
      return compare(
        at(person, \.small), Nodes.build_Arg(any(Crew.integers.map { Int8($0) })))
    case 10:
      return compare(at(person, \.ratio), Nodes.build_Arg(any(Crew.reals.map { Float($0) })))
    default:
      return equal(
        at(person, \.site),
        Nodes.build_Arg(any([nil, URL(filePath: "/tmp"), URL(filePath: "/")] as [URL?])))
    }
  }

  mutating func money(_ balance: Nodes.KeyPath<Human, Decimal>) -> Test {
    let numbers = [0, 1, -12, Decimal(string: "0.1"), Decimal(string: "-12.50"), 3].compactMap {
      $0
    }
    let op = any([.add, .subtract, .multiply] as [Nodes.ArithmeticOperator])
    let sum = Nodes.build_Arithmetic(lhs: balance, rhs: Nodes.build_Arg(any(numbers)), op: op)
    return chance(2) == 0
      ? compare(sum, Nodes.build_Arg(any(numbers))) : equal(sum, Nodes.build_Arg(any(numbers)))
  }

  mutating func date(_ person: Human) -> Test {
    let dates = [0, 1, 86_400.5, -7, 1.5].map { Date(timeIntervalSinceReferenceDate: $0) }
    let born = Nodes.build_NilCoalesce(lhs: at(person, \.born), rhs: at(person, \.joined))
    switch chance(6) {
    case 0: return compare(at(person, \.joined), Nodes.build_Arg(any(dates)))
    case 1: return compare(born, Nodes.build_Arg(any(dates)))
    case 2: return equal(at(person, \.born), Nodes.build_Arg(any(dates + [nil])))
    case 3:
      let later = Nodes.build_Arithmetic(
        lhs: at(at(person, \.joined), \.timeIntervalSinceReferenceDate),
        rhs: Nodes.build_Arg(any([0, 1.5, 86_400] as [Double])), op: .add)
      return compare(later, at(born, \.timeIntervalSince1970))
    case 4:
      return Nodes.build_contains(
        Nodes.build_Range(lower: Nodes.build_Arg(dates[3]), upper: Nodes.build_Arg(any(dates) + 9)),
        at(person, \.joined))
    default:
      return Nodes.build_contains(
        Nodes.build_Arg(Set(dates.filter { _ in chance(2) == 0 })), at(person, \.joined))
    }
  }

  // MARK: Structures, arrays and dictionaries

  mutating func part(_ person: Human) -> Test {
    let address = at(person, \.address)
    switch chance(7) {
    case 0: return equal(at(address, \.city), Nodes.build_Arg(any(Crew.texts)))
    case 1:
      return equal(
        Nodes.build_flatMap(at(person, \.second)) {
          Nodes.build_KeyPath(root: $0, keyPath: \.city)
        },
        Nodes.build_Arg(any(Crew.texts + [nil])))
    case 2:
      return equal(
        Nodes.build_flatMap(at(person, \.second)) { Nodes.build_KeyPath(root: $0, keyPath: \.zip) },
        Nodes.build_Arg(any(Crew.integers + [nil])))
    case 3: return equal(at(person, \.second), Nodes.build_NilLiteral())
    case 4:
      let floor = Nodes.build_NilCoalesce(
        lhs: at(at(address, \.spot), \.floor), rhs: Nodes.build_Arg(1))
      return compare(floor, Nodes.build_Arg(any(Crew.integers)))
    case 5: return compare(at(address, \.city), at(person, \.name))
    default:
      let latitude = Nodes.build_ForcedUnwrap(
        Nodes.build_flatMap(at(person, \.second)) {
          Nodes.build_KeyPath(
            root: Nodes.build_KeyPath(root: $0, keyPath: \.spot), keyPath: \.latitude)
        })
      return compare(latitude, Nodes.build_Arg(any(Crew.reals)))
    }
  }

  mutating func list(_ person: Human) -> Test {
    let numbers = at(person, \.numbers)
    let tags = at(person, \.tags)
    switch chance(10) {
    case 0:
      let word = any(Crew.texts)
      return Nodes.build_contains(
        tags, where: { Nodes.build_starts($0, with: Nodes.build_Arg(word)) })
    case 1: return compare(at(tags, \.count), Nodes.build_Arg(chance(5)))
    case 2: return at(numbers, \.isEmpty)
    case 3:
      return equal(Nodes.build_max(numbers), Nodes.build_Arg(any(Crew.integers + [nil])))
    case 4:
      return equal(
        Nodes.build_min(at(person, \.weights)), Nodes.build_Arg(any(Crew.reals + [nil])))
    case 5:
      return equal(
        Nodes.build_subscript(at(person, \.counts), Nodes.build_Arg(any(["a", "b\"c", "z", ""]))),
        Nodes.build_Arg(any([1, 2, 5, nil] as [Int?])))
    case 6:
      return compare(
        Nodes.build_subscript(
          at(person, \.counts), Nodes.build_Arg(any(["a", "b\"c", "z"])),
          default: Nodes.build_Arg(any([0, 3]))), Nodes.build_Arg(any([1, 2, 3])))
    case 7:
      // An index out of bounds: no row matches.
      return compare(
        Nodes.build_subscript(numbers, Nodes.build_Arg(chance(4))),
        Nodes.build_Arg(any(Crew.integers)))
    case 8: return compare(at(at(person, \.picture), \.count), Nodes.build_Arg(chance(4)))
    default:
      let number = any(Crew.integers)
      return compare(
        at(
          Nodes.build_filter(numbers) {
            Nodes.build_Comparison(lhs: $0, rhs: Nodes.build_Arg(number), op: .greaterThan)
          }, \.count), Nodes.build_Arg(chance(4)))
    }
  }

  // MARK: Relationships

  mutating func chain(_ person: Human) -> Test {
    let team = at(person, \.team)
    switch chance(8) {
    case 0:
      return equal(
        Nodes.build_flatMap(team) {
          Nodes.build_flatMap(Nodes.build_KeyPath(root: $0, keyPath: \.lead)) {
            Nodes.build_KeyPath(root: $0, keyPath: \.nickname)
          }
        }, at(person, \.nickname))
    case 1:
      let size = chance(4)
      return Nodes.build_NilCoalesce(
        lhs: Nodes.build_flatMap(team) {
          Nodes.build_Comparison(
            lhs: Nodes.build_KeyPath(root: $0, keyPath: \.size), rhs: Nodes.build_Arg(size),
            op: .greaterThanOrEqual)
        }, rhs: at(person, \.isActive))
    case 2:
      return Nodes.build_NilCoalesce(
        lhs: Nodes.build_flatMap(team) {
          Nodes.build_contains(
            Nodes.build_KeyPath(root: $0, keyPath: \.members),
            where: {
              Nodes.build_Comparison(
                lhs: Nodes.build_KeyPath(root: $0, keyPath: \.age),
                rhs: Nodes.build_KeyPath(root: person, keyPath: \.age), op: .lessThan)
            })
        }, rhs: Nodes.build_Arg(chance(2) == 0))
    case 3:
      let count = chance(4)
      return Nodes.build_allSatisfy(at(person, \.clubs)) {
        Nodes.build_contains(
          Nodes.build_KeyPath(root: $0, keyPath: \.members),
          where: {
            Nodes.build_Comparison(
              lhs: Nodes.build_KeyPath(
                root: Nodes.build_KeyPath(root: $0, keyPath: \.pets), keyPath: \.count),
              rhs: Nodes.build_Arg(count), op: .greaterThan)
          })
      }
    case 4:
      return equal(
        Nodes.build_flatMap(team) {
          Nodes.build_KeyPath(
            root: Nodes.build_KeyPath(root: $0, keyPath: \.members), keyPath: \.count)
        }, Nodes.build_Arg(any([nil, 0, 5, 6] as [Int?])))
    case 5:
      return Nodes.build_contains(
        at(person, \.pets),
        where: {
          Nodes.build_Equal(
            lhs: Nodes.build_flatMap(Nodes.build_KeyPath(root: $0, keyPath: \.owner)) {
              Nodes.build_KeyPath(root: $0, keyPath: \.team)
            }, rhs: Nodes.build_NilLiteral())
        })
    case 6:
      return equal(
        Nodes.build_flatMap(team) { Nodes.build_KeyPath(root: $0, keyPath: \.persistentModelID) },
        Nodes.build_flatMap(team) {
          Nodes.build_flatMap(Nodes.build_KeyPath(root: $0, keyPath: \.lead)) {
            Nodes.build_flatMap(Nodes.build_KeyPath(root: $0, keyPath: \.team)) {
              Nodes.build_KeyPath(root: $0, keyPath: \.persistentModelID)
            }
          }
        })
    default:
      return compare(
        at(Nodes.build_ForcedUnwrap(team), \.size), Nodes.build_Arg(chance(4)))
    }
  }

  // MARK: Choices, and what is made elsewhere

  mutating func choice(_ person: Human, depth: Int) -> Test {
    switch chance(6) {
    case 0:
      return chosenNumber(
        test(person, depth: depth), number(person, depth: 0), number(person, depth: 0))
    case 1:
      return chosenText(test(person, depth: depth), text(person, depth: 0), text(person, depth: 0))
    case 2:
      let isLong = #Predicate<Person> { $0.name.count > 3 || $0.nickname == nil }
      return _AppData.buildEvaluate(isLong, person)
    case 3:
      let length = #Expression<Person, Int> { $0.name.count + $0.pets.count }
      return compare(_AppData.buildEvaluate(length, person), Nodes.build_Arg(chance(6)))
    case 4:
      let other = at(person, \.name)
      return search(text(person, depth: 0), other)
    default:
      let double = #Expression<Int, Int> { $0 * 2 + 1 }
      return doubled(double, count(person))
    }
  }

  mutating func doubled(
    _ expression: Expression<Int, Int>, _ number: some StandardPredicateExpression<Int>
  ) -> Test {
    compare(_AppData.buildEvaluate(expression, number), Nodes.build_Arg(any(Crew.integers)))
  }

  mutating func chosenNumber(
    _ test: some StandardPredicateExpression<Bool>, _ yes: some StandardPredicateExpression<Int>,
    _ no: some StandardPredicateExpression<Int>
  ) -> Test {
    compare(Nodes.build_Conditional(test, yes, no), Nodes.build_Arg(any(Crew.integers)))
  }

  mutating func chosenText(
    _ test: some StandardPredicateExpression<Bool>, _ yes: some StandardPredicateExpression<String>,
    _ no: some StandardPredicateExpression<String>
  ) -> Test {
    equal(Nodes.build_Conditional(test, yes, no), Nodes.build_Arg(any(Crew.texts)))
  }

  mutating func search(
    _ left: some StandardPredicateExpression<String>,
    _ right: some StandardPredicateExpression<String>
  ) -> Test {
    switch chance(4) {
    case 0: return _AppData.buildLocalizedStandardContains(left, right)
    case 1:
      return _AppData.buildLocalizedStandardContains(
        left, Nodes.build_Arg(any(["AN", "e", "É", "", "2", "fi"])))
    case 2:
      return Nodes.build_Equal(
        lhs: _AppData.buildCaseInsensitiveCompare(left, right),
        rhs: Nodes.build_Arg(any([.orderedSame, .orderedAscending] as [ComparisonResult])))
    default:
      return Nodes.build_Equal(
        lhs: _AppData.buildLocalizedCompare(left, right),
        rhs: Nodes.build_Arg(any([.orderedSame, .orderedDescending] as [ComparisonResult])))
    }
  }
}
