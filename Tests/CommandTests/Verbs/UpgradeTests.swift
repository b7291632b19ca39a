import Foundation
import TestSupport
import Testing
import VaultCommandCore
import VaultSealing
import VaultStorage

/// `vault upgrade`: how this copy came here, and which version a file needs.
struct UpgradeTests {
  private static let marks: [(mark: String?, program: String, kind: Installation.Kind)] = [
    ("deb", "/usr/bin/vault", .deb), ("rpm\n", "/usr/bin/vault", .rpm),
    ("pacman https://vault.invalid/v1\n", "/usr/bin/lvault", .pacman),
    ("archive", "/home/me/.local/bin/vault", .archive),
    ("installer file:///mnt", "/home/me/.local/bin/vault", .installer),
    ("source", "/usr/local/bin/vault", .source), ("image", "/usr/bin/vault", .image),
    ("wheel", "/home/me/venv/bin/vault", .wheel),
    ("wheel", "/home/me/.local/share/uv/tools/vault-swift/bin/vault", .uv),
    ("wheel", "/home/me/.local/share/pipx/venvs/vault-swift/bin/vault", .pipx),
    ("nix", "/nix/store/0-vault-swift/bin/vault", .nix),
    ("homebrew", "/home/linuxbrew/.linuxbrew/Cellar/vault-swift/0.1.0/bin/vault", .homebrew),
    ("archive", "/home/me/.local/share/mise/installs/http-vault-swift/0.1.0/bin/vault", .mise),
    ("archive", "/home/me/.local/share/aquaproj-aqua/pkgs/http/x/bin/vault", .aqua),
    (nil, "/home/me/vault/.build/debug/vault", .checkout), (nil, "/opt/bin/vault", .unknown),
    ("", "/opt/bin/vault", .unknown), ("\n\n", "/opt/bin/vault", .unknown),
    ("rm -rf ~", "/opt/bin/vault", .unknown), ("\u{1B}[2J", "/opt/bin/vault", .unknown),
  ]

  @Test(arguments: marks.indices) func aMarkAndAPlaceTell(index: Int) {
    let (mark, program, kind) = Self.marks[index]
    let here = Installation(
      program: program, prefix: "/the prefix", mark: mark.map { Array($0.utf8) })
    #expect(here.kind == kind)
    #expect(!here.words.isEmpty && !here.upgrade.isEmpty && !here.downgrade.isEmpty)
    #expect((here.upgrade + here.downgrade).allSatisfy { !$0.contains(" /the prefix") })
  }

