import VaultCommandCore
import VaultCompletion
import VaultCredentials
import VaultStorage
import VaultTerminal

extension ListRequest {
  /// Says that there is nothing, and what may have been meant: to a program only where the line means
  /// something else.
  ///
  /// - Parameters:
  ///   - names: Names among which one may be meant.
  ///   - settings: Which vault it is.
  func tellNothing(_ names: [String], _ settings: VaultSettings) {
    let verb = trash ? "trash" : "list"
    if let pattern, let meant = Habit.hint(for: [verb, pattern], path: ["list"]) {
      StandardError.note("no item matches '\(pattern)'", hint: meant)
    } else if StandardError.isTerminal {
      tellAbsence(names, settings)
    }
  }

  private func tellAbsence(_ names: [String], _ settings: VaultSettings) {
    let isAll =
      !trash && tag == nil && attribute.isEmpty && !expired && !conflicts && expiring == nil
      && unused == nil && exposedTo == nil
    guard let pattern else {
      let trashed = isAll ? Self.trashed(settings) : 0
      if trashed > 0 {
        return StandardError.note(
          "the vault has no items; \(Plural.items(trashed)) in the trash",
          hint: "list the trash: \(ProgramName.current) list --trash; one back: "
            + "\(ProgramName.current) restore NAME")
      }
      StandardError.note(
        trash ? "the trash is empty" : isAll ? "the vault has no items yet" : "no such item",
        hint: isAll ? "store one: \(ProgramName.current) set NAME" : nil)
      return
    }
    let near =
      Suggestion.nearest(to: pattern, among: names)
      ?? names.first { name in
        Suggestion.nearest(to: pattern, among: [String(name.lastComponent)]) != nil
      }
    StandardError.note(
      "no item matches '\(pattern)'", hint: (isAll ? near : nil).map { "did you mean: \($0)" })
  }

  /// How many items lie in the trash; nobody is asked for that.
  private static func trashed(_ settings: VaultSettings) -> Int {
    var quiet = settings
    quiet.isUnattended = true
    var query = ItemQuery()
    query.isInTrash = true
    return (try? quiet.withVault { try $0.items(matching: query).count }) ?? 0
  }
}
