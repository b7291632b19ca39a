import TestSupport
import Testing
import VaultDataImport
import VaultDataStore
import VaultPreferences
import VaultStorage

/// Archives whose references lead back, or lead to one object from many places: a small file must
/// neither end the program nor keep it busy.
///
/// The adversary made the store that somebody imports.
struct HostileArchiveTests {
  /// An archive that is put together object by object.
  private struct Archive {
    var objects: [PreferenceValue] = ["$null"]

    mutating func add(_ value: PreferenceValue) -> PreferenceValue {
      objects.append(value)
      return .uid(UInt64(objects.count - 1))
    }

    mutating func named(_ classes: String...) -> PreferenceValue {
      add(["$classname": .string(classes[0]), "$classes": .array(classes.map { .string($0) })])
    }

    mutating func array(_ elements: [PreferenceValue]) -> PreferenceValue {
      add(["$class": named("NSArray", "NSObject"), "NS.objects": .array(elements)])
    }

    mutating func attribute(_ name: String) -> PreferenceValue {
      add([
        "$class": named("NSAttributeDescription", "NSPropertyDescription", "NSObject"),
        "NSPropertyName": .string(name), "NSAttributeType": 700, "NSIsOptional": true,
      ])
    }

    mutating func model(_ entities: [PreferenceValue]) -> [UInt8] {
      let model = add([
        "$class": named("NSManagedObjectModel", "NSObject"), "NSEntities": array(entities),
      ])
      return ModelArchive.deflated(bytes(model))
    }

    func bytes(_ root: PreferenceValue) -> [UInt8] {
      PropertyList.binary([
        "$version": 100_000, "$archiver": "NSKeyedArchiver", "$top": ["root": root],
        "$objects": .array(objects),
      ])
    }
  }

  private func entity(
    _ name: String, _ properties: PreferenceValue, in archive: inout Archive
  ) -> PreferenceValue {
    archive.add([
      "$class": archive.named("NSEntityDescription", "NSObject"), "NSEntityName": .string(name),
      "NSProperties": properties,
    ])
  }

  /// Imports a store of one row whose archived value is `value`.
  private func imported(_ value: [UInt8], model: [UInt8]? = nil) throws -> String {
    let store = try MacStore(
      [(1, "Trip", 0, 1)],
      model: ModelArchive([("Trip", nil, [.archived("tags", "Array<String>")])]),
      script: """
        CREATE TABLE ZTRIP (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTAGS BLOB);
        """)
    try store.connection.execute("INSERT INTO ZTRIP VALUES (1, 1, 1, ?)", [.blob(value)])
    if let model {
      try store.connection.execute("UPDATE Z_MODELCACHE SET Z_CONTENT=?", [.blob(model)])
    }
    let file = DataStoreFile(path: "\(store.home.path)/new/default.store")
    _ = try DataStoreImport(source: store.file, application: "com.example.trips").run(to: file)
    let (connection, _) = try file.open(.read)
    defer { connection.close() }
    return try connection.first("SELECT typeof(tags) FROM Trip") { $0.string(at: 0) } ?? "none"
  }

  @Test(.timeLimit(.minutes(10))) func aStringWithinItselfStaysBytes() throws {
    var archive = Archive()
    let string = archive.add("reserved")
    archive.objects[1] = ["$class": archive.named("NSString", "NSObject"), "NS.string": string]
    #expect(try imported(archive.bytes(string)) == "blob")
    // As a name in the model, too.
    let renamed = archive.add([
      "$class": archive.named("NSAttributeDescription", "NSObject"), "NSPropertyName": "tags",
      "NSAttributeType": 700, "NSRenamingIdentifier": string,
    ])
    let trip = entity("Trip", archive.array([renamed]), in: &archive)
    let model = archive.model([trip])
    #expect(CoreDataModel(cache: model) != nil)
    #expect(try imported([0], model: model) != "none")
  }

  @Test(.timeLimit(.minutes(10))) func aStringInManyStringsStaysBytes() throws {
    var archive = Archive()
    let known = archive.named("NSString", "NSObject")
    var string = archive.add("end")
    for _ in 0..<300_000 { string = archive.add(["$class": known, "NS.string": string]) }
    #expect(try imported(archive.bytes(string)) == "blob")
  }

