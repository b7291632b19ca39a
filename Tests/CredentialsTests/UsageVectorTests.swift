import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultSealing

/// Logs of uses that another implementation wrote, `Vectors/Uses/make_uses.py`, each with what is read
/// of it and what is wrong with it.
struct UsageVectorTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Vectors")

  /// What another implementation says of a log.
  private struct Expected: Decodable {
    let uses: [Use]
    /// How many of them count: one that was repeated counts once.
    let records: Int
    let problems: [String]
  }

  private struct Use: Decodable, Equatable {
    let number: UInt64
    let time: Int64
    let id: String?
    let name: String
    let field: String?
    let verb: String
    let isAllowed: Bool
    let user: UInt32
    let loginUser: UInt32?
    let terminal: UInt32
    let controlGroup: String
    let programs: [Program]
    let purpose: String?
    let reason: String?
    let decidedBy: String?

    init(_ record: UsageRecord) {
      (number, time) = (
        record.sequence, Int64((record.time.timeIntervalSince1970 * 1000).rounded())
      )
      (id, name) = (record.itemID, record.itemName)
      field =
        switch record.field {
        case .main: nil
        case .named(let name): name
        case .all: "*"
        }
      (verb, isAllowed) = (record.verb.rawValue, record.isAllowed)
      (user, loginUser) = (record.caller.user, record.caller.loginUser)
      terminal = record.caller.terminalDevice
      controlGroup = Hexadecimal.text(record.caller.controlGroup)
      programs = record.caller.programs.map {
        Program(process: $0.pid, isPath: $0.isPath, name: Hexadecimal.text($0.name))
      }
      (purpose, reason) = (record.account.purpose, record.account.reason)
      decidedBy = record.account.by
    }
  }

  private struct Program: Decodable, Equatable {
    let process: Int32
    let isPath: Bool
    let name: String

    init(process: Int32, isPath: Bool, name: String) {
      (self.process, self.isPath, self.name) = (process, isPath, name)
    }

    init(from decoder: any Decoder) throws {
      var list = try decoder.unkeyedContainer()
      process = try list.decode(Int32.self)
      isPath = try list.decode(Bool.self)
      name = try list.decode(String.self)
    }
  }

  private static func expected() throws -> [String: Expected] {
    try JSONDecoder().decode(
      [String: Expected].self,
      from: Data(contentsOf: folder.appendingPathComponent("Uses/expected.json")))
  }

  static let names: [String] = ((try? expected()) ?? [:]).keys.sorted()

  @Test func thereAreVectorsOfEveryOutcome() throws {
    let outcomes = Set(Self.names.compactMap { $0.components(separatedBy: "--").first })
    #expect(
      outcomes == [
        "whole", "missing", "cut-off", "beginning-missing", "changed", "out-of-place", "unchained",
        "unreadable", "foreign", "head-missing", "head-changed", "head-elsewhere",
        "head-was-missing",
      ])
    #expect(try Self.expected().values.flatMap(\.uses).contains { $0.decidedBy != nil })
  }

  /// The code of a problem, as the format's description has it.
  private func code(_ problem: UsageLogReport.Problem) -> String {
    switch problem {
    case .missing: "missing"
    case .cutOff: "cut-off"
    case .beginningMissing: "beginning-missing"
    case .changed: "changed"
    case .outOfPlace: "out-of-place"
    case .unchained: "unchained"
    case .formerKey: "former-key"
    case .unreadable: "unreadable"
    case .foreign: "foreign"
    case .headMissing: "head-missing"
    case .headChanged: "head-changed"
    case .headElsewhere: "head-elsewhere"
    case .headWasMissing: "head-was-missing"
    }
  }

  @Test(arguments: names) func aLogReadsAsAnotherImplementationSays(name: String) throws {
    let expected = try #require(try Self.expected()[name])
    let vault = try ThrowawayVault()
    // The vault that the logs are of, in the place of this one.
    for (file, place) in [
      ("opens--one-item.vault", vault.path),
      ("Uses/\(name).uses", "\(vault.state)/\(Self.id).uses"),
      ("Uses/\(name).uses-head", "\(vault.state)/\(Self.id).uses-head"),
    ] {
      let source = Self.folder.appendingPathComponent(file)
      guard FileManager.default.fileExists(atPath: source.path) else {
        #expect(file.hasSuffix("head") && name.hasPrefix("head-missing"))
        continue
      }
      try Data(contentsOf: source).write(to: URL(fileURLWithPath: place))
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: place)
    }
    var options = vault.options
    options.acceptsRollback = true
    let key = try SecretBytes(copying: Array(0..<32))
    let open = try LockedVault(location: vault.location, options: options).blocking
      .unlock(with: [.key { key }])
    let snapshot = try open.blocking.read()
    let report = try snapshot.verifyUsageLog()
    #expect(report.problems.map(code) == expected.problems)
    #expect(report.records == expected.records)
    #expect(try snapshot.usage().map(Use.init) == expected.uses)
    let isTorn = name.contains("torn")
    #expect((report.tornBytes > 0) == isTorn)
    // A log that was written elsewhere goes on here, and what is wrong with it is not healed by that;
    // a file of another vault is put aside.
    let item = try #require(snapshot.items().first)
    snapshot.record([Usage(item, verb: .get)])
    let after = try snapshot.verifyUsageLog()
    #expect(after.problems.isEmpty == expected.problems.isEmpty, "\(after)")
    #expect(after.tornBytes == 0)
  }

  /// The vault's id.
  private static let id = Hexadecimal.text(Array(0..<16))
}
