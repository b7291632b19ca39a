import Testing
import VaultStorage

struct NaturalOrderTests {
  @Test func numbersInNamesCountAsNumbers() {
    let names = [
      "", "GitHub", "GitHub (a)", "GitHub~2", "GitHub~3", "GitHub~10", "GitHub~10a", "GitHub~11",
      "a", "a1~", "a02", "a2", "a2b", "a10", "a10/1", "a10/02", "a10/2", "a10/10", "ab",
      "x99999999999999999999999998", "x99999999999999999999999999", "é1", "é2", "é12",
    ]
    for (first, left) in names.enumerated() {
      for (second, right) in names.enumerated() {
        #expect(NaturalOrder.precedes(left, right) == (first < second), "'\(left)', '\(right)'")
      }
    }
  }

  /// An order that is none makes a sort return anything.
  @Test func itIsAnOrder() {
    let parts = ["", "0", "00", "1", "01", "10", "2", "a", "~"]
    let names = parts.flatMap { first in
      parts.flatMap { second in parts.map { first + second + $0 } }
    }
    let unique = Array(Set(names))
    let sorted = unique.sorted(by: NaturalOrder.precedes)
    for (place, left) in sorted.enumerated() {
      for right in sorted[(place + 1)...] {
        #expect(NaturalOrder.precedes(left, right) && !NaturalOrder.precedes(right, left))
      }
    }
  }
}
