import Foundation
import TestSupport
import Testing
import VaultPreferences
import VaultStorage

/// The environment, a live text file and profiles as layers of a running program.
struct SchemaLayerTests {
  private static let schema = """
    environment = "ED"
    textFile = "above"
    [keys.fontSize]
    type = "integer"
    default = 12
    """
  private static let size = PreferenceKey("fontSize", default: 1)

  private let home: TemporaryHome
  private var file: String { "\(home.path)/config/com.ed.toml" }

  init() throws {
    home = try TemporaryHome()
    try FileManager.default.createDirectory(
      atPath: "\(home.path)/config", withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o755])
  }

  private func store(
    _ variables: [String: String] = [:], schema: String = Self.schema
  ) throws -> PreferenceStore {
    let store = try PreferenceStore(
      domain: "com.ed", location: home.location, managedDirectory: "\(home.path)/managed",
      siteDirectories: [], packageDirectories: [])
    let environment = ["HOME": home.path, "XDG_CONFIG_HOME": "\(home.path)/config"]
    try store.use(
      PreferenceSchema(toml: schema), environment: environment.merging(variables) { $1 })
    return store
  }

  private func write(_ text: String, atomically: Bool = true) throws {
    try text.write(toFile: file, atomically: atomically, encoding: .utf8)
  }

  /// The values of a key until one is as it should be; the test's limit of time ends the wait.
  private func wait(
    for value: Int, in stream: AsyncStream<Int>
  ) async -> [Int] {
    var seen: [Int] = []
    for await next in stream {
      seen.append(next)
      if next == value { break }
    }
    return seen
  }

  @Test func variablesComeBeforeWhatIsStored() throws {
    let store = try store(["ED_FONT_SIZE": "30", "ED_UNKNOWN": "x", "OTHER_FONT_SIZE": "9"])
    store.set(14, forKey: "fontSize")
    #expect(store.integer(forKey: "fontSize") == 30)
    #expect(try store.value(for: Self.size) == 30)
    #expect(store.dictionaryRepresentation()["fontSize"] as? Int == 30)
    #expect(store.defaultsProblems.isEmpty)
    #expect(store.synchronize())
    #expect(try self.store(["ED_FONT_SIZE": "large"]).integer(forKey: "fontSize") == 14)
    let problems = try self.store(["ED_FONT_SIZE": "large"]).defaultsProblems
    #expect(problems.first?.message.contains("ED_FONT_SIZE is not of type integer") == true)
  }

  @Test(arguments: [
    ("fontSize", "FONT_SIZE"), ("http.timeout", "HTTP_TIMEOUT"), ("URLPath", "URL_PATH"),
    ("showURL", "SHOW_URL"), ("font-size", "FONT_SIZE"), ("a1B", "A1_B"), ("é", "_"),
  ])
  func aKeyHasAVariable(key: String, name: String) {
    let layer = EnvironmentLayer(prefix: "ED", variables: ["ED_\(name)": "x"])
    #expect(layer.name(of: key) == "ED_\(name)")
    #expect(layer.value(of: key, type: nil)?.value == "x")
  }

  @Test(.timeLimit(.minutes(10)))
  func aChangeOfTheFileIsSeenAtOnceAndABrokenStateChangesNothing() async throws {
    try write("fontSize = 20\n")
    let store = try store()
    store.set(14, forKey: "fontSize")
    #expect(store.integer(forKey: "fontSize") == 20)
    let stream = store.values(of: Self.size)
    try write("fontSize = 21\n")
    #expect(await wait(for: 21, in: stream).last == 21)
    // Broken: the last good state stays, and is said with its line.
    let listening = store.values(of: Self.size)
    try write("fontSize = 22\nfontSize =\n", atomically: false)
    while store.defaultsProblems.isEmpty { await Task.yield() }
    #expect(store.integer(forKey: "fontSize") == 21)
    #expect(store.defaultsProblems.first?.message.contains("com.ed.toml: ") == true)
    #expect(store.defaultsProblems.first?.message.contains("line 2") == true)
    try write("fontSize = 23\n")
    #expect(await wait(for: 23, in: listening) == [21, 23])
    #expect(store.defaultsProblems.isEmpty)
    let gone = store.values(of: Self.size)
    try FileManager.default.removeItem(atPath: file)
    #expect(await wait(for: 14, in: gone).last == 14)
  }

  /// Dotfiles are links into another folder, a mounted configuration is a link to a link.
  @Test(.timeLimit(.minutes(10)), arguments: ["file", "folder", "later"])
  func aFileBehindALinkIsFollowed(kind: String) async throws {
    let files = FileManager.default
    for name in ["one", "two"] {
      try files.createDirectory(
        atPath: "\(home.path)/\(name)", withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o755])
      try "fontSize = \(name == "one" ? 20 : 30)\n".write(
        toFile: "\(home.path)/\(name)/f.toml", atomically: true, encoding: .utf8)
    }
    func link(_ path: String, to target: String) throws {
      let new = "\(home.path)/new"
      try files.createSymbolicLink(atPath: new, withDestinationPath: target)
      #expect(unsafe rename(new, path) == 0)
    }
    let data = "\(home.path)/config/..data"
    if kind == "folder" {
      try link(data, to: "../one")
      try link(file, to: "..data/f.toml")
    } else if kind == "file" {
      try link(file, to: "\(home.path)/one/f.toml")
    }
    let store = try store()
    #expect(store.integer(forKey: "fontSize") == (kind == "later" ? 12 : 20))
    let stream = store.values(of: Self.size)
    if kind == "later" {
      try files.createSymbolicLink(atPath: file, withDestinationPath: "../one/f.toml")
    }
    if kind == "later" { #expect(await wait(for: 20, in: stream).last == 20) }
    // Of the file at the end.
    let written = store.values(of: Self.size)
    try "fontSize = 21\n".write(
      toFile: "\(home.path)/one/f.toml", atomically: true, encoding: .utf8)
    #expect(await wait(for: 21, in: written).last == 21)
    // Of a link on the way, and then of the file that it leads to.
    let linked = store.values(of: Self.size)
    if kind == "folder" {
      try link(data, to: "../two")
    } else {
      try link(file, to: "../two/f.toml")
    }
    #expect(await wait(for: 30, in: linked).last == 30)
    let last = store.values(of: Self.size)
    try "fontSize = 31\n".write(
      toFile: "\(home.path)/two/f.toml", atomically: true, encoding: .utf8)
    #expect(await wait(for: 31, in: last).last == 31)
  }

  @Test(.timeLimit(.minutes(10)))
  func aFolderThatComesLaterIsFollowed() async throws {
    try FileManager.default.removeItem(atPath: "\(home.path)/config")
    let store = try store()
    let stream = store.values(of: Self.size)
    try FileManager.default.createDirectory(
      atPath: "\(home.path)/config", withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o755])
    try write("fontSize = 20\n")
    #expect(await wait(for: 20, in: stream).last == 20)
  }

  /// What is written while a schema comes into use is not lost.
  @Test(.timeLimit(.minutes(10)))
  func aChangeWhileASchemaComesIntoUseIsSeen() async throws {
    try write("fontSize = 1\n")
    let store = try store()
    let schema = try PreferenceSchema(toml: Self.schema)
    let environment = ["HOME": home.path, "XDG_CONFIG_HOME": "\(home.path)/config"]
    let file = file
    for round in 2..<60 {
      async let done: Void = Task.detached {
        for part in 0..<4 {
          try "fontSize = \(round * 10 + part)\n".write(
            toFile: file, atomically: true, encoding: .utf8)
        }
      }.value
      try store.use(schema, environment: environment)
      try await done
      while store.integer(forKey: "fontSize") != round * 10 + 3 { await Task.yield() }
    }
  }

  /// As the page has it: without a schema that is installed, the program's keys say their types.
  @Test func aVariableHasTheTypeOfTheProgramsKey() throws {
    let store = try PreferenceStore(
      domain: "com.ed", location: home.location, managedDirectory: "\(home.path)/managed",
      siteDirectories: [], packageDirectories: [])
    try store.use(
      PreferenceSchema(keys: [Self.size.schema], environmentPrefix: "ED", textFile: .above),
      environment: ["HOME": home.path, "ED_FONT_SIZE": "30"])
    #expect(try store.value(for: Self.size) == 30)
  }

  @Test func belowWhatIsStoredTheFileGivesDefaults() throws {
    try write("fontSize = 20\nother = \"x\"\n")
    let store = try store(
      schema: Self.schema.replacingOccurrences(of: "above", with: "below"))
    #expect(store.integer(forKey: "fontSize") == 20)
    #expect(store.string(forKey: "other") == "x")
    store.set(14, forKey: "fontSize")
    #expect(store.integer(forKey: "fontSize") == 14)
  }

  @Test(.timeLimit(.minutes(10)))
  func profilesAreStackedAndFollowed() async throws {
    let store = try store()
    let other = try PreferenceStore(
      domain: "com.ed", location: home.location, managedDirectory: "\(home.path)/managed")
    store.set(14, forKey: "fontSize")
    #expect(store.synchronize())
    let stream = store.values(of: Self.size)
    try other.transaction { batch in
      try batch.set(40, forKey: "fontSize", in: PreferenceDomain("com.ed/big"))
      try batch.set(90, forKey: "fontSize", in: PreferenceDomain("com.ed/huge"))
    }
    #expect(store.integer(forKey: "fontSize") == 14)
    try other.setValue(["big", "huge"], forKey: "@profiles")
    #expect(other.synchronize())
    while store.integer(forKey: "fontSize") != 90 { await Task.yield() }
    // A change of a profile that is in use is a change of the program's values.
    try other.transaction {
      try $0.set(91, forKey: "fontSize", in: PreferenceDomain("com.ed/huge"))
    }
    #expect(await wait(for: 91, in: stream).last == 91)
    store.removeObject(forKey: "@profiles")
    #expect(store.integer(forKey: "fontSize") == 14)
  }
}
