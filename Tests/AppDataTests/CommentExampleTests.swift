import Foundation
import TestSupport
import Testing

/// The examples in the comments of public declarations: each compiles.
///
/// They are fragments, so each becomes the body of a function whose parameters have the names that
/// the comments take for granted.
struct CommentExampleTests {
  private struct Example {
    let place: String
    let code: String
  }

  private static let sources = URL(fileURLWithPath: SwiftCompiler.tests)
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(
      "Sources/Libraries"
    ).path

  /// The libraries that programs import; the provider for swift-configuration has a package of its
  /// own for its tests.
  private static let libraries = [
    "VaultSealing", "VaultStorage", "VaultPreferences", "VaultCredentials",
    "VaultCredentialsTesting", "VaultExchange", "VaultPasswords", "VaultProtocols",
    "VaultTerminal", "VaultAppData", "VaultSync", "VaultSyncEngines",
  ]

  /// The examples above public declarations of a file.
  private static func examples(in file: String, named name: String) throws -> [Example] {
    let lines = try String(contentsOfFile: file, encoding: .utf8).components(separatedBy: "\n")
      .map { $0.trimmingCharacters(in: .whitespaces) }
    var found: [Example] = []
    var index = 0
    while index < lines.count {
      defer { index += 1 }
      guard lines[index] == "/// ```swift" else { continue }
      let start = index + 1
      let end = try #require(lines[start...].firstIndex(of: "/// ```"), "\(name):\(start)")
      let code = lines[start..<end].map { $0.dropFirst($0.hasPrefix("/// ") ? 4 : 3) }
      index = end
      // Below are the rest of the comment, attributes, and the declaration.
      let below = lines[end...].drop { $0.hasPrefix("//") }.prefix(6).joined(separator: " ")
      guard below.contains("public ") || below.contains("open ") else { continue }
      found.append(Example(place: "\(name):\(start)", code: code.joined(separator: "\n")))
    }
    return found
  }

  private static func all() throws -> [Example] {
    try libraries.flatMap { library in
      let files =
        FileManager.default.enumerator(atPath: "\(sources)/\(library)")?
        .compactMap { $0 as? String } ?? []
      return try files.filter { $0.hasSuffix(".swift") }.sorted().flatMap { file in
        try examples(in: "\(sources)/\(library)/\(file)", named: "\(library)/\(file)")
      }
    }
  }

  /// What a program around the fragments would have.
  private static let surroundings =
    libraries.map { "import \($0)\n" }.joined() + """
      import Foundation
      import Observation

      @Model final class Trip {
        var name: String
        var start = Date()
        var end: Date?
        init(name: String) { self.name = name }
      }
      @Model final class Counter {
        var name = ""
        var count = 0
        init() {}
      }
      @Model final class Page {
        var text = ""
        init() {}
      }
      enum TripsSchema: VersionedSchema {
        static let versionIdentifier = Schema.Version(1, 0, 0)
        static let models: [any PersistentModel.Type] = [Trip.self]
      }
      enum TripsPlan: SchemaMigrationPlan {
        static let schemas: [any VersionedSchema.Type] = [TripsSchema.self]
        static let stages: [MigrationStage] = []
      }
      struct Color {
        var bytes = Data()
        init?(_ data: Data) {}
      }
      struct Logger { func warning(_ text: String) {} }
      struct MyTool { init(vault: UnlockedVault) {} }
      let logger = Logger()
      func draw(_ theme: String, _ size: Int) {}
      func offerSetup() {}
      func reload() async throws {}

      """

  private static let keys = """
    extension PreferenceKey where Value == String {
      static let theme = PreferenceKey("theme", default: "system")
    }
    extension PreferenceKey where Value == Int {
      static let fontSize = PreferenceKey("fontSize", default: 12)
    }

    """

  /// An example as a function, or as declarations where it begins with some.
  private static func declaration(_ example: Example, number: Int) -> String {
    let code = example.code.replacing("…", with: "").split(separator: "\n")
      .filter { !$0.hasPrefix("@Test") }
    var body = code[...]
    var before: [Substring] = []
    if let first = code.first, first.hasPrefix("extension ") {
      before = Array(code.prefix { $0 != "}" }) + ["}"]
      body = code.dropFirst(before.count)
    } else if code.first == "@Model" {
      // A macro that adds conformances takes no local type.
      return "enum Example\(number) {\n\(code.joined(separator: "\n"))\n}\n"
    }
    return """
      \(before.joined(separator: "\n"))
      @MainActor func example\(number)(
        container: ModelContainer, context: ModelContext, trip: Trip, vault: UnlockedVault,
        open: UnlockedVault, locked: LockedVault, sources: [KeySource], token: Secret,
        query: ItemQuery, bytes: [UInt8], input: SecretBytes,
        key: SecretBytes, sealed: [UInt8], preferences: PreferenceStore, store: PreferenceStore,
        location: StoreLocation, file: URL, id: String, space: SyncedVault, laptop: SyncedVault,
        other: UnlockedVault
      ) async throws {
        var preferences = preferences
        do {
      #sourceLocation(file: "\(example.place.split(separator: ":")[0])", line: \
      \((Int(example.place.split(separator: ":")[1]) ?? 0) + 1 + before.count))
      \(body.joined(separator: "\n"))
      #sourceLocation()
        }
        _ = preferences
      }

      """
  }

  @Test(.enabled(if: SwiftCompiler.path != nil, "needs swiftc in PATH"))
  func everyExampleOfAPublicDeclarationCompiles() throws {
    let compiler = try #require(SwiftCompiler.path)
    let examples = try Self.all()
    #expect(examples.count > 45)
    // One program for all, but for those that declare what the others take for granted.
    let (own, common) = (
      examples.filter { $0.code.contains("extension PreferenceKey") },
      examples.filter { !$0.code.contains("extension PreferenceKey") }
    )
    for (group, isCommon) in [(common, true)] + own.map({ ([$0], false) }) {
      let home = try TemporaryHome()
      let file = "\(home.path)/examples.swift"
      let code = group.enumerated().map { Self.declaration($1, number: $0) }.joined()
      try Data((Self.surroundings + (isCommon ? Self.keys : "") + code).utf8).write(
        to: URL(fileURLWithPath: file))
      let result = try SwiftCompiler.run(
        compiler, ["-typecheck", "-parse-as-library", "-swift-version", "6", file], home: home)
      #expect(result.status == 0, "\(result.errors)")
    }
  }
}
