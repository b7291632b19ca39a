import FoundationEssentials
public import VaultCredentials
public import VaultSealing
import VaultStorage

/// KeePass 2's XML, which KeePassXC and KeePass import; ``ImportFormat/keepassxc`` reads it again.
///
/// keepass.info/help/base/importexport.html. Folders become groups. `user`, `url`, `notes` and
/// `otp` have places of their own, as has the secret of a note and of one-time codes; other fields,
/// attributes and the note are custom texts. What is not text, has characters that XML cannot hold,
/// or a part in braces that these programs replace, is an attachment.
public enum KeePassExport {
  /// The name of the attachment that holds a secret which is not text.
  public static let secretName = "secret"
  private static let places = ["user": "UserName", "url": "URL", "notes": "Notes", "otp": "otp"]
  private static let taken: Set<String> = [
    "Title", "UserName", "Password", "URL", "Notes", "otp",
  ]

  /// Returns a document.
  ///
  /// The document is in plain text, which passes through ordinary memory.
  ///
  /// - Parameters:
  ///   - items: The items.
  ///   - snapshot: The vault that they are in; secrets are opened one item at a time.
  ///   - progress: Called before each item with the number of those before it.
  /// - Returns: The document.
  /// - Throws: `CredentialError` with code `.itemNotFound`, `.damaged`; `SealingError` with code
  ///   `.outOfMemory`.
  public static func document(
    _ items: [Item], in snapshot: VaultSnapshot, progress: (Int) -> Void = { _ in }
  ) throws -> SecretBytes {
    let root = Group()
    var pool: [SecretBytes] = []
    for (number, item) in items.enumerated() {
      progress(number)
      let parts = item.name.text.parts(at: "/").map(String.init)
      let entry = try entry(
        snapshot.secrets(of: item), title: parts.last ?? item.name.text, &pool)
      root.group(at: parts.dropLast()).entries.append(entry)
    }
    let binaries = try pool.enumerated().map { id, bytes in
      #"<Binary ID="\#(id)" Compressed="False">\#(try Base64.encoded(bytes).text ?? "")</Binary>"#
    }
    let text =
      #"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>"# + "\n"
      + "<KeePassFile>\n<Meta><Generator>vault</Generator>"
      + "<RecycleBinEnabled>False</RecycleBinEnabled>"
      + "<Binaries>\(binaries.joined(separator: "\n"))</Binaries></Meta>\n"
      + "<Root>\n" + root.text(named: "Root") + "</Root>\n</KeePassFile>\n"
    return try SecretBytes(text: text)
  }

  /// A folder of entries.
  private final class Group {
    var entries: [String] = []
    private var names: [String] = []
    private var groups: [String: Group] = [:]

    func group(at path: ArraySlice<String>) -> Group {
      guard let name = path.first else { return self }
      let next: Group
      if let known = groups[name] {
        next = known
      } else {
        next = Group()
        groups[name] = next
        names.append(name)
      }
      return next.group(at: path.dropFirst())
    }

    func text(named name: String) -> String {
      let inner = names.map { groups[$0]?.text(named: $0) ?? "" }.joined()
      return "<Group>\(KeePassExport.id())<Name>\(KeePassExport.shown(name))</Name>\n"
        + entries.joined() + inner + "</Group>\n"
    }
  }

  private static func entry(
    _ whole: ItemWithSecrets, title: String, _ pool: inout [SecretBytes]
  ) throws -> String {
    var strings = string("Title", shown(title))
    var binaries = ""
    func attach(_ name: String, _ bytes: SecretBytes) {
      binaries +=
        "<Binary><Key>\(shown(name))</Key>"
        + "<Value Ref=\"\(pool.count)\"/></Binary>\n"
      pool.append(bytes)
    }
    if let main = plain(whole.main) {
      // Where KeePass shows a note, and finds the seed of codes.
      let place =
        switch whole.item.kind {
        case .note where whole.fields["notes"] == nil && whole.fields["otp"] == nil: "Notes"
        case .otp where whole.fields["otp"] == nil: "otp"
        default: "Password"
        }
      strings += string(place, main, isProtected: place != "Notes")
    } else {
      attach(secretName, whole.main.bytes)
    }
    var names = taken
    func free(_ name: String) -> String {
      var (free, number) = (name, 2)
      while !names.insert(free).inserted {
        free = "\(name)~\(number)"
        number += 1
      }
      return free
    }
    for (field, value) in whole.fields.sorted(by: { $0.key < $1.key }) {
      let key = places[field] ?? free(field)
      if let text = plain(value) {
        strings += string(key, text, isProtected: !whole.item.isOpen(field: field))
      } else {
        // An attachment has no place of its own.
        attach(places[field] == nil ? key : field, value.bytes)
      }
    }
    let item = whole.item
    var open = item.attributes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    if !item.note.isEmpty { open.append(("note", item.note)) }
    let (list, alone) = ExportedTags.split(item.tags)
    open += alone.map { (ExportedTags.single, $0) }
    open += list.filter { plain($0) == nil }.map { (ExportedTags.list, $0) }
    for (key, value) in open {
      if let text = plain(value) {
        strings += string(free(key), text)
      } else {
        attach(free(key), try SecretBytes(text: value))
      }
    }
    // KeePass separates tags with semicolons, and KeePassXC with commas, too.
    let tags = list.compactMap(plain).joined(separator: ";")
    let times =
      item.expires.map {
        "<Times><Expires>True</Expires><ExpiryTime>\(Timestamp.text($0))</ExpiryTime></Times>\n"
      } ?? ""
    return
      "<Entry>\(id())<Tags>\(tags)</Tags>\n"
      + "\(times)\(strings)\(binaries)</Entry>\n"
  }

  /// A value as XML has it, where it stays what it is.
  private static func plain(_ secret: Secret) -> String? { secret.text.flatMap(plain) }

  private static func plain(_ text: String) -> String? {
    KeePassPlaceholder.isIn(text) ? nil : XMLText.escaped(text)
  }

  /// A name as XML has it: U+FFFD stands for a character that XML has no form for.
  private static func shown(_ name: String) -> String {
    XMLText.escaped(name) { _ in "\u{FFFD}" } ?? ""
  }

  private static func string(_ key: String, _ value: String, isProtected: Bool = false) -> String {
    let mark = isProtected ? #" ProtectInMemory="True""# : ""
    return
      "<String><Key>\(shown(key))</Key><Value\(mark)>\(value)</Value></String>\n"
  }

  /// A new id: 16 bytes as base64.
  ///
  /// KeePassXC refuses two entries with the same one.
  private static func id() -> String {
    let bytes = try? Base64.encoded(SecretBytes(copying: RandomBytes.bytes(count: 16)))
    return "<UUID>\(bytes?.text ?? "")</UUID>"
  }
}
