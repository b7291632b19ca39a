extension StringProtocol {
  /// A sentence as it goes on behind a colon: its first letter in lower case.
  package var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}
