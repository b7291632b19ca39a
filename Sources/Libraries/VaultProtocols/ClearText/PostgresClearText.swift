import VaultCredentials
import VaultStorage

/// `~/.pgpass`: `HOST:PORT:DATABASE:USER:PASSWORD` on each line, with a backslash before a `:` or
/// another backslash.
///
/// postgresql.org/docs, "The Password File".
enum PostgresClearText: ClearTextFormat {
  /// The line up to the password, the fields before it, and the password.
  private static func parts(
    _ line: String
  ) -> (entry: String, fields: [String], password: String)? {
    guard !line.begins(with: "#") else { return nil }
    var fields: [[UInt8]] = [[]]
    var front: [UInt8] = []
    var isEscaped = false
    for byte in line.utf8 where byte != 0x0D {
      if fields.count < 5 { front.append(byte) }
      if isEscaped || (byte != UInt8(ascii: "\\") && byte != UInt8(ascii: ":")) {
        fields[fields.count - 1].append(byte)
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if fields.count < 5 {
        fields.append([])
      } else {
        // libpq ends the password here.
        break
      }
    }
    let texts = fields.map { String(decoding: $0, as: UTF8.self) }
    guard texts.count == 5, !texts[4].isEmpty else { return nil }
    return (
      String(decoding: front.dropLast(), as: UTF8.self), Array(texts.dropLast()), texts[4]
    )
  }

  static func secrets(in text: String) throws -> [ClearTextSecret] {
    var seen: Set<String> = []
    return try text.parts(at: "\n", keepsEmpty: true).compactMap { line in
      guard let (entry, fields, password) = parts(String(line)),
        seen.insert("\(entry) \(password)").inserted
      else {
        return nil
      }
      let name = fields[0].isSame(as: "*") ? "any" : fields[0]
      let host = fields[1].isEmpty || fields[1].isSame(as: "*") ? name : "\(name):\(fields[1])"
      return try .inVariable(
        entry, password,
        name: ["postgresql", host] + fields[2...].filter { !$0.isSame(as: "*") && !$0.isEmpty },
        [
          ServiceCredential.client: "postgresql", ServiceCredential.server: entry,
          ServiceCredential.account: fields[3],
        ], "PGPASSWORD")
    }
  }

  static func removing(_ entries: Set<String>, from text: String) -> String {
    text.parts(at: "\n", keepsEmpty: true).filter { line in
      !(parts(String(line)).map { entries.contains($0.entry) } ?? false)
    }.map { String($0) }.joined(separator: "\n")
  }

  static func adding(_ value: ClearTextValue, to text: String) throws -> String {
    let line = "\(value.entry):\(try SecretEncoding.pgpass.word(value.main))"
    var lines = text.parts(at: "\n", keepsEmpty: true).map(String.init)
    guard let own = parts("\(value.entry):x")?.fields else { throw ClearTextProgram.notALine }
    // libpq takes the first line that matches: one that means more comes behind.
    let isWider = { (other: String) in
      parts(other).map { other in
        zip(other.fields, own).allSatisfy { $0.isSame(as: "*") || $0.isSame(as: $1) }
      } ?? false
    }
    if let place = lines.firstIndex(where: isWider) {
      lines.insert(line, at: place)
      return lines.joined(separator: "\n")
    }
    return text.isEmpty || text.ends(with: "\n") ? "\(text)\(line)\n" : "\(text)\n\(line)\n"
  }

  static func doubtfulLines(in text: String) -> [Int] {
    lines(in: text, comments: ["#"]) { $0.utf8.count { $0 == 0x3A } >= 4 }
  }
}
