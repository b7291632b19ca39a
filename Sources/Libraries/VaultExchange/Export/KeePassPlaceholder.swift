import VaultStorage

/// Words in braces in the place of which KeePass and KeePassXC show something else:
/// `{USERNAME}`, `{REF:P@I:…}`.
///
/// keepass.info/help/base/placeholders.html, fieldrefs.html; KeePassXC, EntryPlaceholder in
/// core/Entry.cpp.
enum KeePassPlaceholder {
  /// Whether a text has one.
  static func isIn(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    return bytes.indices.contains { start in
      guard bytes[start] == UInt8(ascii: "{"),
        let end = bytes[start...].firstIndex(of: UInt8(ascii: "}"))
      else { return false }
      let inner = String(decoding: bytes[(start + 1)..<end], as: UTF8.self).uppercased()
      let word = inner.halves(at: ":").map { String($0.before) } ?? inner
      return words.contains(word) || prefixes.contains { word.begins(with: $0) }
    }
  }

  private static let prefixes = [
    "DT_", "DB_", "GROUP", "URL", "T-", "PASSWORD", "TIMEOTP", "HMACOTP",
  ]
  private static let words: Set = [
    "TITLE", "USERNAME", "NOTES", "TOTP", "UUID", "REF", "S", "C", "BASE", "CMD", "APPDIR",
    "DOCDIR",
    "ENV_DIRSEP", "ENV_PROGRAMFILES_X86", "INTERNETEXPLORER", "FIREFOX", "OPERA", "GOOGLECHROME",
    "SAFARI", "EDGE", "NEWPASSWORD", "PICKCHARS", "PICKFIELD", "CLIPBOARD", "CLIPBOARD-SET",
  ]
}
