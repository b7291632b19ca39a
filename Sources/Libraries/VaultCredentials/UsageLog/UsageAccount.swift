/// What the log has of a use besides the item, the verb and the programs.
package struct UsageAccount: Sendable, Hashable {
  /// The longest text that is kept, in bytes.
  private static let maximum = 400

  /// What for: git's remote, ssh's host, a registry.
  package let purpose: String?
  /// Why, in the words of the program that asked; nothing of it is verified.
  package let reason: String?
  /// Who has allowed or refused it; `nil` where nobody was asked.
  package let by: String?

  /// An account; longer texts are cut.
  package init(purpose: String? = nil, reason: String? = nil, by: String? = nil) {
    (self.purpose, self.reason, self.by) = (Self.cut(purpose), Self.cut(reason), Self.cut(by))
  }

  /// Nothing but an empty text is left out, so that what is read is what was written.
  private static func cut(_ text: String?) -> String? {
    guard let text, !text.isEmpty else { return nil }
    guard text.utf8.count > maximum else { return text }
    return String(decoding: text.utf8.prefix(maximum), as: UTF8.self)
  }
}

extension UsageEntry {
  /// The parts of an account by their tags, which never change: Documentation/design/file-format.md,
  /// section 6.
  private static func parts(of account: UsageAccount) -> [(tag: UInt8, text: String?)] {
    [(1, account.purpose), (2, account.reason), (3, account.by)]
  }

  /// Writes what there is of an account, at the end of the contents.
  static func put(_ account: UsageAccount, to writer: inout ByteWriter) throws {
    for (tag, text) in parts(of: account) {
      guard let text else { continue }
      writer.put(tag)
      try writer.str16(text)
    }
  }

  /// Reads an account up to the end of the contents; parts that are not known are left out.
  static func account(
    in bytes: RawSpan, _ cursor: inout ByteCursor
  ) throws -> UsageAccount {
    var texts: [UInt8: String] = [:]
    var last: UInt8 = 0
    while cursor.offset < bytes.byteCount {
      let tag = try cursor.u8(in: bytes)
      guard tag > last else { throw FormatError.notCanonical("a use", at: cursor.offset) }
      last = tag
      texts[tag] = try cursor.str16(in: bytes)
    }
    return UsageAccount(purpose: texts[1], reason: texts[2], by: texts[3])
  }
}
