import VaultSealing
import VaultStorage

/// An item that a search has found, and where the word is.
package struct FoundItem: Sendable {
  /// The place of the word, the most telling one first.
  package enum Place: Int, Sendable, Comparable {
    case wholeName, lastPart, beginningOfPart, name, user, address, tag, note, other

    package static func < (left: Place, right: Place) -> Bool { left.rawValue < right.rawValue }

    /// Whether it is the name, so that nothing else explains why the item was found.
    package var isName: Bool { self <= .name }
  }

  package let item: Item
  package let place: Place
  /// The text that has the word, where that is not the name.
  package let text: String
}

/// Who an item belongs to, and where: what tells it from others of a similar name.
package struct ItemLogin: Sendable, Equatable {
  package var user = ""
  package var address = ""

  package init() {}

  static let userFields = ["user", "username", "login", "email", "account"]
  static let addressFields = ["url", "uri", "host", "hostname", "server", "website"]

  private static let siteFields = ["url", "uri", "website"]

  /// Whether a field is the address of a site, the first one or a further one: `url`, `url~2`.
  static func isSite(_ field: String) -> Bool {
    siteFields.contains { site in
      guard field.hasPrefix(site) else { return false }
      let rest = field.utf8.dropFirst(site.utf8.count)
      return rest.allSatisfy { byte in
        (0x30...0x39).contains(byte) || [0x20, 0x2D, 0x5F, 0x7E].contains(byte)
      }
    }
  }

  /// The address without what is before and behind the machine.
  package var host: String {
    var rest = address[...]
    if let scheme = rest.firstRange(ofBytes: "://") { rest = rest[scheme.upperBound...] }
    let end = rest.unicodeScalars.firstIndex { "/?#".unicodeScalars.contains($0) }
    rest = rest[..<(end ?? rest.endIndex)]
    if let at = rest.unicodeScalars.lastIndex(of: "@") {
      rest = rest[rest.unicodeScalars.index(after: at)...]
    }
    return String(rest)
  }
}

extension VaultSnapshot {
  /// Finds the items that have a word in their names, users, addresses, tags, notes or other open
  /// fields.
  ///
  /// Neither the secret nor a concealed field is searched. Of several words, an item has each
  /// somewhere; those come first that have all of them as they were typed.
  ///
  /// - Parameters:
  ///   - word: The word or words, in any case.
  ///   - query: Other conditions; its ``ItemQuery/text`` does not count.
  /// - Returns: The items, those first whose place says the most, then by name.
  /// - Throws: `CredentialError` with code `.inputOutput`.
  package func search(_ word: String, matching query: ItemQuery = .all) throws -> [FoundItem] {
    try hits(ofAll: word, query.withoutText).map { hit in
      FoundItem(item: item(index.items[hit.position]), place: hit.place, text: hit.text)
    }
  }

  /// Finds the names of the items that ``search(_:matching:)`` finds.
  ///
  /// Where the query has no other conditions, nothing else of an item is decoded.
  ///
  /// - Parameters:
  ///   - word: The word, in any case.
  ///   - query: Other conditions; its ``ItemQuery/text`` does not count.
  /// - Returns: The names in the same order, each with what has the word where that is not the name.
  /// - Throws: `CredentialError` with code `.inputOutput`.
  package func searchNames(
    _ word: String, matching query: ItemQuery = .all
  ) throws -> [(name: String, text: String)] {
    try hits(ofAll: word, query.withoutText).map { ($0.name, $0.text) }
  }

  /// An item that has the word.
  private struct Hit {
    let position: Int
    let name: String
    let place: FoundItem.Place
    let text: String
  }

  /// The items that have a text, then those that have each of its words somewhere.
  private func hits(ofAll text: String, _ query: ItemQuery) throws -> [Hit] {
    let whole = try hits(SearchWord(text), query)
    let words = text.unicodeScalars.split(separator: " ").map { String($0) }
    // Blanks around a word are part of a name that has them, and else of nothing.
    guard let first = words.first, words.count > 1 || !first.isSame(as: text) else { return whole }
    let known = Set(whole.map(\.position))
    var found: [Int: Hit] = [:]
    for (number, word) in words.enumerated() {
      let hits = try hits(SearchWord(word), query)
      var both: [Int: Hit] = [:]
      for hit in hits where !known.contains(hit.position) {
        guard let before = found[hit.position] else {
          if number == 0 { both[hit.position] = hit }
          continue
        }
        let texts = [before.text, hit.text].filter { !$0.isEmpty }
        both[hit.position] = Hit(
          position: hit.position, name: hit.name, place: max(before.place, hit.place),
          text: texts.count == 2 && texts[0].isSame(as: texts[1])
            ? texts[0] : texts.joined(separator: " · "))
      }
      found = both
    }
    return whole + sorted(Array(found.values))
  }

