import Foundation
import Testing

/// What `scripts/count-sources` counts of the targets whose folders have an order, and stay so.
struct ShapeTests {
  /// The targets in which no two folders name each other's types.
  private static let ordered: Set = ["VaultSync"]
  /// The types that had grown over many files, and are few verbs now.
  private static let small: Set = ["SyncedVault"]
  private static let mostMembers = 40

  private static let python = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin")
    .components(separatedBy: ":").map { "\($0)/python3" }
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  /// The rows of the tables that the script prints, each by its first cell.
  private static func rows() throws -> [String: [String]] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(python))
    process.arguments = [SourceTree("scripts").path(of: "count-sources")]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return text.components(separatedBy: "\n").reduce(into: [:]) { rows, line in
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
    for type in Self.small {
      // What is not among the largest has fewer.
      let members = rows[type]?.first.flatMap { Int($0) } ?? 0
      #expect(members <= Self.mostMembers, "\(type) has \(members) members")
    }
  }
}
