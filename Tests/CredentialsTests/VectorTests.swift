import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultSealing

/// Vault files that another implementation wrote, `Vectors/make_vectors.py`, each with its outcome
/// in its name.
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

  /// A copy of the vector where the vault file of a home is, not yet opened.
  private struct Copy {
    let home: TemporaryHome
    let vault: LockedVault.Blocking
    let outcome: String
    let source: KeySource
    var path: String { "\(home.path)/vault/secrets.vault" }

    init(_ file: String) throws {
      home = try TemporaryHome()
      try FileManager.default.createDirectory(
        atPath: "\(home.path)/vault", withIntermediateDirectories: false,
        attributes: [.posixPermissions: 0o700])
      let bytes = try Data(contentsOf: VectorTests.folder.appendingPathComponent(file))
      let isMade = FileManager.default.createFile(
        atPath: "\(home.path)/vault/secrets.vault", contents: bytes,
        attributes: [.posixPermissions: 0o600])
      try #require(isMade)
      vault = try LockedVault(location: home.location, options: .alone).blocking
      outcome = VectorTests.outcome(of: file)
      let key = try SecretBytes(copying: Array(0..<32))
      source =
        outcome == "weak-slot" ? .passphrase { try SecretBytes(copying: [65]) } : .key { key }
    }

    func open() throws -> UnlockedVault.Blocking { try vault.unlock(with: [source]).blocking }
  }

  private static func outcome(of file: String) -> String { file.components(separatedBy: "--")[0] }

  private static let opening: Set = ["opens", "reads-only"]

  @Test(arguments: names.filter { opening.contains(outcome(of: $0)) })
  func aGoodVectorOpens(_ file: String) throws {
    let copy = try Copy(file)
    let open = try copy.open()
    let token = try ItemName("api-token")
    let isReadOnly = copy.outcome == "reads-only"
    #expect(try open.items().map(\.name).contains(token))
    #expect(try open.get(token).text == "s3cr3t")
    let write = code { try open.set(token, to: Secret("new")) }
    #expect(write == (isReadOnly ? .newerVersion : nil))
    #expect(try open.get(token).text == (isReadOnly ? "s3cr3t" : "new"))
    let after = try Data(contentsOf: URL(fileURLWithPath: copy.path))
    // What this version does not know is carried over.
    if file.contains("ignorable") { #expect(after[45] == 1) }
    if file.contains("unknown-type") { #expect(after[48] == 2) }
  }

  @Test(arguments: names.filter { outcome(of: $0) == "item-damaged" })
  func aDamagedItemIsFound(_ file: String) throws {
    let copy = try Copy(file)
    let open = try copy.open()
    _ = try open.items()
    #expect(code { _ = try open.get(ItemName("api-token")) } == .damaged)
    #expect(try open.check().isDamaged)
  }

  @Test(
    arguments: names.filter {
      !opening.contains(outcome(of: $0)) && outcome(of: $0) != "item-damaged"
    })
  func aBadVectorDoesNotOpen(_ file: String) throws {
    let copy = try Copy(file)
    // The index is read whole, too.
    #expect(code { _ = try copy.open().items() }?.rawValue == copy.outcome)
  }
}
