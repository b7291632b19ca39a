import Foundation
import TestSupport
import VaultDataStore
import VaultPreferences
import VaultStorage

/// A store as Core Data writes it, built table by table in a temporary folder.
struct MacStore {
  let home: TemporaryHome
  let file: DataStoreFile
  let connection: SQLiteConnection

  /// - Parameters:
  ///   - entities: Number, name and number of the superentity (0 for none), with the largest key.
  ///   - model: The model in the store; `nil` leaves it without one.
  ///   - version: The version of the schema.
  ///   - script: Tables and rows.
  /// - Throws: What SQLite says.
  init(
    _ entities: [(number: Int, name: String, superentity: Int, last: Int)],
    model: ModelArchive? = nil, version: String = "2.1.0", script: String
  ) throws {
    home = try TemporaryHome()
    file = DataStoreFile(path: "\(home.path)/Mac.store")
    connection = try SQLiteConnection(path: file.path)
    try connection.executeScript(
      """
      PRAGMA synchronous=OFF;
      CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
      CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
      CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB);
      CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZENTITY INTEGER);
      INSERT INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, 7);
      """)
    for entity in entities {
      try connection.execute(
        "INSERT INTO Z_PRIMARYKEY VALUES (?, ?, ?, ?)",
        [
          .integer(Int64(entity.number)), .text(entity.name), .integer(Int64(entity.superentity)),
          .integer(Int64(entity.last)),
        ])
    }
    let list = PropertyList.binary([
      "NSStoreModelVersionIdentifiers": [.string(version)], "NSStoreType": "SQLite",
    ])
    try connection.execute(
      "INSERT INTO Z_METADATA VALUES (1, '6E7A4E7B-5A8E-4E0F-9F59-1B0C1F0C9B11', ?)", [.blob(list)])
    if let model {
      try connection.execute("INSERT INTO Z_MODELCACHE VALUES (?)", [.blob(model.cache)])
    }
    try connection.executeScript(script)
  }

  /// Puts a file where Core Data keeps large values.
  func external(_ name: String, _ bytes: [UInt8]) throws {
    let folder = "\(home.path)/.Mac_SUPPORT/_EXTERNAL_DATA"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
  }
}

/// A model as `Z_MODELCACHE` has it: an archive of an `NSManagedObjectModel`, in DEFLATE.
///
/// The objects are laid out as in stores of Apple's own programs: the entities in a dictionary with
/// known keys, the properties of an entity in an ordinary one.
struct ModelArchive {
  indirect enum Property {
    case attribute(_ name: String, _ type: Int, optional: Bool = true, flags: Int = 0)
    /// A transformable of SwiftData's, whose values are of a Swift type.
    case archived(_ name: String, _ type: String)
    /// A structure of SwiftData's.
    case composite(_ name: String, _ elements: [Property])
    case one(
      _ name: String, _ destination: String, _ inverse: String?, optional: Bool = true,
      rule: Int = 1)
    case many(
      _ name: String, _ destination: String, _ inverse: String?, ordered: Bool = false,
      rule: Int = 1)
  }

  private var objects: [PreferenceValue] = ["$null"]
  private var classes: [String: PreferenceValue] = [:]
  private var root: PreferenceValue = .uid(0)

  /// - Parameter entities: Names with superentities and own properties; superentities come first.
  init(_ entities: [(name: String, parent: String?, properties: [Property])]) {
    var slots: [String: PreferenceValue] = [:]
    for entity in entities { slots[entity.name] = add("reserved") }
    var listed: [String: [(String, PreferenceValue)]] = [:]
    for entity in entities {
      var properties: [(String, PreferenceValue)] = []
      for (name, description) in listed[entity.parent ?? ""] ?? [] {
        // What is inherited is listed again, as a proxy.
        properties.append(
          (
            name,
            add([
              "$class": known("_NSPropertyDescriptionProxy"), "NSUnderlyingProperty": description,
              "NSEntityDescription": slots[entity.name] ?? .uid(0),
            ])
          ))
      }
      for property in entity.properties { properties.append(add(property)) }
      listed[entity.name] = properties
      let table = add([
        "$class": known("NSMutableDictionary"),
        "NS.keys": .array(properties.map { add(.string($0.0)) }),
        "NS.objects": .array(properties.map(\.1)),
      ])
      let description: PreferenceValue = [
        "$class": known("NSEntityDescription"), "NSEntityName": add(.string(entity.name)),
        "NSSuperentity": entity.parent.flatMap { slots[$0] } ?? .uid(0), "NSProperties": table,
      ]
      if case .uid(let place)? = slots[entity.name] { objects[Int(place)] = description }
    }
    let unused = add("__empty_slot_token_4c24_98dc_ac1e_b773__")
    let keys = addArray(entities.map { add(.string($0.name)) } + [add("Removed")])
    let values = addArray(entities.compactMap { slots[$0.name] } + [unused])
    let mapping = add([
      "$class": known("NSKnownKeysMappingStrategy1"), "version": 1,
      "length": .integer(Int64(entities.count + 1)), "keys": keys,
    ])
    let table = add([
      "$class": known("NSKnownKeysDictionary1"), "version": 1, "values": values,
      "searchMapping": mapping, "emptyToken": unused,
    ])
    root = add(["$class": known("NSManagedObjectModel"), "NSEntities": table])
  }

