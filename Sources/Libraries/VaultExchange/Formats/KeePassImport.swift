import FoundationEssentials
import VaultCredentials
import VaultPreferences
import VaultSealing
import VaultStorage

/// KeePass 2's XML, as KeePassXC exports it.
///
/// keepass.info/help/base/importexport.html: groups and entries below Root, texts as String
/// elements, attachments in a pool below Meta.
struct KeePassImport {
  /// Unpacks an attachment; returns `nil` if it cannot.
  let decompress: (SecretBytes) throws -> SecretBytes?

  func read(_ bytes: [UInt8]) throws -> ImportReading {
    let root: XMLTree
    do {
      root = try XMLTree.document(bytes)
    } catch {
      throw ExchangeError.unreadable("it is not XML: \(error.message)")
    }
    guard root.name == "KeePassFile", let top = root.child("Root")?.child("Group") else {
      throw ExchangeError.unreadable("it is not a KeePass file")
    }
    let meta = root.child("Meta")
    let bin =
      meta?.child("RecycleBinEnabled")?.text == "False" ? nil : meta?.text(of: "RecycleBinUUID")
    var reading = ImportReading()
    let pool = Dictionary(
      (meta?.child("Binaries")?.children ?? []).map { ($0.attributes["ID"] ?? "", $0) },
      uniquingKeysWith: { first, _ in first })
    let references = KeePassReferences(root)
    try take(top, path: [], bin: bin, pool, references, into: &reading)
    return reading
  }

  private func take(
    _ group: XMLTree, path: [String], bin: String?, _ pool: [String: XMLTree],
    _ references: KeePassReferences, into reading: inout ImportReading
  ) throws {
    if let bin, !bin.isEmpty, group.text(of: "UUID") == bin {
      let count = group.descendants("Entry").count
      if count > 0 {
        reading.lose("the recycle bin", Plural.of(count, "removed entry", "removed entries"))
      }
      return
    }
    for child in group.children {
      switch child.name {
      case "Entry": reading.items.append(try item(child, path, pool, references, &reading))
      case "Group":
        let name = (child.text(of: "Name") ?? "").substituting("/", with: "-")
        try take(child, path: path + [name], bin: bin, pool, references, into: &reading)
      default: break
      }
    }
  }

  private func item(
    _ entry: XMLTree, _ path: [String], _ pool: [String: XMLTree],
    _ references: KeePassReferences, _ reading: inout ImportReading
  ) throws -> ImportedItem {
    var texts: [(key: String, value: String)] = []
    for string in entry.children where string.name == "String" {
      texts.append((string.text(of: "Key") ?? "", string.text(of: "Value") ?? ""))
    }
    func first(_ key: String) -> String? { texts.first { $0.key == key }?.value }
    let title = first("Title") ?? ""
    let name = (path + [title.substituting("/", with: "-")]).joined(separator: "/")
    for (index, text) in texts.enumerated() {
      switch references.resolved(text.value) {
      case .success(let value): texts[index].value = value
      case .failure(let failure):
        reading.lose(name, "\(text.key): \(failure.reason)")
        texts[index].value = ""
      }
    }
    var item = ImportedItem(
      origin: name, name: name, main: try SecretBytes(text: first("Password") ?? ""))
    try item.add("user", first("UserName"))
    try item.add("url", first("URL"))
    var taken: Set<String> = ["Title", "Password", "UserName", "URL", "otp", "Notes"]
    let seed = first("otp") ?? Self.olderSeed(first, &taken)
    let notes = first("Notes")
    // Where there is no password, the seed is the secret, or the text of what is a note.
    let isOpen =
      item.main.count == 0
      && !entry.children.contains {
        $0.name == "Binary" && $0.text(of: "Key")?.isSame(as: KeePassExport.secretName) == true
      }
    if isOpen, let seed, !seed.isEmpty {
      (item.main, item.kind) = (try SecretBytes(text: seed), .otp)
      try item.add("notes", notes)
    } else if isOpen, item.fields.isEmpty || first("Password") == nil, let notes, !notes.isEmpty {
      (item.main, item.kind) = (try SecretBytes(text: notes), .note)
    } else {
      try item.add("otp", seed)
      try item.add("notes", notes)
    }
    var tags: [String] = []
    for (key, value) in texts where !taken.contains(key) {
      // A second text needs another name there: `tag~2`.
      let name = key.halves(at: "~").map { String($0.before) } ?? key
      if let tag = ExportedTags.readSingle(name, value) {
        tags.append(tag)
      } else {
        try item.add(key, value)
      }
    }
    item.hasComposedName = true
    item.identify(entry.text(of: "UUID")?.trimmingBlanks, in: "keepass")
    item.tags = Self.tags(entry.text(of: "Tags") ?? "") + tags
    if let times = entry.child("Times"), times.text(of: "Expires") == "True" {
      item.expires = times.text(of: "ExpiryTime").flatMap { Timestamp.absolute($0) }
      if item.expires == nil { reading.lose(name, "its expiry time") }
    }
    for binary in entry.children where binary.name == "Binary" {
      let key = binary.text(of: "Key") ?? "without a name"
      let total = item.fields.values.reduce(item.main.count) { $0 + $1.count }
      if let bytes = try attachment(binary.child("Value"), pool),
        total + bytes.count <= Secret.maximumLength
      {
        // Where our own export puts a secret that is not text.
        if key.isSame(as: KeePassExport.secretName), item.main.count == 0 {
          item.main = bytes
        } else {
          item.add(key, bytes)
        }
      } else {
        reading.lose(name, "the attachment \(key)")
      }
    }
    try takeHistory(entry, path, pool, references, into: &item)
    return item
  }

