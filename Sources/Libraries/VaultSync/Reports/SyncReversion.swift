/// What a machine changed since a moment and that still stands, and what comes of it if that is
/// taken back.
public struct SyncReversion: Sendable, Equatable {
  /// What becomes of an item.
  public enum Outcome: String, Sendable {
    /// Properties that the machine changed have the values before again.
    case reverted
    /// The machine made the item: it goes into the trash.
    case trashed
    /// The machine removed the item for good: it comes back.
    case restored
    /// The machine made the item, and somebody else has changed it since: it stays as it is.
    case kept
  }

  /// An item that the machine changed.
  public struct Item: Sendable, Equatable {
    /// What it is called.
    public let name: String
    /// What becomes of it.
    public let outcome: Outcome
    /// The properties that have the values before again, in words; empty for a whole item.
    public let properties: [String]
  }

  /// A key of a preference domain that the machine changed, and that has its value before again.
  public struct Preference: Sendable, Equatable {
    /// The domain.
    public let domain: String
    /// The key.
    public let key: String
  }

  /// What the machine is called.
  public let label: String
  /// What its removal has done; `nil` where it was only asked what would be taken back.
  public internal(set) var removal: SyncRemoval?
  /// The items, by name.
  public internal(set) var items: [Item] = []
  /// The keys, by domain and key.
  public internal(set) var preferences: [Preference] = []
  /// The number of records that only the machine's own clock puts before the moment.
  ///
  /// No record of another machine from before the moment knows them. They are not taken back.
  public internal(set) var unseenRecords = 0

  /// True if nothing is to be taken back.
  public var isEmpty: Bool {
    preferences.isEmpty && items.allSatisfy { $0.outcome == .kept }
  }
}
