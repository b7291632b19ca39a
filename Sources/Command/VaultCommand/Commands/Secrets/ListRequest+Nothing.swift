import VaultCommandCore
import VaultCompletion
import VaultStorage
import VaultTerminal

extension ListRequest {
  /// Says that there is nothing, and what may have been meant: to a program only where the line means
  /// something else.
  ///
  /// - Parameter names: Names among which one may be meant.
  func tellNothing(_ names: [String]) {
    let verb = trash ? "trash" : "list"
    if let pattern, let meant = Habit.hint(for: [verb, pattern], path: ["list"]) {
      StandardError.note("no item matches '\(pattern)'", hint: meant)
    } else if StandardError.isTerminal {
      tellAbsence(names)
    }
  }

  private func tellAbsence(_ names: [String]) {
    let isAll =
      !trash && tag == nil && attribute.isEmpty && !expired && !conflicts && expiring == nil
      && unused == nil && exposedTo == nil
    guard let pattern else {
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
}
