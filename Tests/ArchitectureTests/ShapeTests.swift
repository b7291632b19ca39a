import Foundation
import Testing

/// What `scripts/count-sources` counts of the targets whose folders have an order, and stay so.
struct ShapeTests {
  /// The targets in which no two folders name each other's types.
  private static let ordered: Set = ["VaultSync"]
  /// The types that had grown over many files, and are few verbs now.
  private static let small: Set = ["SyncedVault"]
  private static let mostMembers = 40
  /// Pairs of folders that point one way, in a target whose others do not.
  private static let parted = [
    ("VaultCredentials", ["File", "Vault"]), ("VaultCredentials", ["Copies", "Vault"]),
    ("VaultCredentials", ["Merging", "Vault"]), ("VaultCredentials", ["UsageLog", "Vault"]),
    ("VaultAppData", ["Container", "Stores"]), ("VaultAppData", ["History", "Stores"]),
    ("VaultAppData", ["Container", "History"]),
  ]

  private static let python = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin")
    .components(separatedBy: ":").map { "\($0)/python3" }
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  /// What a script prints.
  private static func output(of script: String, _ words: [String] = []) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(python))
    process.arguments = [SourceTree("scripts").path(of: script)] + words
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return text
  }

  /// The rows of the tables that the script prints, each by its first cell.
  private static func rows() throws -> [String: [String]] {
    try output(of: "count-sources").components(separatedBy: "\n").reduce(into: [:]) { rows, line in
      let cells = line.components(separatedBy: "|").map {
        $0.trimmingCharacters(in: CharacterSet(charactersIn: " `"))
      }
      if cells.count > 3 { rows[cells[1]] = Array(cells[2...].dropLast()) }
    }
  }

  @Test(.enabled(if: python != nil, "needs python3"))
  func foldersOfOrderedTargetsPointOneWay() throws {
    let rows = try Self.rows()
    for target in Self.ordered {
      let circles = try #require(rows[target]?.last, "\(target) is counted")
      #expect(circles == "–", "\(target): scripts/count-sources --target \(target) says by what")
    }
    for (target, pair) in Self.parted {
      let arrows = try Self.output(of: "count-sources", ["--target", target])
      let both =
        arrows.contains("| \(pair[0]) | \(pair[1]) |")
        && arrows.contains("| \(pair[1]) | \(pair[0]) |")
      #expect(!both, "\(target): \(pair) name each other")
    }
    for type in Self.small {
      // What is not among the largest has fewer.
      let members = rows[type]?.first.flatMap { Int($0) } ?? 0
      #expect(members <= Self.mostMembers, "\(type) has \(members) members")
    }
  }

  /// Each call that waits is written once; its async form is made of it.
  @Test(.enabled(if: python != nil, "needs python3"))
  func theAsyncCallsAreMadeOfThoseThatWait() throws {
    let file = "VaultCredentials/Async/UnlockedVault+Async.swift"
    let made = try Self.output(of: "async-calls")
    #expect(try SourceTree.sources.text(of: file) == made, "make async-calls")
    #expect(made.components(separatedBy: "public func").count > 50)
    let others = SourceTree.sources.swiftFiles(of: "VaultCredentials").filter { $0 != file }
    for other in others {
      for line in try SourceTree.sources.lines(of: other) where line.contains("try await waiting {")
      {
        Issue.record("\(other) has an async form of its own: \(line)")
      }
    }
  }
}
