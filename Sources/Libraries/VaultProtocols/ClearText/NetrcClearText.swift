import VaultCredentials
import VaultSealing
import VaultStorage

/// `~/.netrc`: words `machine HOST login USER password SECRET`, on one line or several.
///
/// curl's docs/libcurl `.netrc` and ftp(1); a macro ends with an empty line. git asks for these
/// through libcurl, so they are kept as git's own.
enum NetrcClearText: ClearTextFormat {
  /// A word of the file, with its place.
  private struct Word {
    let text: String
    let range: Range<Int>
  }

  private struct Machine {
    var host = ""
    var user = ""
    var password: String?
    /// All words that belong to it.
    var range: Range<Int>

    var entry: String { "\(host) \(user)" }
  }

  private static func machines(_ bytes: [UInt8]) -> [Machine] {
    var machines: [Machine] = []
    let words = words(bytes)
    var place = 0
    func next() -> Word? {
      place += 1
      return place < words.count ? words[place] : nil
    }
    while place < words.count {
      let word = words[place]
      switch word.text {
      case "machine":
        let host = next()
        machines.append(
          Machine(
            host: host?.text ?? "",
            range: word.range.lowerBound..<(host ?? word).range.upperBound))
      case "default": machines.append(Machine(host: "", range: word.range))
      case "login", "password", "account":
        guard let value = next(), !machines.isEmpty else { break }
        let last = machines.count - 1
        if word.text == "login" { machines[last].user = value.text }
        if word.text == "password" { machines[last].password = value.text }
        machines[last].range = machines[last].range.lowerBound..<value.range.upperBound
      default: break
      }
      place += 1
    }
    return machines
  }

  /// The words, but for those of comments and macros.
  ///
  /// In quotes a backslash keeps what follows.
  private static func words(_ bytes: [UInt8]) -> [Word] {
    var words: [Word] = []
    var place = 0
    func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
    func endOfLine(_ start: Int) -> Int {
      bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
    }
    while place < bytes.count {
      if isBlank(bytes[place]) {
        place += 1
        continue
      }
      if bytes[place] == UInt8(ascii: "#") {
        place = endOfLine(place)
        continue
      }
      let start = place
      var text: [UInt8] = []
      if bytes[place] == UInt8(ascii: "\"") {
        place += 1
        while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
          if bytes[place] == UInt8(ascii: "\\"), place + 1 < bytes.count { place += 1 }
          text.append(bytes[place])
          place += 1
        }
        place = min(place + 1, bytes.count)
      } else {
        while place < bytes.count, !isBlank(bytes[place]) {
          text.append(bytes[place])
          place += 1
        }
      }
      if text == Array("macdef".utf8) {
        var end = endOfLine(place)
        // Up to an empty line.
        while end < bytes.count, end + 1 < bytes.count, bytes[end + 1] != 0x0A {
          end = endOfLine(end + 1)
        }
        place = end
        continue
      }
      words.append(Word(text: String(decoding: text, as: UTF8.self), range: start..<place))
    }
    return words
  }

  static func secrets(in text: String) throws -> [ClearTextSecret] {
    var seen: Set<String> = []
    return try machines(Array(text.utf8)).compactMap { machine in
      guard let password = machine.password, !password.isEmpty, !machine.host.isEmpty,
        seen.insert("\(machine.entry) \(password)").inserted
      else { return nil }
      return try GitClearText.secret(
        machine.entry, scheme: "https", host: machine.host, path: "", user: machine.user,
        password: password)
    }
  }

  static func removing(_ entries: Set<String>, from text: String) -> String {
    var bytes = Array(text.utf8)
    for machine in machines(bytes).reversed() where entries.contains(machine.entry) {
      var range = machine.range
      let front = bytes[..<range.lowerBound].last == 0x0A || range.lowerBound == 0
      if front, range.upperBound < bytes.count, bytes[range.upperBound] == 0x0A {
        range = range.lowerBound..<range.upperBound + 1
      }
      bytes.removeSubrange(range)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  static func adding(_ value: ClearTextValue, to text: String) throws -> String {
    guard let (host, user) = value.entry.halves(at: " ") else { return text }
    let password = try SecretEncoding.netrc.word(value.main)
    let login = user.isEmpty ? "" : " login \(user)"
    let line = "machine \(host)\(login) password \(password)\n"
    return text.isEmpty || text.ends(with: "\n") ? text + line : "\(text)\n\(line)"
  }
}
