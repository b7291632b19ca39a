import Foundation
import Testing
import VaultDataStore

/// Decimal numbers are read, written and sorted as Foundation's `Decimal` does it.
struct DecimalTextTests {
  @Test(arguments: [
    "0", "-0", "0.0", "1", "+5", ".5", "5.", "1e5", "1E5", "1e+5", "-1e-5", "1.50", "00012.500",
    "123456789012345678901234567890123456789", "1234567890123456789012345678901234567890123",
    "340282366920938463463374607431768211455", "340282366920938463463374607431768211456",
    "0.00000000000000000000000000000000000000012345678901234567890123456789012345678901234567",
    "1e127", "1e-128", "99999999999999999999999999999999999999e127", "1e-129", "1.5e-128",
  ])
  func aNumberIsThatOfFoundation(text: String) {
    let number = Decimal(string: text, locale: nil)
    #expect(DecimalText(text)?.description == number.map(\.description))
  }

  @Test func anyNumberIsThatOfFoundation() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<2_000 {
      let digits = (0..<Int.random(in: 1...45, using: &random))
        .map { _ in String(Int.random(in: 0...9, using: &random)) }.joined()
      let point = Int.random(in: 0...digits.count, using: &random)
      let text =
        (Bool.random(using: &random) ? "-" : "") + digits.prefix(point) + "."
        + digits.dropFirst(point) + "e\(Int.random(in: -60...60, using: &random))"
      let number = Decimal(string: text, locale: nil)
      #expect(DecimalText(text)?.description == number?.description, "\(text)")
    }
  }

  @Test(arguments: [
    "", "-", "+", ".", "e5", "abc", "12abc", "1e", "1e+", "1.2.3", "1,5", " 5", "5 ", "--5", "0x10",
    "nan", "inf", "1e99999", "1e400", "1e-400", "٣",
  ])
  func whatIsNoNumberIsRefused(text: String) {
    #expect(DecimalText(text) == nil)
    #expect(DecimalOrder.key(text) == nil)
  }

  @Test func keysSortAsTheNumbersDo() throws {
    var numbers = ["0", "1", "9", "10", "99.5", "100", "0.001", "0.1", "1e-100", "1e120", "12.34"]
    numbers += numbers.dropFirst().map { "-\($0)" }
    let byNumber = try numbers.sorted {
      try #require(Decimal(string: $0)) < #require(Decimal(string: $1))
    }
    let byKey = try numbers.sorted {
      try #require(DecimalOrder.key($0)) < #require(DecimalOrder.key($1))
    }
    #expect(byKey == byNumber)
    #expect(DecimalOrder.key("1.50") == DecimalOrder.key("15e-1"))
    // As earlier versions wrote them.
    #expect(DecimalOrder.key("19.90") == "21002199")
    #expect(DecimalOrder.key("5") == "210015")
    #expect(DecimalOrder.key("-5") == "089984~")
    #expect(DecimalOrder.key("0.05") == "209995")
  }
}
