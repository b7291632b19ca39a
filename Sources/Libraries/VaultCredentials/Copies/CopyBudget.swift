/// The share of the keyring's time that a command takes for copies.
struct CopyBudget {
  /// How many copies that an earlier command left a command does, beside its own.
  private static let backlog = 16

  /// When everything has to be done; `nil` where it is done to the end.
  let end: Deadline?
  private let backlogEnd: Deadline
  private var backlogLeft: Int

  /// What a command takes that has other things to do: its own copies within `limit`, and a few
  /// that were left.
  static func portion(within limit: Duration) -> CopyBudget {
    CopyBudget(
      end: .after(limit), backlogEnd: .after(min(.seconds(1), limit / 5)), backlogLeft: backlog)
  }

  /// The budget of a command that only synchronizes copies.
  static var everything: CopyBudget {
    CopyBudget(end: nil, backlogEnd: .after(.zero), backlogLeft: .max)
  }

  private init(end: Deadline?, backlogEnd: Deadline, backlogLeft: Int) {
    self.end = end
    self.backlogEnd = backlogEnd
    self.backlogLeft = backlogLeft
  }

  /// Returns whether one more copy may be started, and counts it.
  mutating func takes(own isOwn: Bool) -> Bool {
    guard let end else { return true }
    guard !end.hasPassed else { return false }
    if isOwn { return true }
    guard backlogLeft > 0, !backlogEnd.hasPassed else { return false }
    backlogLeft -= 1
    return true
  }
}
