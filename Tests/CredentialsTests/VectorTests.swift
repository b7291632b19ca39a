import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultSealing

/// Vault files that another implementation wrote, `Vectors/make_vectors.py`, each with its outcome in its name.
struct VectorTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Vectors")

  static let names: [String] = {
    let all = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
    return (all ?? []).filter { $0.hasSuffix(".vault") }.sorted()
  }()

  @Test func thereAreVectorsOfEveryOutcome() {
    let outcomes = Set(Self.names.compactMap { $0.components(separatedBy: "--").first })
    #expect(
      outcomes == [
        "opens", "reads-only", "newer-version", "wrong-key", "weak-slot", "damaged", "item-damaged",
      ])
    #expect(Self.names.count >= 40)
  }

  @Test(arguments: names) func aVectorHasTheOutcomeInItsName(_ file: String) throws {
    let home = try TemporaryHome()
    let folder = "\(home.path)/vault"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    let bytes = try Data(contentsOf: Self.folder.appendingPathComponent(file))
    let made = FileManager.default.createFile(
      atPath: "\(folder)/secrets.vault", contents: bytes, attributes: [.posixPermissions: 0o600])
    try #require(made)
    var options = VaultOptions()
    options.usesKeyring = false
    options.sessionSeconds = 0
    let vault = try LockedVault(location: home.location, options: options).blocking
    let outcome = file.components(separatedBy: "--")[0]
    let key = try SecretBytes(copying: Array(0..<32))
    let source: KeySource =
      outcome == "weak-slot" ? .passphrase { try SecretBytes(copying: [65]) } : .key { key }
    let opening = code {
      let open = try vault.unlock(with: [source]).blocking
      // The index is read whole, too.
      _ = try open.items()
    }
    guard ["opens", "reads-only", "item-damaged"].contains(outcome) else {
      #expect(opening?.rawValue == outcome)
      return
    }
    try #require(opening == nil, "\(String(describing: opening))")
    let open = try vault.unlock(with: [source]).blocking
    let token = try ItemName("api-token")
    guard outcome != "item-damaged" else {
      #expect(code { _ = try open.get(token) } == .damaged)
      #expect(try open.check().isDamaged)
      return
    }
    #expect(try open.get(token).text == "s3cr3t")
    let write = code { try open.set(token, to: Secret("new")) }
    #expect(write == (outcome == "reads-only" ? .newerVersion : nil))
    #expect(try open.get(token).text == (outcome == "reads-only" ? "s3cr3t" : "new"))
    let after = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/secrets.vault"))
    // What this version does not know is carried over.
    if file.contains("ignorable") { #expect(after[45] == 1) }
    if file.contains("unknown-type") { #expect(after[48] == 2) }
  }
}
