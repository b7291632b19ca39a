import VaultDataStore
import VaultStorage

/// Writes what a save changes to the store's history, in the save's transaction.
struct HistoryRecording {
  private let connection: SQLiteConnection
  private let author: String?
  private var recording = DataStoreHistory.Recording()
  /// The names of changed properties as JSON, by entity.
  private var names: [Names: String] = [:]

  private struct Names: Hashable {
    let entity: Int
    let changed: PropertySet
  }

  private static let process = ProcessInfo.processInfo.processName

  /// `nil` if the store keeps no history.
  ///
  /// - Parameters:
  ///   - connection: The store's, in a transaction.
  ///   - author: Who changes.
  /// - Throws: A `StorageError`.
  init?(_ connection: SQLiteConnection, author: String?) throws {
    guard try connection.hasHistory() else { return nil }
    self.connection = connection
    self.author = author
  }

  mutating func insert(_ plan: EntityPlan, _ key: Int64) { recording.add(.insert, plan.name, key) }

  mutating func update(_ plan: EntityPlan, _ key: Int64, _ changed: PropertySet) {
    let place = Names(entity: plan.index, changed: changed)
    let text: String
    if let known = names[place] {
      text = known
    } else {
      let indices = plan.description.properties.indices.filter(changed.contains)
      guard !indices.isEmpty,
        let made = try? ValueCoding.encode(indices.map { plan.description.properties[$0].name })
      else { return }
      names[place] = made
      text = made
    }
    recording.add(.update, plan.name, key, properties: text)
  }

  /// Call it before the row is deleted.
  mutating func delete(_ plan: EntityPlan, _ key: Int64, in store: ModelStore) throws {
    recording.add(
      .delete, plan.name, key,
      tombstone: try HistoryTombstoneText.read(plan, key, connection, store))
  }

  /// The same for rows of one class.
  mutating func delete(
    _ plan: EntityPlan, _ keys: KeyRanges, in store: ModelStore
  ) throws {
    guard plan.preserved.isEmpty else {
      for key in keys.keys { try delete(plan, key, in: store) }
      return
    }
    for run in keys.ranges { recording.add(.delete, plan.name, run) }
  }

  /// Writes the changes, if there are any.
  ///
  /// - Returns: The transaction's number.
  func write() throws -> Int64? {
    guard !recording.isEmpty else { return nil }
    return try connection.writeHistory(
      recording.changes, author: author, time: Date.now.timeIntervalSinceReferenceDate,
      bundle: ApplicationData.identifier, process: Self.process)
  }
}

/// The preserved values of a deleted row as JSON: `{"name": {"text": "Rome"}}`.
enum HistoryTombstoneText {
  private enum Cell: Codable {
    case integer(Int64)
    case real(Double)
    case text(String)
    case data(Data)

    private enum CodingKeys: String, CodingKey { case integer, real, text, data }

    init?(_ slot: _AppData.Slot) {
      switch slot {
      case .integer(let value): self = .integer(value)
      case .real(let value): self = .real(value)
      case .text(let value): self = .text(value)
      case .data(let value): self = .data(value)
      default: return nil
      }
    }

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      if let value = try values.decodeIfPresent(Int64.self, forKey: .integer) {
        self = .integer(value)
      } else if let value = try values.decodeIfPresent(Double.self, forKey: .real) {
        self = .real(value)
      } else if let value = try values.decodeIfPresent(Data.self, forKey: .data) {
        self = .data(value)
      } else {
        self = .text(try values.decode(String.self, forKey: .text))
      }
    }

    func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: CodingKeys.self)
      switch self {
      case .integer(let value): try values.encode(value, forKey: .integer)
      case .real(let value): try values.encode(value, forKey: .real)
      case .text(let value): try values.encode(value, forKey: .text)
      case .data(let value): try values.encode(value, forKey: .data)
      }
    }

    var slot: _AppData.Slot {
      switch self {
      case .integer(let value): .integer(value)
      case .real(let value): .real(value)
      case .text(let value): .text(value)
      case .data(let value): .data(value)
      }
    }
  }

  /// The text of a row that is about to be deleted; `nil` if its class preserves nothing.
  static func read(
    _ plan: EntityPlan, _ key: Int64, _ connection: SQLiteConnection, _ store: ModelStore
  ) throws -> String? {
    let indices = plan.preserved
    guard !indices.isEmpty else { return nil }
    let columns = indices.compactMap { plan.slots[$0].column }.map(SQLText.name)
    let slots = try connection.first(
      "SELECT \(columns.joined(separator: ", ")) FROM \(plan.source) "
        + "WHERE \(StoredEntity.keyColumn)=?", [.integer(key)]
    ) { row in
      try indices.enumerated().map { column, index in
        let kind = plan.slots[index].kind
        return try store.large(
          (kind == .external ? .any : kind).read(row, column), plan.slots[index])
      }
    }
    guard let slots else { return nil }
    var cells: [String: Cell] = [:]
    for (index, slot) in zip(indices, slots) {
      cells[plan.description.properties[index].name] = Cell(slot)
    }
    return try ValueCoding.encode(cells)
  }

  /// The slots of a text, by property; names that the class does not have are left out.
  static func slots(_ text: String, _ plan: EntityPlan) -> [Int: _AppData.Slot] {
    let cells = (try? ValueCoding.decode(text, as: [String: Cell].self)) ?? [:]
    var slots: [Int: _AppData.Slot] = [:]
    for (name, cell) in cells {
      if let index = plan.description.index(named: name) { slots[index] = cell.slot }
    }
    return slots
  }
}
