package import VaultCredentials
package import VaultSealing
import VaultStorage
import VaultTerminal

/// A key of ssh, which the helper makes or reads: this program has none of its cryptography.
package struct SSHKeyRequest {
  /// The attribute of an item with the line of its public key; `SSHKeyItem` has it, too.
  package static let publicKeyAttribute = "public-key"
  /// The most bytes of a file.
  package static let maximumFile = 32 << 10
  private static let maximumAnswer = 64 << 10

  /// A key as it is stored.
  package struct Key {
    /// The private key, in OpenSSH's format.
    package let secret: SecretBytes
    /// The line of `.pub` files.
    package let publicKey: String
    /// Such as `ssh-ed25519`.
    package let type: String
    package let fingerprint: String
  }

  /// The words for kinds of keys.
  package static let kinds = ["ed25519", "rsa4096", "ecdsa-p256"]

  /// Makes a new key.
  ///
  /// - Parameters:
  ///   - kind: One of ``kinds``.
  ///   - comment: What follows the public key.
  /// - Returns: The key.
  /// - Throws: ``CommandError``; `TerminalError` without the helper.
  package static func make(kind: String, comment: String) throws -> Key {
    try ask([], [("type", .string(kind)), ("comment", .string(comment))])
  }

  /// Reads a key from a file.
  ///
  /// - Parameters:
  ///   - file: The file: OpenSSH's own format, or PEM.
  ///   - passphrase: Its passphrase, if it has one.
  ///   - comment: What follows the public key; the file's own if it is empty.
  /// - Returns: The key.
  /// - Throws: ``CommandError`` with code `.sshKeyEncrypted`, `.sshKeyWrongPassphrase`,
  ///   `.sshNotAKey` or `.sshKeyUnsupported`; `TerminalError` without the helper.
  package static func read(
    _ file: SecretBytes, passphrase: SecretBytes?, comment: String
  ) throws -> Key {
    guard file.count <= maximumFile else {
      throw CommandError(.sshNotAKey, "a key has at most \(maximumFile >> 10) KiB")
    }
    return try ask([file, passphrase].compactMap(\.self), [("comment", .string(comment))])
  }

  private static func ask(
    _ parts: [SecretBytes], _ order: [(String, JSONValue)]
  ) throws -> Key {
    let counted = try parts.map { part in
      try SecretBytes(capacity: 4 + part.count) { output in
        for offset in 0..<4 {
          output.write(byte: UInt8(truncatingIfNeeded: part.count >> (8 * offset)), at: offset)
        }
        part.withBytes { output.write($0, at: 4) }
        return 4 + part.count
      }
    }
    let answer = try HelperProgram.ask(
      "ssh-key", keys: counted, order: Array(JSONValue.object(order).text().utf8),
      limit: maximumAnswer)
    // The ends of the first two lines; the rest is the key.
    let ends = answer.withBytes { bytes in
      var ends: [Int] = []
      for offset in 0..<bytes.byteCount where ends.count < 2 && bytes.byte(at: offset) == 0x0A {
        ends.append(offset)
      }
      return ends
    }
    guard let first = ends.first,
      let word = answer.withBytes({ $0.text(0..<first) })
    else {
      throw CommandError(
        .unexpected, "\(HelperProgram.name) ended before it answered",
        hint: "look at the vault: \(ProgramName.current) check")
    }
    let end = ends.count > 1 ? ends[1] : answer.count
    let line = answer.withBytes { $0.array(first + 1..<end) }
    guard word == HelperProgram.readyAnswer else {
      let code = CommandError.Code(rawValue: word) ?? .unexpected
      throw CommandError(code, String(decoding: line, as: UTF8.self), hint: hint(for: code))
    }
    guard ends.count == 2, let head = try? JSONValue.parse(line),
      let publicKey = head["publicKey"]?.scalarText, let type = head["type"]?.scalarText,
      let fingerprint = head["fingerprint"]?.scalarText
    else { throw CommandError(.unexpected, "\(HelperProgram.name) gave an unusable answer") }
    return Key(
      secret: try answer.slice(end + 1..<answer.count), publicKey: publicKey, type: type,
      fingerprint: fingerprint)
  }

  private static func hint(for code: CommandError.Code) -> String? {
    switch code {
    case .sshKeyEncrypted: "give its passphrase: --key-passphrase file:PATH, or on a terminal"
    case .sshKeyUnsupported:
      "known: Ed25519, RSA from 1024 to 8192 bits, ECDSA on nistp256, nistp384 and nistp521"
    case .programMissing: "install openssh-client"
    default: nil
    }
  }

  /// The keys of a vault with their public lines, sorted by name.
  ///
  /// One whose secret came by `set` has its public key read by the helper.
  ///
  /// - Parameters:
  ///   - snapshot: The vault.
  ///   - names: Only these; all keys if there is none.
  /// - Returns: The items, each with its line.
  /// - Throws: ``CommandError`` with code `.invalidValue` for an item that is no key.
  package static func publicKeys(
    in snapshot: VaultSnapshot, names: [ItemName] = []
  ) throws -> [(item: Item, line: String)] {
    let items =
      names.isEmpty
      ? snapshot.items().filter { $0.kind == .sshKey } : try names.map { try snapshot.item($0) }
    return try items.compactMap { item in
      guard item.kind == .sshKey else {
        throw CommandError(
          .invalidValue, "\(StandardOutput.shown(item.name.text)) is no key of ssh",
          hint: "if its secret is a private key: \(ProgramName.current) set "
            + "\(Quoting.shell(item.name.text)) --kind ssh-key")
      }
      if let line = item.attributes[publicKeyAttribute].flatMap(publicLine) { return (item, line) }
      let file = try snapshot.secret(of: item).bytes
      do {
        return (item, try read(file, passphrase: nil, comment: "").publicKey)
      } catch let error as CommandError where names.isEmpty && error.code != .programMissing {
        // One that cannot be read is no reason to go without the others.
        StandardError.note(
          "\(StandardOutput.shown(item.name.text)) is left out: \(error.message)", hint: error.hint)
        return nil
      }
    }
  }

  /// The line of a public key, with a plain comment; `nil` if the text is none.
  ///
  /// An attribute may come by `set` or from a store, and a line in it be another key's.
  static func publicLine(_ text: String) -> String? {
    let words = text.utf8.split(separator: 0x20, maxSplits: 2)
      .map { String(decoding: Array($0), as: UTF8.self) }
    guard words.count >= 2, let kind = UInt8(exactly: words[0].utf8.count),
      let blob = try? Base64.decoded(words[1]),
      blob.withBytes({ bytes in
        bytes.byteCount > 4 + Int(kind)
          && bytes.array(0..<4 + Int(kind)) == [0, 0, 0, kind] + Array(words[0].utf8)
      })
    else { return nil }
    let comment = words.dropFirst(2).joined().unicodeScalars.filter { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: false
      default: true
      }
    }
    let key = "\(words[0]) \(blob.withBytes { Base64.text($0.array(0..<$0.byteCount)) })"
    return comment.isEmpty ? key : "\(key) \(String(String.UnicodeScalarView(comment)))"
  }
}