  /// Takes earlier versions whose secrets differ from what came next: KeePass keeps one for each
  /// change, also of an icon.
  private func takeHistory(
    _ entry: XMLTree, _ path: [String], _ pool: [String: XMLTree],
    _ references: KeePassReferences, into item: inout ImportedItem
  ) throws {
    // What is lost of an earlier version is in the current one, too, or was given up.
    var scratch = ImportReading()
    var former: [(item: ImportedItem, written: Date?)] = []
    for version in entry.child("History")?.children ?? [] where version.name == "Entry" {
      let written = version.child("Times")?.text(of: "LastModificationTime")
        .flatMap { Timestamp.absolute($0) }
      former.append((try self.item(version, path, pool, references, &scratch), written))
    }
    for (number, version) in former.enumerated() {
      let next = number + 1 < former.count ? former[number + 1].item : item
      guard try version.item.digest() != next.digest() else { continue }
      item.addEarlier(version.item.main, fields: version.item.fields, written: version.written)
    }
  }

  /// Splits tags at commas and semicolons.
  static func tags(_ text: String) -> [String] {
    text.unicodeScalars.split { $0 == "," || $0 == ";" }
      .map { String($0).trimmingBlanks }.filter { !$0.isEmpty }
  }

  /// Returns the bytes of an attachment, or `nil` if they are missing or unreadable.
  ///
  /// A value refers to the pool or holds the bytes itself, as base64, and mostly packed by gzip.
  private func attachment(
    _ value: XMLTree?, _ pool: [String: XMLTree]
  ) throws -> SecretBytes? {
    guard let value else { return nil }
    let holder = value.attributes["Ref"].map { pool[$0] } ?? value
    guard let holder, let bytes = try Base64.decoded(holder.text.trimmingBlanks) else { return nil }
    guard holder.attributes["Compressed"]?.lowercased() == "true" else { return bytes }
    return try? decompress(bytes)
  }

  /// Returns a seed of one-time codes that is in other fields than `otp`, as an address.
  ///
  /// KeeTrayTOTP's fields, which KeePassXC wrote up to 2.3, and KeePass 2.47's own:
  /// keepass.info/help/base/placeholders.html#otp.
  private static func olderSeed(
    _ first: (String) -> String?, _ taken: inout Set<String>
  ) -> String? {
    var parameters = ""
    func take(_ key: String, _ name: String) {
      guard let value = first(key), !value.isEmpty else { return }
      taken.insert(key)
      parameters += "&\(name)=\(value)"
    }
    if let seed = first("TOTP Seed"), !seed.isEmpty {
      taken.formUnion(["TOTP Seed", "TOTP Settings"])
      let settings = (first("TOTP Settings") ?? "30;6").parts(at: ";")
      if let period = settings.first { parameters += "&period=\(period)" }
      if settings.count > 1 {
        parameters += settings[1] == "S" ? "&encoder=steam" : "&digits=\(settings[1])"
      }
      return "otpauth://totp/?secret=\(seed)\(parameters)"
    }
    if let seed = first("TimeOtp-Secret-Base32"), !seed.isEmpty {
      taken.insert("TimeOtp-Secret-Base32")
      take("TimeOtp-Period", "period")
      take("TimeOtp-Length", "digits")
      take("TimeOtp-Algorithm", "algorithm")
      return "otpauth://totp/?secret=\(seed)\(parameters)"
    }
    if let seed = first("HmacOtp-Secret-Base32"), !seed.isEmpty {
      taken.insert("HmacOtp-Secret-Base32")
      take("HmacOtp-Counter", "counter")
      return "otpauth://hotp/?secret=\(seed)\(parameters)"
    }
    return nil
  }
}
