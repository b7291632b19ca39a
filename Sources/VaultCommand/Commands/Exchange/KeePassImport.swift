import FoundationEssentials
import VaultPreferences
import VaultSealing

/// KeePass 2's XML, as KeePassXC exports it.
///
/// keepass.info/help/base/importexport.html: groups and entries below Root, texts as String elements.
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
    try take(top, path: [], bin: bin, into: &reading)
    return reading
  }

  private static func take(
    _ group: XMLElement, path: [String], bin: String?, into reading: inout ImportReading
  ) throws {
    if let bin, !bin.isEmpty, group.text(of: "UUID") == bin {
      let count = group.descendants("Entry").count
      if count > 0 { reading.lose("the recycle bin", "\(count) removed entries") }
      return
    }
    for child in group.children {
      switch child.name {
      case "Entry": reading.items.append(try item(child, path, &reading))
      case "Group":
        let name = (child.text(of: "Name") ?? "").replacing("/", with: "-")
        try take(child, path: path + [name], bin: bin, into: &reading)
      default: break
      }
    }
  }

  private static func item(
    _ entry: XMLElement, _ path: [String], _ reading: inout ImportReading
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
      reading.lose(name, "the attachment \(binary.text(of: "Key") ?? "without a name")")
    }
    let history = entry.child("History")?.children.count ?? 0
    if history > 0 { reading.lose(name, "\(history) earlier versions") }
    return item
  }
}
