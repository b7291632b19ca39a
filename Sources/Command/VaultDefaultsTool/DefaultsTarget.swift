package import VaultPreferences
import VaultStorage

/// The domain or file that the words of a line name.
package enum DefaultsTarget: Equatable {
  /// A domain in the store.
  case stored(PreferenceDomain)
  /// A property-list file.
  case file(String)

  /// The name for messages and lists.
  package var name: String {
    switch self {
    case .stored(let domain): DefaultsTarget.displayName(domain.name)
    case .file(let path): path
    }
  }

  /// The global domain is "Apple Global Domain" wherever `defaults` prints it.
  static func displayName(_ name: String) -> String {
    name == PreferenceDomain.globalName ? "Apple Global Domain" : name
  }

  /// Takes the words for a domain off the front.
  package static func take(
    _ words: inout ArraySlice<String>, host: PreferenceDomain.Host, home: String?
  ) throws -> DefaultsTarget {
    guard let word = words.popFirst() else { throw DefaultsUsage() }
    switch word {
    case "-g", "-globalDomain", PreferenceDomain.globalName, "Apple Global Domain":
      return .stored(PreferenceDomain(PreferenceDomain.globalName, host: host))
    case "-app":
      guard let name = words.popFirst() else { throw DefaultsUsage() }
      guard let id = DesktopEntries.identifier(of: name) else {
        throw DefaultsRefusal("Couldn't find an application named \"\(name)\"; defaults unchanged")
      }
      return .stored(PreferenceDomain(id, host: host))
    default:
      return isPath(word) ? path(word, host: host, home: home) : .stored(domain(word, host: host))
    }
  }

  /// Returns whether a word is a path.
  ///
  /// A path begins with `/`, `./`, `../` or `~` and has a slash. Any other slash is part of a
  /// domain's name.
  private static func isPath(_ word: String) -> Bool {
    let bytes = word.utf8
    return bytes.contains(0x2f)
      && ["/", "./", "../", "~"].contains { bytes.starts(with: $0.utf8) }
  }

  /// The domain that a Mac keeps in the file of this name below `~/Library/Preferences`.
  ///
  /// `NAME.plist` is NAME, `.GlobalPreferences` the global domain, and `ByHost/NAME.UUID` a domain
  /// of this host, whatever a Mac's was called.
  private static func domain(_ word: String, host: PreferenceDomain.Host) -> PreferenceDomain {
    var (name, host) = (word, host)
    if name.utf8.count > 6, name.hasSuffix(".plist") { name.removeLast(6) }
    if name.utf8.starts(with: "ByHost/".utf8) {
      name.removeFirst("ByHost/".count)
      host = .current
      if let dot = name.lastIndex(of: "."), name[dot...].utf8.count == 37 {
        name = String(name[..<dot])
      }
    }
    if name == PreferenceDomain.globalFileName { name = PreferenceDomain.globalName }
    return PreferenceDomain(name, host: host)
  }

  /// The target of a path: the file, or, if it does not exist, the domain that macOS keeps there.
  ///
  /// `~/Library/Preferences/NAME.plist` is where a Mac has the user's domain NAME, `ByHost` in it
  /// those of one host, and `/Library/Preferences/NAME.plist` what is for all users.
  private static func path(
    _ word: String, host: PreferenceDomain.Host, home: String?
  ) -> DefaultsTarget {
    var path = word
    if path.begins(with: "~/"), let home { path = home + path.dropFirst() }
    if !path.begins(with: "/") { path = UserFile.workingDirectory + "/" + path }
    let file = path.ends(with: ".plist") ? path : path + ".plist"
    if UserFile.exists(file, followingLinks: false) { return .file(file) }
    let plain = plain(file)
    guard let range = lastRange(of: "/Library/Preferences/", in: plain) else { return .file(file) }
    let name = String(plain[range.upperBound...].dropLast(".plist".count))
    if range.lowerBound == plain.startIndex {
      return .stored(PreferenceDomain("/Library/Preferences/\(name)", host: host))
    }
    return .stored(domain(name, host: host))
  }

  /// A whole path without `.`, `..` and empty parts.
  static func plain(_ path: String) -> String {
    var parts: [Substring] = []
    for part in path.utf8.split(separator: 0x2f).map({ Substring($0) }) where !part.isSame(as: ".")
    {
      if part.isSame(as: "..") {
        _ = parts.popLast()
      } else {
        parts.append(part)
      }
    }
    return "/" + parts.joined(separator: "/")
  }

  private static func lastRange(of part: String, in text: String) -> Range<String.Index>? {
    var found: Range<String.Index>?
    var index = text.startIndex
    while index < text.endIndex {
      if text[index...].begins(with: part) {
        found = index..<text.index(index, offsetBy: part.count)
      }
      index = text.index(after: index)
    }
    return found
  }
}