  private func hits(_ word: SearchWord, _ query: ItemQuery) throws -> [Hit] {
    var hits: [Hit] = []
    var others: [Int] = []
    index.items.read { opened in
      for (position, place) in index.items.places.enumerated() {
        // A snapshot's records are as they were read.
        guard place.changed < 0, place.isTrashed == query.isInTrash || query.isConflicting else {
          continue
        }
        let range = place.nameRange(in: opened)
        if let found = word.place(inName: range, of: opened) {
          hits.append(
            Hit(position: position, name: place.name(in: opened), place: found, text: ""))
        } else {
          others.append(position)
        }
      }
    }
    let fields = try openTexts(having: word, of: query.isInTrash ? [] : others)
    for position in others where fields[position] != nil || mayHave(word, position) {
      let record = index.items[position]
      let found = [fields[position], word.place(in: record)].compactMap(\.self)
        .min { $0.place < $1.place }
      guard let found else { continue }
      hits.append(
        Hit(position: position, name: record.name, place: found.place, text: found.text))
    }
    if !query.hasNoConditions { hits.removeAll { !query.matches(index.items[$0.position]) } }
    return sorted(hits)
  }

  /// The best first, then by name.
  ///
  /// Numbers are compared instead of names: twenty thousand of these took half of a search.
  private func sorted(_ hits: [Hit]) -> [Hit] {
    guard hits.count > 1 else { return hits }
    var ranks = Array(repeating: 0, count: index.items.count)
    for (rank, position) in index.items.sortedByName(hits.map(\.position)).enumerated() {
      ranks[position] = rank
    }
    return hits.sorted { left, right in
      left.place == right.place
        ? ranks[left.position] < ranks[right.position] : left.place < right.place
    }
  }

  /// Whether the word may be in the note, a tag or an attribute.
  private func mayHave(_ word: SearchWord, _ position: Int) -> Bool {
    let place = index.items.places[position]
    guard place.changed < 0 else { return true }
    return index.items.read { opened in word.mayBe(in: place.textRange(in: opened), of: opened) }
  }

  /// The open fields that have the word, the most telling one of each item, by its position.
  private func openTexts(
    having word: SearchWord, of positions: [Int]
  ) throws -> [Int: (place: FoundItem.Place, text: String)] {
    var found: [Int: (place: FoundItem.Place, text: String)] = [:]
    try scan.each(of: positions) { position, bytes, name, value in
      guard word.mayBe(in: value, of: bytes) else { return }
      guard let name = bytes.text(name), isOpen(name, of: position),
        let text = bytes.text(value), word.isIn(text)
      else { return }
      let place = Self.place(ofField: name)
      if let before = found[position], before.place <= place { return }
      found[position] = (place, text)
    }
    return found
  }

  /// The users and addresses of items, by their ids.
  ///
  /// - Parameter items: Items of this snapshot.
  /// - Returns: Those that have any.
  /// - Throws: `CredentialError` with code `.inputOutput`.
  package func logins(of items: [Item]) throws -> [String: ItemLogin] {
    var logins: [Int: ItemLogin] = [:]
    let positions = items.compactMap { index.items.position(of: $0.recordID) }
    try scan.each(of: positions) { position, bytes, name, value in
      guard let name = bytes.text(name)?.lowercased() else { return }
      let isUser = ItemLogin.userFields.contains(name)
      guard isUser || ItemLogin.addressFields.contains(name), isOpen(name, of: position),
        let text = bytes.text(value)
      else { return }
      if isUser {
        logins[position, default: ItemLogin()].user.setIfEmpty(text)
      } else {
        logins[position, default: ItemLogin()].address.setIfEmpty(text)
      }
    }
    var byID: [String: ItemLogin] = [:]
    for (position, login) in logins { byID[index.items.id(at: position).hexadecimal] = login }
    // What other programs look an item up by says the same.
    for item in items where !item.attributes.isEmpty {
      let user = ItemLogin.userFields.lazy.compactMap { item.attributes[$0] }.first
      let address = ItemLogin.addressFields.lazy.compactMap { item.attributes[$0] }.first
      if let user { byID[item.id, default: ItemLogin()].user.setIfEmpty(user) }
      if let address { byID[item.id, default: ItemLogin()].address.setIfEmpty(address) }
    }
    return byID
  }

