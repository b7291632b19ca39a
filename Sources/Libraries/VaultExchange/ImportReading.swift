import VaultStorage

/// The result of reading another program's file: its items, and whatever could not be taken.
///
/// Nothing is dropped in silence. An item or a part of one that a vault cannot hold is a loss; a
/// change or an omission that does not matter is a note.
public struct ImportReading: Sendable {
  /// A sentence about a part of the file.
  public struct Remark: Equatable, Sendable {
    /// The place in the file: the name of an item, a row, a line.
    public let origin: String
    /// The beginning of a sentence, such as `it has no secret`.
    public let reason: String

    init(origin: String, reason: String) {
      self.origin = origin
      self.reason = reason
    }
  }

  /// The items, in the order of the file.
  public internal(set) var items: [ImportedItem] = []
  /// The parts that could not be taken.
  public internal(set) var losses: [Remark] = []
  /// The parts that were changed, or left out without a loss.
  public internal(set) var notes: [Remark] = []

  /// Creates a reading of items that come from somewhere else, such as a folder of decrypted files.
  ///
  /// - Parameter items: The items, in their order.
  public init(items: [ImportedItem] = []) { self.items = items }

  /// Adds an item.
  ///
  /// - Parameter item: The item.
  public mutating func add(_ item: ImportedItem) { items.append(item) }

  /// Adds the items of a program that has several vaults: the name of each is a folder where more
  /// than one has items.
  ///
  /// - Parameters:
  ///   - vaults: The vaults with their items.
  ///   - item: Reads an item from its JSON and its number, from 1; `nil` for one that it has noted
  ///     as lost.
  /// - Throws: What `item` throws.
  mutating func add(
    vaults: [(name: String, items: [JSONValue])],
    _ item: (JSONValue, Int, inout ImportReading) throws -> ImportedItem?
  ) throws {
    let areSeveral = vaults.count { !$0.items.isEmpty } > 1
    for vault in vaults {
      for (index, tree) in vault.items.enumerated() {
        guard var item = try item(tree, index + 1, &self) else { continue }
        if areSeveral, !vault.name.isEmpty {
          item.name = "\(vault.name.substituting("/", with: "-"))/\(item.name)"
        }
        items.append(item)
      }
    }
  }

  /// Leaves out some of the items, without a word.
  ///
  /// - Parameter isWanted: Whether an item stays.
  /// - Returns: The reading with the others.
  package func keeping(_ isWanted: (ImportedItem) -> Bool) -> ImportReading {
    var reading = self
    reading.items.removeAll { !isWanted($0) }
    return reading
  }

  /// Adds a loss.
  ///
  /// - Parameters:
  ///   - origin: The place in the file.
  ///   - reason: The beginning of a sentence.
  public mutating func lose(_ origin: String, _ reason: String) {
    losses.append(Remark(origin: origin, reason: reason))
  }

  /// Adds everything of another file.
  ///
  /// - Parameters:
  ///   - other: The reading of the file.
  ///   - file: Its name, which goes before each place.
  public mutating func add(_ other: ImportReading, of file: String) {
    func placed(_ remark: Remark) -> Remark {
      Remark(origin: "\(file): \(remark.origin)", reason: remark.reason)
    }
    items += other.items.map { item in
      var item = item
      item.origin = "\(file): \(item.origin)"
      return item
    }
    losses += other.losses.map(placed)
    notes += other.notes.map(placed)
  }

  mutating func note(_ origin: String, _ reason: String) {
    notes.append(Remark(origin: origin, reason: reason))
  }
}
