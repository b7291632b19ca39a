/// How a vault stands to its space, from what lies beside it: fast, and without the store.
public struct SyncOverview: Sendable {
  /// Where the store is.
  public let store: String
  /// What this machine is called.
  public let label: String
  /// When the store answered last, milliseconds since 1970; 0 for never.
  public let lastContact: Int64
  /// Whether something was changed here, or is not sent yet, since the last run.
  public let hasChanges: Bool
  /// The code of the last run's failure; `nil` if there was none.
  public let failure: String?
  /// Since when runs have failed so, milliseconds since 1970.
  public let failingSince: Int64?
  /// The number of machines of which records were on their way when the last run looked.
  public let waiting: Int
  /// The number of machines whose records the last run did not take, since they are wrong.
  public let stopped: Int
  /// Whether changes are brought to the store by themselves.
  public let isAutomatic: Bool
}