  private mutating func add(_ value: PreferenceValue) -> PreferenceValue {
    objects.append(value)
    return .uid(UInt64(objects.count - 1))
  }

  private mutating func addArray(_ elements: [PreferenceValue]) -> PreferenceValue {
    add(["$class": known("NSArray"), "NS.objects": .array(elements)])
  }

  private mutating func known(_ name: String) -> PreferenceValue {
    if let found = classes[name] { return found }
    let names =
      switch name {
      case "NSCompositeAttributeDescription":
        [name, "NSAttributeDescription", "NSPropertyDescription", "NSObject"]
      case "NSAttributeDescription", "NSRelationshipDescription":
        [name, "NSPropertyDescription", "NSObject"]
      default: [name, "NSObject"]
      }
    let found = add(["$classname": .string(name), "$classes": .array(names.map { .string($0) })])
    classes[name] = found
    return found
  }

  private mutating func add(_ property: Property) -> (String, PreferenceValue) {
    switch property {
    case .attribute(let name, let type, let optional, let flags):
      var fields: [String: PreferenceValue] = [
        "$class": known("NSAttributeDescription"), "NSPropertyName": add(.string(name)),
        "NSAttributeType": .integer(Int64(type)), "NSFlagsKey": .integer(Int64(flags)),
      ]
      if optional { fields["NSIsOptional"] = true }
      return (name, add(.dictionary(fields)))
    case .archived(let name, let type):
      return (
        name,
        add([
          "$class": known("NSAttributeDescription"), "NSPropertyName": add(.string(name)),
          "NSAttributeType": 1800, "NSFlagsKey": 0,
          "NSAttributeValueClassName": add(.string(type)),
        ])
      )
    case .composite(let name, let elements):
      let array = addArray(elements.map { add($0).1 })
      return (
        name,
        add([
          "$class": known("NSCompositeAttributeDescription"), "NSPropertyName": add(.string(name)),
          "NSAttributeType": 2100, "NSFlagsKey": 0, "NSCompositeElements": array,
        ])
      )
    case .one(let name, let destination, let inverse, let optional, let rule):
      return relationship(name, destination, inverse, optional, 1, false, rule)
    case .many(let name, let destination, let inverse, let ordered, let rule):
      return relationship(name, destination, inverse, true, 0, ordered, rule)
    }
  }

  private mutating func relationship(
    _ name: String, _ destination: String, _ inverse: String?, _ optional: Bool, _ maximum: Int64,
    _ ordered: Bool, _ rule: Int
  ) -> (String, PreferenceValue) {
    var fields: [String: PreferenceValue] = [
      "$class": known("NSRelationshipDescription"), "NSPropertyName": add(.string(name)),
      "_NSDestinationEntityName": add(.string(destination)), "NSMaxCount": .integer(maximum),
      "NSMinCount": 0, "NSDeleteRule": .integer(Int64(rule)),
    ]
    fields["_NSInverseRelationshipName"] = inverse.map { add(.string($0)) } ?? .uid(0)
    if optional { fields["NSIsOptional"] = true }
    if ordered { fields["NSIsOrdered"] = true }
    return (name, add(.dictionary(fields)))
  }

  var archive: [UInt8] {
    PropertyList.binary([
      "$version": 100_000, "$archiver": "NSKeyedArchiver", "$top": ["root": root],
      "$objects": .array(objects),
    ])
  }

  /// DEFLATE's stored blocks: RFC 1951, 3.2.4.
  var cache: [UInt8] { Self.deflated(archive) }

  /// Bytes in DEFLATE, in blocks that are stored as they are.
  static func deflated(_ plain: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = plain[...]
    repeat {
      let block = rest.prefix(65_535)
      rest = rest.dropFirst(block.count)
      let (low, high) = (UInt8(block.count & 0xff), UInt8(block.count >> 8))
      bytes += [rest.isEmpty ? 1 : 0, low, high, ~low, ~high] + block
    } while !rest.isEmpty
    return bytes
  }
}
