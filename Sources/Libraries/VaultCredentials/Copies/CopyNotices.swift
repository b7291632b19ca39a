/// Notices about copies: one of each kind, with the names.
struct CopyNotices {
  private var inexact: [String] = []
  private var changed: [String] = []
  private var inPlace: [String] = []
  private var beside: [String] = []
  private var remaining: [String] = []

  /// Takes note of what became of the copy of `name`.
  mutating func add(_ outcome: CopyPublisher.Outcome, name: String) {
    switch outcome.kind {
    case .published: if outcome.hasForeign { beside.append(name) }
    case .withdrawn: if outcome.hasForeign { remaining.append(name) }
    case .changedByOthers: changed.append(name)
    case .foreign: inPlace.append(name)
    case .inexact: inexact.append(name)
    }
  }

  /// The notices.
  var all: [VaultNotice] {
    [
      notice(
        .copyInexact, inexact,
        one: "the keyring cannot hold this secret exactly, and has no copy of it: ",
        more: "the keyring cannot hold these secrets exactly, and has no copy of them: ",
        remedies: [.readFromVault]),
      notice(
        .copyChanged, changed,
        one: "another program changed this copy in the keyring; it was left unchanged: ",
        more: "other programs changed these copies in the keyring; they were left unchanged: ",
        remedies: [.takeCopies, .overwriteCopies]),
      notice(
        .copyForeign, inPlace,
        one:
          "another program's item in the keyring has the name of this copy; it was not changed: ",
        more: "other programs' items in the keyring have the names of these copies; they were left "
          + "alone: ",
        remedies: [.takeCopies]),
      notice(
        .copyForeign, beside,
        one: "beside this copy the keyring has another program's item, which others may read: ",
        more: "beside these copies the keyring has other programs' items, which others may read: ",
        remedies: [.takeCopies]),
      notice(
        .copyForeign, remaining,
        one: "another program's item of this name stays in the keyring: ",
        more: "other programs' items of these names stay in the keyring: ",
        remedies: [.listKeyringEntries]),
    ].compactMap { $0 }
  }

  private func notice(
    _ code: VaultNotice.Code, _ names: [String], one: String, more: String, remedies: [Remedy]
  ) -> VaultNotice? {
    guard !names.isEmpty else { return nil }
    return VaultNotice(
      code, (names.count == 1 ? one : more) + Self.joined(names), remedies: remedies)
  }

  /// A few names, and how many more there are.
  static func joined(_ names: [String]) -> String {
    let shown = names.prefix(10).joined(separator: ", ")
    return names.count > 10 ? "\(shown), and \(names.count - 10) more" : shown
  }
}

extension UnlockedVault {
  /// Notes what is still to be done in the keyring, and answers why.
  func noteWaiting(
    _ work: [CopyWork], withoutTelling names: Set<String>, _ reason: String?
  ) -> String? {
    let stored = work.count { $0.record != nil }
    // Of what was never published there is hardly a copy that waits.
    let removed = work.count { work in
      work.record == nil && work.wasPublished && !names.contains(work.name)
    }
    let count = stored + removed
    guard count > 0, let reason else { return work.isEmpty ? nil : reason }
    note([
      VaultNotice(
        .copiesPending,
        count == 1 && stored == 1
          ? "stored; its copy in the keyring is still to be brought up to date: \(reason)"
          : count == 1
            ? "a copy in the keyring is still to be removed: \(reason)"
            : "\(count) copies in the keyring are still to be brought up to date: \(reason)",
        hint: "the next change that finds the keyring does it, too", remedies: [.synchronizeCopies])
    ])
    return reason
  }
}
