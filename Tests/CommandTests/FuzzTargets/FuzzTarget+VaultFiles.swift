import VaultCredentials
import VaultSealing

// The vault's own files: whoever may write them may make every checksum fit, and a former holder of
// the key the seals, too. So the targets put those right, or nothing behind them would ever be
// read.
extension FuzzTarget {
  private static let key = Array(UInt8(0)..<32)
  private static let vaultID = Array(UInt8(0)..<16)

  static let vaultFiles = [
    FuzzTarget("vault-header") { input in
      var bytes = input
      // The header's length stands at 12, its checksum at its end:
      // Documentation/design/file-format.md, section 2.
      if bytes.count >= 16 {
        let length = bytes[12..<16].reversed().reduce(0) { $0 << 8 | Int($1) }
        if length >= 32, length <= bytes.count {
          let start = length - 32
          let checksum = try bytes[..<start].withRawSpan { try Hash.blake2b($0) }
          bytes.replaceSubrange(start..<length, with: checksum)
        }
      }
      _ = try VaultFile(bytes: bytes)
    },
    FuzzTarget("vault-index") { input in
      let padded = try input.withRawSpan {
        try Padding.padded($0, to: Padding.indexLength($0.byteCount))
      }
      let index = try VaultFile.decode(padded, only: nil)
      _ = UndoRecord(in: index)
      // Records are checked at once and decoded later: both must see the same.
      _ = index.itemNames
      // Who skips the other items must come to the same end.
      _ = try VaultFile.decode(padded, only: .named([Array("api-token".utf8)]))
    },
    FuzzTarget("item-contents") { input in
      let key = try SecretBytes(copying: key)
      let padded = try input.withRawSpan {
        try Padding.padded($0, to: Padding.itemLength($0.byteCount))
      }
      let sealed = try padded.withBytes {
        try AuthenticatedEncryption.seal($0, key: key, context: [])
      }
      // What is wrong inside has an error of the format, which is the module's own.
      _ = try? ItemContents(opening: sealed, key: key, context: [])
    },
    FuzzTarget("last-seen") { input in
      let key = try SecretBytes(copying: key)
      _ = try LastSeen(
        decoding: input + (try Hash.blake2b(input, key: key)), vaultID: vaultID, keys: [key])
    },
    FuzzTarget("backup") { input in
      let backup = try BackupFile(decoding: input + (try Hash.blake2b(input)))
      _ = try VaultFile(bytes: backup.vault)
    },
    FuzzTarget("recovery-code") { input in
      let key = try RecoveryCode.key(from: try SecretBytes(copying: input))
      try check(key == nil || key?.count == 20, "a code stands for \(key?.count ?? 0) bytes")
    },
  ]
}
