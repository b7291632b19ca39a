import Synchronization

/// A comparison of values that the store keeps as JSON: decoded, and by the type's own `==`.
///
/// Equal values may be written in several ways: members in another order, `1.0` for `1`, a set or a
/// dictionary in any order, a value from before its type gained a member. A query has to find what
/// the objects say.
enum ValueComparisons {
  private struct Key: Hashable {
    let type: ObjectIdentifier
    let defaults: MemberDefaults.Place?
  }

  private struct State {
    var numbers: [Key: Int64] = [:]
    var all: [any ValueComparison] = []
  }

  /// As many as there are types in the program's predicates.
  private static let state = Mutex(State())

  /// The number by which SQL names the comparison of a type's values.
  ///
  /// - Parameters:
  ///   - type: The type, without `Optional`.
  ///   - defaults: What begins members that a stored value lacks.
  /// - Returns: `nil` for a type without `==`.
  static func number(of type: any Any.Type, _ defaults: MemberDefaults?) -> Int64? {
    guard let type = type as? any (Decodable & Equatable).Type else { return nil }
    let key = Key(type: ObjectIdentifier(type), defaults: defaults?.place)
    return state.withLock { state in
      if let known = state.numbers[key] { return known }
      let number = Int64(state.all.count)
      state.numbers[key] = number
      state.all.append(made(type, defaults))
      return number
    }
  }

  private static func made<Value: Decodable & Equatable>(
    _ type: Value.Type, _ defaults: MemberDefaults?
  ) -> any ValueComparison {
    DecodedComparison<Value>(defaults)
  }

  /// Whether two JSON texts are the same value; a text that does not decode equals none.
  static func areEqual(_ number: Int64, _ left: String, _ right: String) -> Bool {
    let comparison = state.withLock { state in
      state.all.indices.contains(Int(number)) ? state.all[Int(number)] : nil
    }
    return comparison?.areEqual(left, right) ?? false
  }
}

private protocol ValueComparison: Sendable {
  func areEqual(_ left: String, _ right: String) -> Bool
}

private final class DecodedComparison<Value: Decodable & Equatable>: ValueComparison {
  private struct Decoded: @unchecked Sendable {
    // Never changed; values of models are handed from thread to thread as the models are.
    let value: Value?
  }

  /// The most texts that are remembered, and the most bytes of one.
  private static var limits: (count: Int, bytes: Int) { (512, 1_024) }

  private let defaults: MemberDefaults?
  /// Many rows have the same few values, and one side is the same for all of them.
  private let known = Mutex<[String: Decoded]>([:])

  init(_ defaults: MemberDefaults?) { self.defaults = defaults }

  func areEqual(_ left: String, _ right: String) -> Bool {
    // Only a value with NaN in it can differ from itself.
    if left.utf8.elementsEqual(right.utf8), !left.contains(bytes: "NaN") { return true }
    guard let first = value(left), let second = value(right) else { return false }
    return first == second
  }

  private func value(_ text: String) -> Value? {
    if let found = known.withLock({ $0[text] }) { return found.value }
    let value =
      (try? ValueCoding.decode(text, as: Value.self))
      ?? defaults.flatMap { GainedMembers.decode(text, as: Value.self, from: $0) }
    let decoded = Decoded(value: value)
    if text.utf8.count <= Self.limits.bytes {
      known.withLock { known in
        if known.count >= Self.limits.count { known.removeAll() }
        known[text] = decoded
      }
    }
    return value
  }
}
