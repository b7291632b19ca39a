import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultSync
import VaultSyncEngines

/// A record above 1 MiB lies in parts, whatever keeps it: engines refuse what is large.
struct LargeRecordTests {
  private let folder: TemporaryHome
  private let laptop: SyncMachine
  private let desktop: SyncMachine
  private let first: SyncedVault
  private let second: SyncedVault

  init() throws {
    folder = try TemporaryHome()
    (laptop, desktop) = (try SyncMachine("laptop"), try SyncMachine("desktop"))
    let engine = FolderEngine(path: folder.path)
    first = try SyncedVault.create(laptop.vault, in: engine, at: folder.path, label: "laptop")
    try first.synchronize()
    second = try desktop.joining(first, engine)
    try first.synchronize()
  }

  /// Three versions, which are told at once.
  private func change(_ machine: SyncMachine) throws -> String {
    var value = ""
    for _ in 0..<3 {
      value = (0..<45_000).map { _ in String(UInt64.random(in: 0...UInt64.max), radix: 16) }
        .joined()
      try machine.set("large", value)
    }
    return value
  }

  private func files(_ kind: String) throws -> [(path: String, size: Int)] {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    return try paths.filter { $0.contains("/\(kind)/") }.compactMap { path in
      let path = "\(folder.path)/\(path)"
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      guard attributes[.type] as? FileAttributeType == .typeRegular else { return nil }
      return (path, attributes[.size] as? Int ?? 0)
    }
  }

  /// The list that lies in the place of the large record, and the files of its parts.
  private func parts() throws -> (list: URL, parts: [URL]) {
    let lists = try files("s").map { URL(fileURLWithPath: $0.path) }
      .filter { try Data(contentsOf: $0).starts(with: "VSP1".utf8) }
    let list = try #require(lists.first)
    let names = Array(try Data(contentsOf: list).dropFirst(36))
    let objects = try files("o").map { URL(fileURLWithPath: $0.path) }
    let parts = try stride(from: 0, to: names.count, by: 32).map { start in
      let name = names[start..<start + 32].map { byte in
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }.joined()
      return try #require(objects.first { $0.lastPathComponent == name })
    }
    return (list, parts)
  }

  @Test func aLargeRecordIsInPartsAndComesWhole() throws {
    let value = try change(laptop)
    #expect(try first.synchronize().problems.isEmpty)
    #expect(try files("s").allSatisfy { $0.size < 10_000 })
    #expect(try files("o").count > 1 && files("o").allSatisfy { $0.size <= 1 << 20 })
    #expect(try second.synchronize().problems.isEmpty)
    #expect(try desktop.get("large") == value)
    #expect(try desktop.values(of: "large").count == 3)
    // A machine that joins reads it, too.
    let phone = try SyncMachine("phone")
    _ = try phone.joining(first, FolderEngine(path: folder.path))
    #expect(try phone.get("large") == value)
    #expect(try first.synchronize(acceptingRollback: true).mended == 0)
  }

  /// A file syncer brings the list before the parts; a store loses or alters one of them.
  @Test(arguments: ["late", "lost", "altered"])
  func aPartThatIsNotThereIsWaitedForOrWrittenAgain(_ harm: String) throws {
    let value = try change(laptop)
    try first.synchronize()
    let part = try parts().parts[0]
    let bytes = try Data(contentsOf: part)
    switch harm {
    case "altered": try (bytes.dropLast() + [bytes[bytes.count - 1] ^ 1]).write(to: part)
    default: try FileManager.default.removeItem(at: part)
    }
    let report = try second.synchronize()
    #expect(report.problems.isEmpty && report.waiting == ["laptop"])
    if harm == "late" {
      try bytes.write(to: part)
    } else {
      #expect(try first.synchronize(acceptingRollback: true).mended == 1)
    }
    #expect(try second.synchronize().problems.isEmpty)
    #expect(try desktop.get("large") == value)
  }

  /// What an earlier version has written whole is taken as it is.
  @Test func aLargeRecordThatLiesWholeIsTaken() throws {
    let value = try change(laptop)
    try first.synchronize()
    let (list, parts) = try parts()
    let whole = try parts.reduce(into: Data()) { $0 += try Data(contentsOf: $1) }
    for part in parts { try FileManager.default.removeItem(at: part) }
    try whole.write(to: list)
    #expect(try second.synchronize().problems.isEmpty)
    #expect(try desktop.get("large") == value)
    #expect(try first.synchronize(acceptingRollback: true).mended == 0)
    #expect(try Data(contentsOf: list) == whole)
  }
}