  /// The users of items, and all addresses at which their logins are used, by the items' ids.
  ///
  /// - Parameter items: Items of this snapshot.
  /// - Returns: Those that have an address, in `url` or a further field, such as `url~2`. Concealed
  ///   fields count, too: these texts are for a program that a person lets use the login, and are not
  ///   shown.
  /// - Throws: `CredentialError` with code `.inputOutput`.
  package func sites(of items: [Item]) throws -> [String: (user: String, addresses: [String])] {
    var found: [Int: (user: String, addresses: [String])] = [:]
    let positions = items.compactMap { index.items.position(of: $0.recordID) }
    try scan.each(of: positions) { position, bytes, name, value in
      guard let name = bytes.text(name)?.lowercased() else { return }
      let isUser = ItemLogin.userFields.contains(name)
      guard isUser || ItemLogin.isSite(name), let text = bytes.text(value) else { return }
      if isUser {
        found[position, default: ("", [])].user.setIfEmpty(text)
      } else {
        found[position, default: ("", [])].addresses.append(text)
      }
    }
    var byID: [String: (user: String, addresses: [String])] = [:]
    for (position, site) in found { byID[index.items.id(at: position).hexadecimal] = site }
    return byID
  }

  private var scan: OpenFieldScan {
    OpenFieldScan(file: file, items: index.items, key: vault.keys.item)
  }

  private static let marks = Array(FieldMarks.attribute.utf8)

  private func isOpen(_ field: String, of position: Int) -> Bool {
    let place = index.items.places[position]
    let hasMarks = index.items.read { opened in
      opened.contains(Self.marks, in: place.textRange(in: opened))
    }
    return FieldMarks(hasMarks ? index.items[position].attributes : NamedTexts()).isOpen(field)
  }

  private static func place(ofField name: String) -> FoundItem.Place {
    let name = name.lowercased()
    if ItemLogin.userFields.contains(name) { return .user }
    if ItemLogin.addressFields.contains(name) { return .address }
    return name.hasPrefix("note") || name == "comment" ? .note : .other
  }
}

/// A word that is looked for in any case.
private struct SearchWord {
  private let text: String
  /// The bytes, where comparing these finds it in any case: the letters of ASCII.
  private let folded: [UInt8]?
  /// Whether other letters than ASCII's may stand for some of them, as "ß" does for "ss".
  private let hasOtherForms: Bool

  /// What single letters are in capital ones: Unicode's SpecialCasing.txt.
  private static let ofOneLetter = ["ss", "st", "ff", "fi", "fl"]

  init(_ text: String) {
    self.text = UnicodeNormalization.folded(text)
    let word = self.text
    folded = word.utf8.allSatisfy { $0 < 0x80 } ? Array(word.utf8) : nil
    hasOtherForms = Self.ofOneLetter.contains { word.contains(bytes: $0) }
  }

  func isIn(_ value: String) -> Bool { UnicodeNormalization.folded(value).contains(bytes: text) }

  /// Whether the word may be in a text, which is to be read then.
  func mayBe(in range: Range<Int>, of bytes: RawSpan) -> Bool {
    guard let folded else { return true }
    return bytes.place(ofFolded: folded, in: range) != nil
      || hasOtherForms && !range.allSatisfy { bytes.byte(at: $0) < 0x80 }
  }

  /// Where the word is in a name; `nil` if it is not.
  func place(inName range: Range<Int>, of bytes: RawSpan) -> FoundItem.Place? {
    guard mayBe(in: range, of: bytes), let name = bytes.text(range) else { return nil }
    return place(inName: UnicodeNormalization.folded(name))
  }

  private func place(inName name: String) -> FoundItem.Place? {
    if name.isSame(as: text) { return .wholeName }
    let ranges = name.ranges(ofBytes: text)
    guard !text.isEmpty, !ranges.isEmpty else { return text.isEmpty ? .name : nil }
    if name.ends(with: "/\(text)") { return .lastPart }
    let begins = ranges.contains { range in
      guard range.lowerBound > name.startIndex else { return true }
      return "/-_. @:".utf8.contains(name.utf8[name.utf8.index(before: range.lowerBound)])
    }
    return begins ? .beginningOfPart : .name
  }

  /// Where the word is in what a record says of an item; `nil` if it is not.
  func place(in record: ItemRecord) -> (place: FoundItem.Place, text: String)? {
    if let place = place(inName: UnicodeNormalization.folded(record.name)) { return (place, "") }
    let attributes = record.attributes.all.filter { !$0.name.hasPrefix("vault:") }
    func value(of names: [String]) -> String? {
      attributes.first { names.contains($0.name) && isIn($0.text) }?.text
    }
    if let user = value(of: ItemLogin.userFields) { return (.user, user) }
    if let address = value(of: ItemLogin.addressFields) { return (.address, address) }
    if let tag = record.tags.first(where: isIn) { return (.tag, tag) }
    if isIn(record.note) { return (.note, record.note) }
    return attributes.first { isIn($0.text) }.map { (.other, $0.text) }
  }
}

extension String {
  fileprivate mutating func setIfEmpty(_ text: String) { if isEmpty { self = text } }
}
