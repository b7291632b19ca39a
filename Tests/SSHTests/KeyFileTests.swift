import Foundation
import TestSupport
import Testing
import VaultSSHKeys
import VaultSealing

/// Private keys in files: ours read by ssh-keygen, ssh-keygen's read by us.
struct KeyFileTests {
  private static let hasKeygen = FileManager.default.isExecutableFile(atPath: "/usr/bin/ssh-keygen")

  private func keygen(_ arguments: [String], in folder: URL) throws -> String {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/ssh-keygen")
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "ssh-keygen \(arguments)")
    return String(decoding: output, as: UTF8.self).trimmingCharacters(in: .newlines)
  }

  private func folder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    return folder
  }

  private func bytes(_ url: URL) throws -> SecretBytes {
    try SecretBytes(copying: [UInt8](Data(contentsOf: url)))
  }

  @Test(
    .enabled(if: hasKeygen, "ssh-keygen is not installed"), arguments: SSHPrivateKey.Kind.allCases)
  func sshKeygenReadsWhatIsMade(kind: SSHPrivateKey.Kind) throws {
    let folder = try folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let key = try SSHPrivateKey(kind)
    let text = try SSHKeyFile(key, comment: "me@here").text()
    let file = folder.appendingPathComponent("key")
    try Data(text.withBytes { $0.array(0..<$0.byteCount) }).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    #expect(
      try keygen(["-y", "-f", "key"], in: folder) == key.publicKey.line(comment: "me@here"))
    #expect(
      try keygen(["-l", "-f", "key"], in: folder).contains(key.publicKey.fingerprint))
  }

  @Test(
    .enabled(if: hasKeygen, "ssh-keygen is not installed"),
    arguments: [
      ["ed25519", "-C", "x"], ["rsa", "-b", "2048"], ["rsa", "-b", "3072", "-m", "PEM"],
      ["rsa", "-b", "2048", "-m", "PKCS8"], ["ecdsa", "-b", "256"], ["ecdsa", "-b", "384"],
      ["ecdsa", "-b", "521"], ["ecdsa", "-b", "256", "-m", "PEM"],
      ["ecdsa", "-b", "521", "-m", "PKCS8"],
    ])
  func whatSSHKeygenMakesIsReadAndWritten(options: [String]) throws {
    let folder = try folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    _ = try keygen(["-q", "-N", "", "-f", "key", "-t"] + options, in: folder)
    let file = try SSHKeyFile(bytes(folder.appendingPathComponent("key")))
    let line = try String(
      contentsOf: folder.appendingPathComponent("key.pub"), encoding: .utf8)
    #expect(line.hasPrefix(file.key.publicKey.line(comment: "")))
    let again = try SSHKeyFile(file.text())
    #expect(again.key.publicKey == file.key.publicKey && again.comment == file.comment)
    let message = [UInt8](repeating: 7, count: 1000)
    for flags: SSHPrivateKey.SignatureFlags in [.sha256, .sha512] {
      let signature = try again.key.signature(of: message, flags)
      #expect(file.key.publicKey.isValid(signature, of: message))
      #expect(!file.key.publicKey.isValid(signature, of: message + [0]))
    }
  }

  @Test(
    .enabled(if: hasKeygen, "ssh-keygen is not installed"), arguments: ["RFC4716", "PEM", "PKCS8"])
  func onesWithAPassphraseSaySo(format: String) throws {
    let folder = try folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    _ = try keygen(
      ["-q", "-N", "hunter22", "-f", "key", "-t", "rsa", "-b", "2048", "-m", format], in: folder)
    let error = #expect(throws: SSHKeyError.self) {
      try SSHKeyFile(bytes(folder.appendingPathComponent("key")))
    }
    #expect(error?.code == .encrypted)
  }

  @Test func anRSAKeyDoesNotSignWithSHA1() throws {
    let key = try SSHPrivateKey(.rsa4096)
    let error = #expect(throws: SSHKeyError.self) { try key.signature(of: [1]) }
    #expect(error?.code == .weakSignature)
  }

  /// Bytes of a file changed, cut and repeated: an error each, and no crash.
  @Test func damagedFilesAreRefused() throws {
    var generator = SystemRandomNumberGenerator()
    for kind in [SSHPrivateKey.Kind.ed25519, .ecdsaP256] {
      let key = try SSHPrivateKey(kind)
      let text = try SSHKeyFile(key, comment: "c").text()
      let whole = text.withBytes { $0.array(0..<$0.byteCount) }
      for length in stride(from: 0, to: whole.count - 2, by: 3) {
        #expect(throws: (any Error).self) {
          try SSHKeyFile(SecretBytes(copying: Array(whole.prefix(length))))
        }
      }
      for _ in 0..<2000 {
        var changed = whole
        let place = Int.random(in: 40..<whole.count - 40, using: &generator)
        changed[place] = UInt8.random(in: 0...255, using: &generator)
        // A change of the comment or of the check bytes may leave a key: it is the same one.
        if let read = try? SSHKeyFile(SecretBytes(copying: changed)) {
          #expect(read.key.publicKey == key.publicKey)
        }
      }
    }
  }

  @Test func lengthsThatLieAreRefused() throws {
    for bytes: [UInt8] in [
      [], [0, 0, 0, 1], [0xFF, 0xFF, 0xFF, 0xFF], [0, 0, 0, 11] + Array("ssh-ed25519".utf8),
      [0, 0, 0, 11] + Array("ssh-ed25519".utf8) + [0x7F, 0xFF, 0xFF, 0xFF, 1],
    ] {
      #expect(throws: (any Error).self) { try SSHPublicKey(blob: bytes) }
    }
  }

  /// The vector of RFC 6979, A.2.7, for P-521: a nonce of 512 bits would give the key away.
  @Test func theNonceIsTheOneOfRFC6979() throws {
    func bytes(_ text: String) -> [UInt8] {
      stride(from: 0, to: text.count, by: 2).compactMap {
        UInt8(text.dropFirst($0).prefix(2), radix: 16)
      }
    }
    let number = bytes(
      "00fad06daa62ba3b25d2fb40133da757205de67f5bb0018fee8c86e1b68c7e75caa896eb32f1f47c70855836a6d1"
        + "6fcc1466f6d8fbec67db89ec0c08b0e996b83538")
    let point = bytes(
      "0401894550d0785932e00eaa23b694f213f8c3121f86dc97a04e5a7167db4e5bcd371123d46e45db6b5d5370a7f2"
        + "0fb633155d38ffa16d2bd761dcac474b9a2f5023a400493101c962cd4d2fddf782285e64584139c2f91b47f8"
        + "7ff82354d6630f746a28a0db25741b5b34a828008b22acc23f924faafbd4d33f81ea66956dfeaa2bfdfcf5")
    var wire: [UInt8] = []
    wire.append(string: "ecdsa-sha2-nistp521".utf8)
    wire.append(string: "nistp521".utf8)
    wire.append(string: point)
    wire.append(positive: number)
    let key = try wire.withRawSpan { span in
      var cursor = WireCursor()
      return try SSHPrivateKey(in: span, &cursor)
    }
    var both: [UInt8] = []
    both.append(
      positive: bytes(
        "00c328fafcbd79dd77850370c46325d987cb525569fb63c5d3bc53950e6d4c5f174e25a1ee9017b5d450606add"
          + "152b534931d7d4e8455cc91f9b15bf05ec36e377fa"))
    both.append(
      positive: bytes(
        "00617cce7cf5064806c467f678d3b4080d6f1cc50af26ca209417308281b68af282623eaa63e5b5c0723d8b8c3"
          + "7ff0777b1a20f8ccb1dccc43997f1ee0e44da4a67a"))
    var expected: [UInt8] = []
    expected.append(string: "ecdsa-sha2-nistp521".utf8)
    expected.append(string: both)
    #expect(try key.signature(of: Array("sample".utf8)) == expected)
  }

  @Test func anotherPublicKeyBesideTheSeedIsRefused() throws {
    let seed = [UInt8](repeating: 7, count: 32)
    let own = try SigningKey(seed: SecretBytes(copying: seed)).publicKey
    let other = try SigningKey(seed: SecretBytes(copying: [UInt8](repeating: 8, count: 32)))
      .publicKey
    for (beside, within, isKey) in [
      (own, own, true), (other, own, false), (own, other, false), (other, other, false),
    ] {
      var wire: [UInt8] = []
      wire.append(string: "ssh-ed25519".utf8)
      wire.append(string: beside)
      wire.append(string: seed + within)
      let key = try? wire.withRawSpan { span in
        var cursor = WireCursor()
        return try SSHPrivateKey(in: span, &cursor)
      }
      #expect((key != nil) == isKey)
    }
  }
}
