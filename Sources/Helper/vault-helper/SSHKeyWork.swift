import Glibc
import VaultSSHKeys
import VaultSealing
import VaultStorage
import VaultTerminal

/// Makes a key of ssh, or reads one from a file, for the command, which stores it.
enum SSHKeyWork {
  static let verb = "ssh-key"
  private static let limit = 64 << 10

  /// Does what the order says, answers, and ends the process.
  ///
  /// - Parameters:
  ///   - orders: A document in JSON, and what it says is in front of it: a file, and its passphrase.
  ///   - answers: Where the key goes: a line with its public part, and its file.
  static func run(orders: Int32, answers: Int32) -> Never {
    do {
      let file = try key(orders)
      let text = try file.text()
      let head = JSONValue.object([
        ("publicKey", .string(file.key.publicKey.line(comment: file.comment))),
        ("type", .string(file.key.publicKey.type)),
        ("fingerprint", .string(file.key.publicKey.fingerprint)),
      ])
      try Array("\(HelperProgram.readyAnswer)\n\(head.text())\n".utf8)
        .withRawSpan { try System.writeAll(answers, $0) }
      try text.withBytes { try System.writeAll(answers, $0) }
      exit(0)
    } catch {
      let (code, message) = words(of: error)
      HelperAnswer.write(code, message, to: answers)
      exit(1)
    }
  }

  private static func key(_ orders: Int32) throws -> SSHKeyFile {
    let whole = try SecretInput.read(orders, limit: limit)
    close(orders)
    let unreadable = HelperFailure("the order cannot be read")
    // The number of parts, each with the four bytes of its length, and the document.
    var place = 1
    var parts: [SecretBytes] = []
    guard whole.count > 0 else { throw unreadable }
    let count = Int(whole.withBytes { $0.byte(at: 0) })
    for _ in 0..<count {
      guard whole.count - place >= 4 else { throw unreadable }
      let length = Int(whole.withBytes { $0.littleEndian(UInt32.self, at: place) })
      place += 4
      guard length <= whole.count - place else { throw unreadable }
      parts.append(try whole.slice(place..<place + length))
      place += length
    }
    let text = whole.withBytes { $0.array(place..<$0.byteCount) }
    guard let document = try? JSONValue.parse(text),
      let comment = document["comment"]?.scalarText
    else { throw unreadable }
    if let kind = document["type"]?.scalarText.flatMap(SSHPrivateKey.Kind.init(rawValue:)) {
      return SSHKeyFile(try SSHPrivateKey(kind), comment: comment)
    }
    guard let file = parts.first else { throw unreadable }
    let read = try Self.read(file, passphrase: parts.dropFirst().first)
    return comment.isEmpty ? read : SSHKeyFile(read.key, comment: comment)
  }

  private static func read(_ file: SecretBytes, passphrase: SecretBytes?) throws -> SSHKeyFile {
    do {
      return try SSHKeyFile(file)
    } catch let error as SSHKeyError {
      guard error.code == .encrypted, let passphrase else { throw error }
      return try SSHKeyFile(SSHKeygen.opened(file, passphrase: passphrase))
    }
  }

  private static func words(of error: any Error) -> (code: String, message: String) {
    switch error {
    case let error as SSHKeyError: (error.code.rawValue, error.message)
    case SSHKeygen.Failure.wrongPassphrase:
      (SSHKeyError.Code.wrongPassphrase.rawValue, "the passphrase is not that of the key")
    case SSHKeygen.Failure.notInstalled:
      ("program-missing", "ssh-keygen is not installed, which takes the passphrase off a key")
    case SSHKeygen.Failure.other:
      (SSHKeyError.Code.notAKey.rawValue, "ssh-keygen cannot read the key")
    default: HelperAnswer.words(of: error)
    }
  }
}
