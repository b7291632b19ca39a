import Foundation
import Testing
import VaultDefaultsTool
import VaultPreferences

/// github.com/toml-lang/toml-test, the files of its list for TOML 1.0.
@Suite(.enabled(if: Suite.toml.isThere, "needs VAULT_TEST_SUITES with toml-test"))
struct TOMLSuiteTests {
  private func files(_ kind: String) throws -> [String] {
    let list = String(decoding: try Suite.toml.bytes("tests/files-toml-1.0.0"), as: UTF8.self)
    return list.split(separator: "\n").map(String.init)
      .filter { $0.hasPrefix(kind) && $0.hasSuffix(".toml") }
  }

  @Test func whatIsNoTOMLIsRefused() throws {
    let files = try files("invalid/")
    #expect(files.count > 300)
    for file in files {
      #expect(throws: PreferenceError.self, "\(file)") {
        try TOMLText.parse(try Suite.toml.bytes("tests/\(file)"))
      }
    }
  }

  @Test func whatIsTOMLHasTheValuesThatItSays() throws {
    let files = try files("valid/")
    #expect(files.count > 150)
    for file in files {
      let bytes = try Suite.toml.bytes("tests/\(file)")
      let expected = try JSONSerialization.jsonObject(
        with: Data(try Suite.toml.bytes("tests/\(file.dropLast(5)).json")))
      if holdsTime(expected) {
        // No preference can be a time without a date.
        #expect(throws: PreferenceError.self, "\(file)") { try TOMLText.parse(bytes) }
        continue
      }
      do {
        let found = try TOMLText.parse(bytes)
        #expect(isEqual(found, expected), "\(file): \(found)")
      } catch {
        Issue.record("\(file): \(error)")
      }
    }
  }

  private func tagged(_ value: Any) -> (type: String, value: String)? {
    guard let object = value as? [String: Any], object.count == 2,
      let type = object["type"] as? String, let text = object["value"] as? String
    else { return nil }
    return (type, text)
  }

  private func holdsTime(_ value: Any) -> Bool {
    if let tagged = tagged(value) { return tagged.type == "time-local" }
    if let array = value as? [Any] { return array.contains(where: holdsTime) }
    return (value as? [String: Any])?.values.contains(where: holdsTime) ?? false
  }

  private func isEqual(_ found: PreferenceValue, _ expected: Any) -> Bool {
    if let tagged = tagged(expected) {
      switch (found, tagged.type) {
      case (.string(let text), "string"): return Array(text.utf8) == Array(tagged.value.utf8)
      case (.integer(let number), "integer"): return Int64(tagged.value) == number
      case (.boolean(let value), "bool"): return tagged.value == "\(value)"
      case (.real(let number), "float"):
        let value = Double(tagged.value)
        return value == number || (number.isNaN && value?.isNaN == true)
      case (.date(let date), "datetime"), (.date(let date), "datetime-local"),
        (.date(let date), "date-local"):
        return self.date(tagged.value).map { abs($0.timeIntervalSince(date)) < 0.000_002 } ?? false
      default: return false
      }
    }
    if let elements = expected as? [Any], case .array(let all) = found {
      return all.count == elements.count && zip(all, elements).allSatisfy { isEqual($0, $1) }
    }
    guard let members = expected as? [String: Any], case .dictionary(let entries) = found,
      members.count == entries.count
    else { return false }
    return members.allSatisfy { name, value in entries[name].map { isEqual($0, value) } ?? false }
  }

  /// The date, of which toml-test writes fractions and leaves out a zone or the time.
  ///
  /// By timegm(3): Foundation's calendars are Julian before 1582.
  private func date(_ text: String) -> Date? {
    let numbers = text.split { !$0.isNumber && $0 != "." }.map { Double($0) ?? 0 }
    guard numbers.count >= 3 else { return nil }
    var parts = unsafe tm()
    unsafe parts.tm_year = Int32(numbers[0]) - 1900
    unsafe parts.tm_mon = Int32(numbers[1]) - 1
    unsafe parts.tm_mday = Int32(numbers[2])
    var seconds = Double(unsafe timegm(&parts))
    for (number, unit) in zip(numbers.dropFirst(3).prefix(3), [3600.0, 60, 1]) {
      seconds += number * unit
    }
    if numbers.count > 6 {
      let offset = numbers[6] * 3600 + (numbers.count > 7 ? numbers[7] * 60 : 0)
      seconds -= text.dropFirst(10).contains("+") ? offset : -offset
    }
    return Date(timeIntervalSince1970: seconds)
  }
}
