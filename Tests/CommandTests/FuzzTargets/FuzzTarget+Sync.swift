import VaultSealing
import VaultSync
import VaultSyncEngines

// A store may hold any bytes as a record. What a record says is read after signature and key have
// fitted, but a member, and whoever has taken his machine, can sign anything.
extension FuzzTarget {
  static let sync = [
    FuzzTarget("sync-record") { input in
      // What is wrong inside has an error of the format, which is the module's own.
      guard let record = try? SyncRecord(bytes: input) else { return }
      _ = try? record.open(try SecretBytes(copying: Array(UInt8(0)..<32)))
      try check(record.bytes == input, "a record is other bytes than those it was read from")
    },
    FuzzTarget("sync-content") { input in
      func content(_ bytes: SecretBytes) -> RecordContent? { try? RecordContent(padded: bytes) }
      let padded = try input.withRawSpan {
        try Padding.padded($0, to: Padding.itemLength($0.byteCount))
      }
      guard var first = content(padded) else { return }
      // What is not known is dropped; what is left is the same, written and read again.
      first.operations.removeAll { if case .unknown = $0 { true } else { false } }
      let written = try first.padded()
      let rewritten = try content(written)?.padded()
      try check(
        rewritten.map { $0.withBytes { $0.array(0..<$0.byteCount) } }
          == written.withBytes { $0.array(0..<$0.byteCount) },
        "written and read it is another record")
    },
    FuzzTarget("engine-message") { input in
      guard let message = EngineMessage(body: input) else { return }
      try check(
        Array(message.bytes.dropFirst(4)) == input,
        "a message is other bytes than those it was read from")
    },
    FuzzTarget("invitation-code") { input in
      let typed = try SecretBytes(copying: input)
      guard let code = try? InvitationCode(typed: typed) else { return }
      let again = try? InvitationCode(typed: code.text)
      try check(again?.id == code.id, "a code is another one when it is typed as it is shown")
    },
  ]
}
