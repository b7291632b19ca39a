/// When a save is on disk, and what a power cut may undo.
///
/// ```swift
/// var file = ModelConfiguration("Visits")
/// file.durability = .grouped
/// ```
///
/// A crash of the program undoes nothing that was saved, whatever is chosen, and a power cut never
/// damages a store. A store on a network file system is always ``full``. Each program that opens a
/// store chooses for its own saves.
public struct Durability: Hashable, Sendable {
  private enum Choice { case full, grouped, onCheckpoint }

  private let choice: Choice

  /// A save is on disk when it returns, and before anyone else sees it.
  ///
  /// The default. One flush of the disk for each save, one after another.
  public static let full = Durability(choice: .full)
  /// A save is on disk when it returns; saves that are made at the same time share one flush.
  ///
  /// For servers with many writers. Other contexts may see a save a moment before it is on disk: a
  /// power cut in that moment undoes what they saw, and everything that was saved after it.
  public static let grouped = Durability(choice: .grouped)
  /// A save returns before it is on disk; the log is flushed when it is moved into the file, every
  /// few megabytes.
  ///
  /// A power cut undoes the last saves, in the order in which they were made. For counters, caches,
  /// and what can be read again from elsewhere.
  public static let onCheckpoint = Durability(choice: .onCheckpoint)
}
