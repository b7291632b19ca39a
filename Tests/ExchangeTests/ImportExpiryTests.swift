import Foundation
import Testing
import VaultExchange

/// When an entry of Bitwarden's expires: a card by its month, others by a field that says so.
struct ImportExpiryTests {
  private func expiry(_ entry: String) throws -> Date? {
    let text = #"{"encrypted":false,"items":[{"id":"1","name":"x",\#(entry)}]}"#
    let reading = try ImportFormat.bitwarden.read(Array(text.utf8))
    return try #require(reading.items.first).expires
  }

  private func date(_ text: String) throws -> Date {
    try Date(text, strategy: .iso8601)
  }

  @Test(arguments: [
    (#""2","expYear":"2028""#, "2028-02-29T23:59:59Z"),
    (#""12","expYear":"27""#, "2027-12-31T23:59:59Z"),
    (#""07","expYear":2030"#, "2030-07-31T23:59:59Z"),
  ])
  func aCardIsGoodUntilTheEndOfItsMonth(numbers: String, end: String) throws {
    let found = try expiry(#""type":3,"card":{"number":"4","expMonth":\#(numbers)}"#)
    #expect(try found == date(end))
  }

  @Test(arguments: [
    #""type":3,"card":{"number":"4"}"#, #""type":3,"card":{"expMonth":"13","expYear":"2028"}"#,
    #""type":3,"card":{"expMonth":"1","expYear":"soon"}"#,
    #""type":1,"fields":[{"name":"expires","value":"never","type":0}]"#,
    #""type":1,"fields":[{"name":"expires","value":"2028-01-31","type":1}]"#,
  ])
  func whatIsNoDateIsNone(entry: String) throws { #expect(try expiry(entry) == nil) }

  @Test func aFieldThatSaysSoIsTheExpiry() throws {
    let field = #""type":1,"fields":[{"name":"expires","value":"2028-01-31T10:00:00Z","type":0}]"#
    #expect(try expiry(field) == date("2028-01-31T10:00:00Z"))
    let other = #""type":1,"expirationDate":"2029-05-01T00:00:00.000Z""#
    #expect(try expiry(other) == date("2029-05-01T00:00:00Z"))
    let text = #"{"encrypted":false,"items":[{"id":"1","name":"x",\#(field)}]}"#
    let reading = try ImportFormat.bitwarden.read(Array(text.utf8))
    #expect(reading.items.first?.fields["expires"] == nil)
    #expect(reading.losses.isEmpty)
  }
}