  @Test(.timeLimit(.minutes(10)), arguments: [(10, 9), (2, 60), (1_000, 6), (1, 63)])
  func arraysOfOneArrayStayBytes(_ width: Int, _ depth: Int) throws {
    var archive = Archive()
    var value = archive.add("ha")
    for _ in 0..<depth { value = archive.array(Array(repeating: value, count: width)) }
    #expect(try imported(archive.bytes(value)) == (width == 1 ? "text" : "blob"))
  }

  @Test(.timeLimit(.minutes(10))) func anArrayOfItselfStaysBytes() throws {
    var archive = Archive()
    let array = archive.add("reserved")
    archive.objects[1] = [
      "$class": archive.named("NSArray", "NSObject"), "NS.objects": .array([array, array]),
    ]
    #expect(try imported(archive.bytes(array)) == "blob")
  }

  /// A reference costs a few bytes, and what it leads to is written once more.
  @Test(.timeLimit(.minutes(10)), arguments: [true, false])
  func oneLongTextInManyPlacesStaysBytes(isArchive: Bool) throws {
    var archive = Archive()
    let long = String(repeating: "x", count: 1 << 20)
    let text = archive.add(.string(long))
    let array = archive.array(Array(repeating: text, count: 2_000))
    let bytes =
      isArchive
      ? archive.bytes(array)
      : PropertyList.binary(.array(Array(repeating: .string(long), count: 200)))
    #expect(try imported(bytes) == "blob")
    // Once each it is an array as any other.
    let once = archive.array([text, archive.add("y")])
    #expect(try imported(archive.bytes(once)) == "text")
  }

  @Test(.timeLimit(.minutes(10))) func manyReferencesToOneEntityAreNoModel() throws {
    var archive = Archive()
    let properties = archive.array(
      Array(repeating: archive.attribute("name"), count: 3_000))
    let trip = entity("Trip", properties, in: &archive)
    #expect(CoreDataModel(cache: archive.model(Array(repeating: trip, count: 3_000))) == nil)
  }

  @Test(.timeLimit(.minutes(10)), arguments: [3, 3_000]) func entitiesInACircleAreNoModel(
    _ count: Int
  ) throws {
    var archive = Archive()
    let entities = (0..<count).map { number in
      entity(
        number == 0 ? "Trip" : "E\(number)", archive.array([archive.attribute("p\(number)")]),
        in: &archive)
    }
    for (place, reference) in entities.enumerated() {
      guard case .uid(let number) = reference,
        case .dictionary(var fields) = archive.objects[Int(number)]
      else { continue }
      fields["NSSuperentity"] = entities[(place + 1) % count]
      archive.objects[Int(number)] = .dictionary(fields)
    }
    #expect(CoreDataModel(cache: archive.model(entities)) == nil)
  }

  /// The list of entities in the store may say so, too, and it is long.
  @Test(
    .timeLimit(.minutes(10)),
    arguments: [
      (3, true), (3_000, true), (3_000, false), (10_000, false),
    ])
  func entitiesThatInheritWithoutEndAreRefused(_ count: Int, _ isCircle: Bool) throws {
    let entities = (1...count).map { number in
      (
        number: number, name: "E\(number)",
        superentity: number < count ? number + 1 : isCircle ? 1 : 0, last: 1
      )
    }
    let store = try MacStore(
      entities, script: "CREATE TABLE ZE1 (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER)")
    let error = #expect(throws: StorageError.self) {
      try DataStoreImport(source: store.file, application: "com.example.trips")
    }
    #expect(error?.code == .damaged)
  }

  /// A model as people have them is far from the limits: 300 entities, eight deep.
  @Test func aLargeHonestModelIsRead() throws {
    let model = ModelArchive(
      (0..<300).map { number in
        (
          "E\(number)", number % 8 == 0 ? nil : "E\(number - 1)",
          (0..<20).map { .attribute("p\(number)x\($0)", 700) }
        )
      })
    #expect(CoreDataModel(cache: model.cache) != nil)
  }

  /// Nor are archives: 200,000 strings, most of them one object.
  @Test func aLargeHonestArrayIsRead() throws {
    var archive = Archive()
    let word = archive.add("word")
    let many = (0..<200_000).map { $0 % 10 == 0 ? archive.add(.string("w\($0)")) : word }
    #expect(try imported(archive.bytes(archive.array(many))) == "text")
  }
}
