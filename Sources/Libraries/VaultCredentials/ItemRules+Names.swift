import VaultSealing

/// Names that cannot be names, as they are shown and typed.
///
/// Documentation/cli.md, "Names that cannot be names".
extension ItemRules {
  /// The name of an item that is called something which cannot be a name; any other name, in NFC,
  /// stays as it is.
  ///
  /// A control character or line separator is written as `%` and two hex digits for each of its
  /// bytes, a slash that nothing stands before, or behind, as `%2F`, an empty name as `%`. Of a name
  /// of more than 1,024 bytes the first 900 stay, with `%~` and 32 digits of its hash behind them.
  /// So the name is the same on every machine.
  ///
  /// - Parameter text: What an older version, a file or a record of a space calls the item.
  /// - Returns: A name that ``ItemName/init(_:)`` takes.
  package static func mended(_ text: String) -> String {
    if let name = try? ItemName(text) { return name.text }
    let normal = UnicodeNormalization.nfc(text)
    guard !normal.isEmpty else { return "%" }
    var bytes: [UInt8] = []
    func escape(_ text: some StringProtocol) {
      for byte in text.utf8 {
        bytes.append(UInt8(ascii: "%"))
        bytes += Hexadecimal.text([byte]).uppercased().utf8
      }
    }
    let scalars = Array(normal.unicodeScalars)
    for (place, scalar) in scalars.enumerated() {
      let isLone =
        scalar == "/"
        && (bytes.isEmpty || bytes.last == UInt8(ascii: "/")
          || place == scalars.count - 1)
      if isLone || !ItemLimits.isPlain(String(scalar)) {
        escape(String(scalar))
      } else {
        bytes += String(scalar).utf8
      }
    }
    guard bytes.count > ItemName.maximumLength else {
      return UnicodeNormalization.nfc(String(decoding: bytes, as: UTF8.self))
    }
    var end = keptLength
    // Not in the middle of a character's bytes.
    while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
    let hash = (try? Hash.blake2b(Array(normal.utf8), count: 16)) ?? []
    let start = UnicodeNormalization.nfc(String(decoding: bytes[..<end], as: UTF8.self))
    return "\(start)%~\(Hexadecimal.text(hash))"
  }

  /// How many bytes of a long name stay: what makes it another name behind a `~` has room.
  private static let keptLength = 900
}

extension ItemName {
  /// The name that an item has or would have that is called `text`, also where that cannot be a
  /// name: for looking an item up, not for making one.
  ///
  /// - Parameter text: What the user wrote.
  package init(lookingUp text: String) { self.init(stored: ItemRules.mended(text)) }
}