  @Test func anAddressIsShownOnlyIfItIsOne() {
    func address(_ mark: String) -> String? {
      Installation(program: "/usr/bin/vault", prefix: "/usr", mark: Array(mark.utf8)).address
    }
    #expect(
      address("deb https://vault.invalid/v1\nhttps://other.invalid") == "https://vault.invalid/v1")
    #expect(address("deb $(id)") == nil && address("deb") == nil)
    #expect(address("deb https://a.invalid/\u{1B}[2J")?.contains("\u{1B}") == false)
  }

  /// Each kind that a script writes is one that the command knows.
  @Test func everyMarkOfAPackageIsKnown() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
    var marks: Set<String> = []
    for folder in ["scripts", "Packaging"] {
      for name in try FileManager.default.contentsOfDirectory(atPath: "\(root)/\(folder)") {
        guard let text = try? String(contentsOfFile: "\(root)/\(folder)/\(name)", encoding: .utf8)
        else { continue }
        for line in text.split(separator: "\n") {
          if let found = line.firstMatch(of: /INSTALLED_BY=([a-z]+)|INSTALLED_BY:-([a-z]+)/) {
            marks.insert(String(found.output.1 ?? found.output.2 ?? ""))
          }
          if let found = line.firstMatch(of: /b"archive", b"([a-z]+)"/) {
            marks.insert(String(found.output.1))
          }
          if line.contains("installed-by"), let found = line.firstMatch(of: /['"]([a-z]+)[ @\\]/) {
            marks.insert(String(found.output.1))
          }
        }
      }
    }
    #expect(marks.isSuperset(of: ["deb", "rpm", "wheel", "image", "archive", "nix", "source"]))
    #expect(marks.subtracting(Installation.Kind.allCases.map(\.rawValue)) == [])
  }

  @Test func theCopyThatRunsSaysWhatInstalledIt() throws {
    let home = try TemporaryHome()
    let prefix = "\(home.path)/a prefix"
    for folder in ["bin", "libexec/vault"] {
      try FileManager.default.createDirectory(
        atPath: "\(prefix)/\(folder)", withIntermediateDirectories: true)
    }
    try FileManager.default.copyItem(atPath: VaultProcess.path, toPath: "\(prefix)/bin/vault")
    let mark = URL(fileURLWithPath: "\(prefix)/libexec/vault/installed-by")
    try Data("installer https://vault.invalid/v0\n".utf8).write(to: mark)
    let vault = VaultProcess(home: home.path, executable: "\(prefix)/bin/vault")
    let told = try vault.run(["upgrade"])
    #expect(told.status == 0 && told.errors.isEmpty, "\(told.errors)")
    #expect(told.text.contains("installed by install.sh: \(prefix)/bin/vault\n"), "\(told.text)")
    #expect(told.text.contains("its releases are at https://vault.invalid/v0\n"))
    #expect(told.text.contains("  sh install.sh --prefix '\(prefix)'\n"))
    let json = try vault.run(["upgrade", "--json"]).text
    #expect(json.contains("\"installedBy\": \"installer\"") && json.contains("\"vault\": null"))
    // A mark that is a folder, or endless, is none.
    try FileManager.default.removeItem(at: mark)
    try FileManager.default.createSymbolicLink(
      atPath: mark.path, withDestinationPath: "/dev/zero")
    #expect(try vault.run(["upgrade"]).text.contains("installed by something that left no mark"))
  }

  @Test func aFileSaysWhichVersionItNeeds() throws {
    let vault = try ThrowawayVault()
    try vault.set("a", "s3cr3t")
    try vault.set("a", "s3cr3t again")  // its earlier version is in the store
    let backup = "\(vault.home.path)/b"
    #expect(try vault("backup", backup).status == 0)
    let json = try vault("upgrade", "--json").text
    #expect(json.contains("\"file\": \"\(vault.path)\"") && json.contains("\"canWrite\": true"))
    #expect(
      try vault("upgrade").text.contains("a vault of format 1.0: version 0.1.0 and every later"))
    let told = try vault("upgrade", "--check", vault.path, "--check", backup)
    #expect(told.status == 0, "\(told.errors)")
    #expect(told.text.contains("\(backup) is a backup of format 1, of a vault of format 1.0: "))
    let store = "\(vault.data)/store.sqlite"
    let ofStore = try vault("upgrade", "--check", store)
    #expect(
      ofStore.status == 0 && ofStore.text.contains("a store with credentials 1."), "\(ofStore)")
    #expect(!told.text.contains("s3cr3t"))
  }

  /// A vault file with other versions in its header, whose checksum is right.
  private func changed(_ bytes: [UInt8], _ change: (inout [UInt8]) -> Void) throws -> Data {
    var bytes = bytes
    change(&bytes)
    let length = bytes[12..<16].reversed().reduce(0) { $0 << 8 | Int($1) }
    bytes.replaceSubrange(
      length - 32..<length, with: try Hash.blake2b(Array(bytes.prefix(length - 32))))
    return Data(bytes)
  }

  @Test func aNewerFileIsToldApartFromADamagedOne() throws {
    let vault = try ThrowawayVault()
    try vault.set("a", "s3cr3t")
    let bytes = Array(try #require(FileManager.default.contents(atPath: vault.path)))
    let file = URL(fileURLWithPath: "\(vault.home.path)/f")
    func told(_ data: Data) throws -> VaultProcess.Result {
      try data.write(to: file)
      return try vault("upgrade", "--check", file.path)
    }
    let minor = try told(changed(bytes) { $0[10] = 7 })
    #expect(
      minor.status == 1 && minor.text.contains("format 1.7: version 0.1.0 reads it, and only"))
    #expect(minor.errors.contains("vault upgrade"))
    let major = try told(changed(bytes) { $0[8] = 2 })
    #expect(major.status == 1 && major.text.contains("format 2.0: it needs a newer version"))
    let feature = try told(changed(bytes) { $0[40] = 1 })
    #expect(feature.status == 1 && feature.text.contains("it needs a newer version"))
    let ignored = try told(changed(bytes) { $0[45] = 1 })
    #expect(ignored.status == 0, "\(ignored)")
    // Damage never reads as newer.
    for flipped in [8, 10, 12, 40] {
      var damaged = bytes
      damaged[flipped] ^= 2
      let answer = try told(Data(damaged))
      #expect(answer.status == 65 && !answer.errors.contains("newer"), "\(flipped): \(answer)")
    }
    for length in [0, 7, 8, 15, 16, 60, 90] {
      #expect(try [64, 65].contains(told(Data(bytes.prefix(length))).status), "\(length)")
    }
    #expect(try told(Data("hello".utf8)).errors.contains("is neither a vault, nor a backup"))
    #expect(try vault("upgrade", "--check", "\(vault.home.path)/none").status == 66)
    #expect(try vault("upgrade", "--check", vault.home.path).status != 0)
  }

  @Test func aStoreOfAnotherMajorVersionNeedsANewerProgram() throws {
    let vault = try ThrowawayVault()
    for secret in ["1", "2"] { try vault.set("a", secret) }
    let store = "\(vault.data)/store.sqlite"
    for (change, status) in [("minor=99", 0), ("major=2", 1)] as [(String, Int32)] {
      do {
        let connection = try SQLiteConnection(path: store, mode: .readWrite)
        try connection.executeScript("UPDATE modules SET \(change) WHERE name='credentials'")
      }
      let told = try vault("upgrade", "--check", store)
      #expect(told.status == status, "\(change): \(told)")
    }
  }
}
