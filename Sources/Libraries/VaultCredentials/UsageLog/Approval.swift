/// What became of the question whether a program may use an item.
package struct Approval: Sendable, Equatable {
  /// Whether it may.
  package let isAllowed: Bool
  /// Who has decided, for the log: a terminal, a program that asks, an answer that was kept.
  package let by: String
  /// Why it was refused, as the message of an error; `nil` if it was not.
  package let refusal: String?

  /// An answer.
  package init(isAllowed: Bool, by: String, refusal: String? = nil) {
    (self.isAllowed, self.by, self.refusal) = (isAllowed, by, refusal)
  }
}
