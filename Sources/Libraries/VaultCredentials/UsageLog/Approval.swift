/// What became of the question whether a program may use an item.
package struct Approval: Sendable, Equatable {
  /// Whether it may.
  package let isAllowed: Bool
  /// Who has decided, for the log: a terminal, a program that asks, an answer that was kept.
  package let by: String
  /// Why it was refused, as the message of an error; `nil` if it was not.
  package let refusal: String?
  /// Whether a person has said it to this very question: it is not kept, and no limit has decided.
  package let isByPerson: Bool
  /// Whether the person wants it to be kept with the item.
  package let isAlways: Bool
  /// Why the program has asked, in its own words.
  package var reason: String?

  /// An answer.
  package init(
    isAllowed: Bool, by: String, refusal: String? = nil, isByPerson: Bool = false,
    isAlways: Bool = false
  ) {
    (self.isAllowed, self.by, self.refusal) = (isAllowed, by, refusal)
    (self.isByPerson, self.isAlways) = (isByPerson, isAlways)
  }

  /// What becomes of a yes whose program has run another one since it asked: nobody was asked about
  /// that one.
  package static let changedProgram = Approval(
    isAllowed: false, by: "nobody", refusal: "it has run another program since it asked")
}
