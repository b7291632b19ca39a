import FoundationEssentials
import VaultCredentials
package import VaultSealing

/// The folder of `pass`: a file for each secret, opened by gpg, its first line the password.
///
/// passwordstore.org, "Data Organization"; what follows the first line is as people write it.
package enum PassImport {
  private static let suffix = ".gpg"
  private static let named = [
    "user": "user", "username": "user", "login": "user", "url": "url", "website": "url",
  ]

  static func read(_ path: String) throws -> ImportReading {
    guard let names = try? FileManager.default.subpathsOfDirectory(atPath: path).sorted() else {
      throw ImportFormat.unreadable("it is no folder")
    }
    var reading = ImportReading()
    let progress = ProgressLine("opening file")
    for (number, name) in names.enumerated()
    where !name.split(separator: "/").contains(where: { $0.hasPrefix(".") }) {
      progress.show(number, of: names.count)
      let file = "\(path)/\(name)"
      var isFolder = false
      guard FileManager.default.fileExists(atPath: file, isDirectory: &isFolder), !isFolder else {
        continue
      }
      guard name.hasSuffix(suffix) else {
        reading.lose(name, "it is no .gpg file")
        continue
      }
      let run = try ChildProgram.runInstalled(
        ["gpg", "--quiet", "--decrypt", "--", file], input: .inherited)
      guard run.isSuccess else {
        reading.lose(name, "gpg could not open it")
        continue
      }
      reading.items.append(try item(String(name.dropLast(suffix.count)), run.output))
    }
    return reading
  }

  /// What a decrypted file holds: the password, then fields and notes.
  package static func item(_ name: String, _ secret: SecretBytes) throws -> ImportedItem {
    guard SecretText.isText(secret) || secret.count == 0 else {
      var item = ImportedItem(origin: name, name: name, main: secret)
      item.kind = .secret
      return item
    }
    var lines = try lines(of: secret)
    var item = ImportedItem(
      origin: name, name: name, main: lines.isEmpty ? secret : lines.removeFirst())
    var notes: [SecretBytes] = []
    for line in lines {
      if let (field, value) = try field(of: line), item.fields[field] == nil {
        item.fields[field] = value
      } else {
        notes.append(line)
      }
    }
    while let last = notes.last, last.count == 0 { notes.removeLast() }
    guard !notes.isEmpty else { return item }
    let newline = try HelperItem.bytes("\n")
    item.fields["notes"] = try SecretInput.joined(
      Array(notes.map { [$0] }.joined(separator: [newline])))
    return item
  }

  /// `user: david`, `url: …` and `otpauth://…` say what they are; any other line is a note.
  private static func field(of line: SecretBytes) throws -> (String, SecretBytes)? {
    let (key, start) = line.withBytes { bytes -> (String?, Int) in
      if bytes.byteCount > 10, bytes.text(0..<10) == "otpauth://" { return ("otp", 0) }
      for position in 0..<min(16, bytes.byteCount) where bytes.byte(at: position) == 0x3A {
        var start = position + 1
        while start < bytes.byteCount, bytes.byte(at: start) == 0x20 { start += 1 }
        return (bytes.text(0..<position).flatMap { named[$0.lowercased()] }, start)
      }
      return (nil, 0)
    }
    guard let key, start < line.count else { return nil }
    return (key, try line.slice(start..<line.count))
  }

  private static func lines(of secret: SecretBytes) throws -> [SecretBytes] {
    var ranges: [Range<Int>] = []
    secret.withBytes { bytes in
      var start = 0
      for position in 0..<bytes.byteCount where bytes.byte(at: position) == 0x0A {
        ranges.append(start..<position)
        start = position + 1
      }
      if start < bytes.byteCount { ranges.append(start..<bytes.byteCount) }
    }
    return try ranges.map { try secret.slice($0) }
  }
}
