import VaultCredentials
import VaultProtocols

/// What a person has allowed a coding agent, and what not.
///
/// To allow is narrow: it holds for one command, as it was shown, or for one item where access to that
/// was asked for. To refuse is broad: "never" holds for the items in whatever command.
struct MCPPermissions {
  /// How long an answer to a request for access waits for its command.
  private static let grace = Duration.seconds(600)
  /// So many refusals within that time, and nothing more is asked.
  private static let (maximumRefusals, brake) = (5, Duration.seconds(600))

  /// What is known of a plan.
  enum Decision {
    /// It may be done; by whom that was decided, where somebody was asked.
    case allowed(by: String?)
    /// It may not; whether by an answer of before, which a person gave.
    case refused(Approval, isKept: Bool)
    case unknown
  }

  private let kept: KeptAnswers
  /// Items that may be used once, in any command.
  private var once: [String: (approval: Approval, until: ContinuousClock.Instant)] = [:]
  /// The questions that were put about an item: where one of them stands refused, it holds for the
  /// item, also if whoever asked has left before the answer.
  private var put: [String: Set<String>] = [:]
  /// So many of them, and those are forgotten that nobody has refused.
  private static let maximumPut = 64
  /// When the last refusal of an item was recorded that nobody was asked about.
  private var recorded: [String: ContinuousClock.Instant] = [:]
  private var refusals: [ContinuousClock.Instant] = []

  init(_ kept: KeptAnswers) { self.kept = kept }

  /// Whether something may be done without asking.
  ///
  /// - Parameters:
  ///   - plan: What.
  ///   - confirmed: Those of its items that a person is asked about.
  /// - Returns: What is known.
  func decision(_ plan: MCPPlan, _ confirmed: [Item]) -> Decision {
    guard !confirmed.isEmpty else { return .allowed(by: nil) }
    for item in confirmed {
      for identity in put[item.id] ?? [] {
        if let standing = kept.standing(identity), !standing.isAllowed {
          return .refused(standing, isKept: true)
        }
      }
    }
    if let standing = kept.standing(plan.identity) {
      return standing.isAllowed ? .allowed(by: standing.by) : .refused(standing, isKept: true)
    }
    // Whoever asks for access has it, or is asked.
    var by: [String] = []
    for item in confirmed {
      let standing = kept.standing(MCPPlan.identity(ofAccessTo: item))
      let one = once[item.id].flatMap { $0.until > .now ? $0.approval : nil }
      guard let found = standing ?? (plan.command == nil ? nil : one) else { return .unknown }
      guard found.isAllowed else { return .refused(found, isKept: true) }
      if !by.contains(found.by) { by.append(found.by) }
    }
    return .allowed(by: by.joined(separator: "; "))
  }

  /// Why nobody is asked any more; `nil` if a question may be put.
  mutating func brakeReason() -> String? {
    refusals.removeAll { .now - $0 > Self.brake }
    guard refusals.count >= Self.maximumRefusals else { return nil }
    return
      "\(refusals.count) requests were refused, withdrawn or not answered within ten minutes, so "
      + "that the person is not asked again for a while"
  }

  /// A question is put to a person.
  mutating func ask(_ plan: MCPPlan) {
    for item in plan.items {
      var identities = put[item.id] ?? []
      if identities.count >= Self.maximumPut {
        identities = identities.filter { kept.standing($0)?.isAllowed == false }
      }
      identities.insert(plan.identity)
      put[item.id] = identities
    }
  }

  /// A question was withdrawn before its answer, as if it had been refused: it has disturbed as much.
  mutating func withdraw() { refusals.append(.now) }

  /// Those of the items whose refusal without a question is recorded: a model could push all other
  /// records out of the log.
  mutating func toRecord(_ items: [Item]) -> [Item] {
    recorded = recorded.filter { .now - $0.value <= Self.brake }
    let new = items.filter { recorded[$0.id] == nil }
    for item in new { recorded[item.id] = .now }
    return new
  }

  /// Takes in an answer to the question of a plan.
  ///
  /// - Parameters:
  ///   - approval: The answer.
  ///   - plan: What it is for.
  ///   - wasAsked: Whether the question was put to somebody.
  mutating func take(_ approval: Approval, for plan: MCPPlan, wasAsked: Bool) {
    guard approval.isAllowed else {
      if wasAsked { refusals.append(.now) }
      return
    }
    refusals = []
    guard plan.command == nil, let item = plan.items.first,
      kept.standing(plan.identity) == nil
    else { return }
    once[item.id] = (approval, .now + Self.grace)
  }

  /// A command has begun: what held for one is used up.
  mutating func use(_ plan: MCPPlan) { for item in plan.items { once[item.id] = nil } }
}
