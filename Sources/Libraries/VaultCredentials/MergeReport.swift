/// The result of a merge of two files of one vault.
///
/// See ``UnlockedVault/merge(_:base:with:)``.
public struct MergeReport: Sendable, Equatable {
  /// How the other file stood to this vault.
  public enum Relation: String, Sendable {
    /// It is this file, byte for byte.
    case same
    /// This vault descends from it: there was nothing to merge.
    case older
    /// It descends from this vault, which took over what it has.
    case newer
    /// Both were changed since they parted.
    case apart
  }

  /// Two changes that did not know of each other.
  public struct Conflict: Sendable, Equatable {
    /// What was changed on both sides.
    public enum Kind: String, Sendable {
      /// A secret or a field has two values: the later one is current, the other one is an earlier
      /// version.
      case secret
      /// Two items had one name: the later one has another name now.
      case name
      /// One side removed the item for good and the other changed it: it is in the trash.
      case removal
      /// A note, an attribute, an expiry or a name has two values: the later one is current, the
      /// other one is kept beside the item.
      case property
    }

    /// What was changed on both sides.
    public let kind: Kind
    /// The item, by its name after the merge.
    public let name: ItemName
    /// The version with the value that is not current; `nil` unless two values met.
    public let version: UInt64?
    /// The name that the item had; `nil` unless two items had one name.
    public let formerName: ItemName?
    /// The machine that wrote the value that is not current; `nil` where that is not known.
    public let machine: String?
    /// The value that is not current; `nil` unless it is one of a property that has no versions.
    public let lost: LostValue?

    init(
      _ kind: Kind, _ name: ItemName, version: UInt64? = nil, formerName: ItemName? = nil,
      machine: String? = nil, lost: LostValue? = nil
    ) {
      self.kind = kind
      self.name = name
      self.version = version
      self.formerName = formerName
      self.machine = machine
      self.lost = lost
    }
  }

  /// How the other file stood to this vault.
  public var relation: Relation
  /// A Boolean value that says whether a common ancestor was at hand.
  ///
  /// Without one, a tag that one side has is kept, and of two notes the later one.
  public var hasBase = false
  /// Items that came from the other file, or out of the trash.
  public var added: [ItemName] = []
  /// Items that took over a change.
  public var changed: [ItemName] = []
  /// Items that the other side had removed.
  public var removed: [ItemName] = []
  /// Changes that did not know of each other; nothing that was typed is lost by one.
  public var conflicts: [Conflict] = []
  /// The variables that items name, of those that came and of those of which others have changed it.
  package var variables: [Variable] = []
  /// Items of the other file that are damaged and were left out.
  public var damaged: [ItemName] = []
  /// Items of a space that this vault has no room for: it keeps what it has.
  public var leftOut: [ItemName] = []
  /// The number of earlier versions that are not here: a vault file does not contain them, a backup
  /// does.
  public var missingVersions = 0

  /// An item and the environment variable that it asks for by its attribute.
  package struct Variable: Sendable, Equatable {
    /// The item.
    package let item: ItemName
    /// What is in the attribute, whatever that is.
    package let text: String
    /// Whether the item was here before, and asked for another one or for none.
    package let isChanged: Bool
  }

  /// The attribute by which an item asks for a variable.
  private static let variableAttribute = "variable"

  /// Notes an item whose attribute names another variable than before.
  mutating func noteVariable(_ item: ItemName, _ new: ItemRecord, before old: ItemRecord? = nil) {
    guard let text = new.attributes[Self.variableAttribute],
      text != old?.attributes[Self.variableAttribute]
    else { return }
    variables.append(Variable(item: item, text: text, isChanged: old != nil))
  }

  init(_ relation: Relation) { self.relation = relation }

  /// A report of no change.
  package init(unchangedBy relation: Relation) { self.relation = relation }

  /// A Boolean value that says whether the vault is as it was.
  public var isUnchanged: Bool {
    added.isEmpty && changed.isEmpty && removed.isEmpty && conflicts.isEmpty
  }

  mutating func sort() {
    added.sort()
    changed.sort()
    removed.sort()
    damaged.sort()
    leftOut.sort()
    variables.sort { $0.item < $1.item }
    conflicts.sort { $0.name < $1.name }
  }
}
