/// What a save does with a property that it is to write, and that another context or process has
/// changed since this context read it.
///
/// Looks at the attributes that both have changed; changes of different properties of one object
/// meet in the row under every policy.
public enum MergePolicy: Sendable, Hashable {
  /// The context's value is written: the last one wins.
  case objectWins
  /// The store's value stays, and the object has it after the save.
  case storeWins
  /// The save throws ``SwiftDataError/saveConflict``, and nothing is written.
  ///
  /// What was pending still is. To try again with what the store has now, roll back first:
  ///
  /// ```swift
  /// context.mergePolicy = .error
  /// var isSaved = false
  /// while !isSaved {
  ///   counter.count += 1
  ///   do {
  ///     try context.save()
  ///     isSaved = true
  ///   } catch SwiftDataError.saveConflict {
  ///     context.rollback()
  ///   }
  /// }
  /// ```
  case error
}
