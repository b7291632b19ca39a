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
    /// Whether it stands for all machines that are not named.
    var isDefault = false
    /// All words that belong to it.
    var range: Range<Int>

    var entry: String { "\(isDefault ? defaultHost : host) \(user)" }
  }

  /// What stands for the host of `default` in an entry.
  private static let defaultHost = "(default)"

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
      case "default":
        machines.append(Machine(host: "", isDefault: true, range: word.range))
      case macro:
        // It is run for the machine that it stands behind.
        guard !machines.isEmpty else { break }
        let last = machines.count - 1
        machines[last].range = machines[last].range.lowerBound..<word.range.upperBound
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
    return machines.map { machine in
      var machine = machine
      if let password = machine.password {
        (machine.user, machine.password) = GitClearText.account(machine.user, password)
      }
      return machine
    }
  }

  /// The word that begins a macro, and that stands for all of it.
  private static let macro = "macdef"

  /// The words, but for those of comments; a macro is one.
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
      if text == Array(macro.utf8) {
        var end = endOfLine(place)
        // Up to an empty line.
        while end < bytes.count, end + 1 < bytes.count, bytes[end + 1] != 0x0A {
          end = endOfLine(end + 1)
        }
        words.append(Word(text: macro, range: start..<end))
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
      guard let password = machine.password, !password.isEmpty,
        machine.isDefault || !machine.host.isEmpty,
        seen.insert("\(machine.entry) \(password)").inserted
      else { return nil }
      if machine.isDefault {
        return try .inVariable(
          machine.entry, password, name: ["netrc", "default"],
          [
            ServiceCredential.client: "netrc", ServiceCredential.server: defaultHost,
            ServiceCredential.account: machine.user,
          ], "NETRC_PASSWORD")
      }
      var secret = try GitClearText.secret(
        machine.entry, scheme: "https", host: machine.host, path: "", user: machine.user,
        password: password)
      // The file says no protocol: it is for both.
      secret?.marks = [GitRequest.anyScheme: "yes"]
      return secret
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
    let isDefault = host == defaultHost
    let line = "\(isDefault ? "default" : "machine \(host)")\(login) password \(password)\n"
    // What stands behind `default` is never reached.
    if !isDefault, let place = machines(Array(text.utf8)).first(where: \.isDefault) {
      var bytes = Array(text.utf8)
      bytes.insert(contentsOf: line.utf8, at: place.range.lowerBound)
      return String(decoding: bytes, as: UTF8.self)
    }
    return text.isEmpty || text.ends(with: "\n") ? text + line : "\(text)\n\(line)"
  }

  static func doubtfulLines(in text: String) -> [Int] {
    let bytes = Array(text.utf8)
    let words = words(bytes)
    let places = words.indices.filter { place in
      ["password", "passwd"].contains(words[place].text) && place + 1 < words.count
        && !["machine", "default", macro].contains(words[place + 1].text)
    }
    // Several may stand on one line.
    return places.map { place in bytes[..<words[place].range.lowerBound].count { $0 == 0x0A } }
      .reduce(into: []) { if $0.last != $1 { $0.append($1) } }
  }
}
