import FoundationEssentials
import VaultCredentials
import VaultPreferences
import VaultSealing

/// KeePass 2's XML, as KeePassXC exports it.
///
/// keepass.info/help/base/importexport.html: groups and entries below Root, texts as String elements, attachments
/// in a pool below Meta.
enum KeePassImport {
  static func read(_ bytes: [UInt8]) throws -> ImportReading {
    let root: XMLElement
    do {
      root = try XMLElement.document(bytes)
    } catch {
      throw ImportFormat.unreadable("it is no XML: \(error.message)")
    }
    guard root.name == "KeePassFile", let top = root.child("Root")?.child("Group") else {
      throw ImportFormat.unreadable("it is no KeePass file")
    }
    let meta = root.child("Meta")
    let bin =
      meta?.child("RecycleBinEnabled")?.text == "False" ? nil : meta?.text(of: "RecycleBinUUID")
    var reading = ImportReading()
    let pool = Dictionary(
      (meta?.child("Binaries")?.children ?? []).map { ($0.attributes["ID"] ?? "", $0) },
      uniquingKeysWith: { first, _ in first })
    try take(top, path: [], bin: bin, pool, into: &reading)
    return reading
  }

  private static func take(
    _ group: XMLElement, path: [String], bin: String?, _ pool: [String: XMLElement],
    into reading: inout ImportReading
  ) throws {
    if let bin, !bin.isEmpty, group.text(of: "UUID") == bin {
      let count = group.descendants("Entry").count
      if count > 0 { reading.lose("the recycle bin", "\(count) removed entries") }
      return
    }
    for child in group.children {
      switch child.name {
      case "Entry": reading.items.append(try item(child, path, pool, &reading))
      case "Group":
        let name = (child.text(of: "Name") ?? "").replacing("/", with: "-")
        try take(child, path: path + [name], bin: bin, pool, into: &reading)
      default: break
      }
    }
  }

  private static func item(
    _ entry: XMLElement, _ path: [String], _ pool: [String: XMLElement],
    _ reading: inout ImportReading
  ) throws -> ImportedItem {
    var texts: [(key: String, value: String)] = []
    for string in entry.children where string.name == "String" {
      texts.append((string.text(of: "Key") ?? "", string.text(of: "Value") ?? ""))
    }
    func first(_ key: String) -> String? { texts.first { $0.key == key }?.value }
    let title = first("Title") ?? ""
    let name = (path + [title.replacing("/", with: "-")]).joined(separator: "/")
    var item = ImportedItem(
      origin: name, name: name, main: try HelperItem.bytes(first("Password") ?? ""))
    try item.add("user", first("UserName"))
    try item.add("url", first("URL"))
    try item.add("otp", first("otp"))
    try item.add("notes", first("Notes"))
    let taken: Set<String> = ["Title", "Password", "UserName", "URL", "otp", "Notes"]
    for (key, value) in texts where !taken.contains(key) { try item.add(key, value) }
    let separators: Set<Character> = [",", ";"]
    item.tags = (entry.text(of: "Tags") ?? "").split(whereSeparator: separators.contains)
      .map(\.trimmingBlanks).filter { !$0.isEmpty }
    if let times = entry.child("Times"), times.text(of: "Expires") == "True" {
      item.expires = times.text(of: "ExpiryTime").flatMap { Timestamp.date($0) }
      if item.expires == nil { reading.lose(name, "the time when it ends") }
    }
    for binary in entry.children where binary.name == "Binary" {
      let key = binary.text(of: "Key") ?? "without a name"
      let total = item.fields.values.reduce(item.main.count) { $0 + $1.count }
      if let bytes = try attachment(binary.child("Value"), pool),
        total + bytes.count <= Secret.maximumLength
      {
        item.add(key, bytes)
      } else {
        reading.lose(name, "the attachment \(key)")
      }
    }
    let history = entry.child("History")?.children.count ?? 0
    if history > 0 { reading.lose(name, "\(history) earlier versions") }
    return item
  }

  /// The bytes of an attachment; `nil` where they are not there, or cannot be read.
  ///
  /// A value refers to the pool, or holds the bytes itself: as base64, mostly of what gzip packed.
  private static func attachment(
    _ value: XMLElement?, _ pool: [String: XMLElement]
  ) throws -> SecretBytes? {
    guard let value else { return nil }
    let holder = value.attributes["Ref"].map { pool[$0] } ?? value
    guard let holder, let data = Data(base64Encoded: holder.text.trimmingBlanks) else { return nil }
    let bytes = try SecretBytes(copying: Array(data))
    guard holder.attributes["Compressed"]?.lowercased() == "true" else { return bytes }
    guard
      let run = try? ChildProgram.run(
        ["gzip", "--decompress", "--stdout"], input: .bytes(bytes), limit: Secret.maximumLength),
      run.isSuccess
    else { return nil }
    return run.output
  }
}
