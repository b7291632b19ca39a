/// Counts with their nouns: `1 item`, `2 items`.
package enum Plural {
  /// A count and its noun.
  ///
  /// - Parameters:
  ///   - count: The number.
  ///   - noun: What one of them is called.
  ///   - many: What several are called; the noun with an `s` if omitted.
  /// - Returns: `1 copy`, `2 copies`.
  package static func of(_ count: Int, _ noun: String, _ many: String? = nil) -> String {
    "\(count) \(count == 1 ? noun : many ?? "\(noun)s")"
  }
}
