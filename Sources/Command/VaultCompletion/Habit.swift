import VaultCommandCore
import VaultStorage

/// What people type by habit, from other programs of the kind, and what it means here.
///
/// A word whose meaning is clear and safe stands for a line of ours. The others are answered with
/// the line that does what was probably wanted; never with the name that happens to look alike. All
/// of them are rows of one table, ``parts``, and nothing else reads it.
package enum Habit: Equatable, Sendable {
  /// The word stands for these words; the text helps where the line they make is refused.
  case line([String], otherwise: String?)
  /// What helps.
  case answer(String)

  /// What is said before the line that does it here.
  private static let otherProgram = "this is not HashiCorp's vault (Documentation/faq.md); here: "

  /// Every row, for tests.
  package static var table: [(word: String, habit: Habit)] {
    parts.flatMap { $0.parts(at: "\n") }.compactMap { row in
      let marks = row.utf8.indices.compactMap { place in mark(of: row, at: place) }
      guard let (place, habit) = marks.first else { return nil }
      return (String(row[..<place]), habit)
    }
  }

  /// What stands behind the word of a row, if the word ends at a place.
  private static func mark(of row: Substring, at place: String.Index) -> (String.Index, Habit)? {
    let rest = row[place...]
    func text(_ mark: String) -> String? {
      rest.utf8.starts(with: mark.utf8) ? String(rest.utf8.dropFirst(mark.utf8.count)) : nil
    }
    if let line = text(" => ") {
      let halves = line.parts(at: "|", keepsEmpty: true)
      let words = halves[0].parts(at: " ").map(String.init)
      let otherwise = halves.count > 2 ? String(halves[2].utf8.dropFirst()) : nil
      return (place, .line(words, otherwise: otherwise))
    }
    if let answer = text(": ") { return (place, .answer(answer)) }
    return text("! ").map { (place, .answer(otherProgram + $0)) }
  }

  /// The row of a word; it is looked for in the text of all rows, since few lines need one.
  ///
  /// Words may be in capital letters; the letters of options are told apart.
  private static func meaning(of word: String) -> Habit? {
    row(of: word) ?? (word.contains { $0.isUppercase } ? row(of: word.lowercased()) : nil)
  }

  private static func row(of word: String) -> Habit? {
    let word = Array(word.utf8)
    guard !word.isEmpty, word.count < 32, !word.contains(0x0A) else { return nil }
    for part in parts {
      if let habit = row(of: word, in: part) { return habit }
    }
    return nil
  }

  private static func row(of word: [UInt8], in part: String) -> Habit? {
    var rest = part[...]
    while !rest.isEmpty {
      let end = rest.utf8.firstIndex(of: 0x0A) ?? rest.endIndex
      let row = rest[..<end]
      if row.utf8.starts(with: word),
        let (_, habit) = mark(of: row, at: row.utf8.index(row.startIndex, offsetBy: word.count))
      {
        return habit
      }
      rest = end == rest.endIndex ? "" : rest[rest.utf8.index(after: end)...]
    }
    return nil
  }

  /// The programs whose lines are typed behind their names.
  private static let programs = [
    "aws", "bw", "docker", "git", "gopass", "keepassxc-cli", "kubectl", "op", "pass", "rbw",
    "secret-tool", "security",
  ]

  /// Words of the verbs below a verb, such as `key rm`.
  private static let below = [
    "add": ["new", "create"], "list": ["ls"], "remove": ["rm", "del", "delete"],
    "unlock": ["open"], "change-passphrase": ["passwd"],
  ]

  // MARK: - Lines that are ours

  /// Replaces the words of habit on a line.
  ///
  /// - Parameters:
  ///   - arguments: The line.
  ///   - start: How many common options stand before the verb.
  /// - Returns: The line in our words.
  package static func resolving(_ arguments: [String], from start: Int) -> [String] {
    guard arguments.indices.contains(start) else { return arguments }
    var arguments = arguments
    // Windows' way to ask about a verb.
    if arguments.count == start + 2, ["/?", "-?"].contains(arguments[start + 1]) {
      arguments[start + 1] = "--help"
    }
    let isHelp = arguments[start] == "help"
    if isHelp, arguments.count == start + 2,
      case .line(let words, _) = meaning(of: "help \(arguments[start + 1])")
    {
      return Array(arguments[..<start]) + words
    }
    let place = isHelp ? start + 1 : start
    guard arguments.indices.contains(place), !isNamedOtherwise(arguments, place) else {
      return arguments
    }
    if case .line(let words, _) = meaning(of: arguments[place]) {
      // Help is there for verbs only.
      let words = place == start ? words : words.filter { !$0.hasPrefix("-") }
      let habit = arguments[place]
      arguments.replaceSubrange(place...place, with: words)
      if ["rm", "mv", "cp", "del", "delete", "move", "rmdir"].contains(habit) {
        arguments = Array(arguments[...place]) + arguments[(place + 1)...].flatMap(option)
      }
    }
    return arguments
  }

  /// Whether a word has an answer of its own together with the next one: `secrets enable`.
  private static func isNamedOtherwise(_ arguments: [String], _ place: Int) -> Bool {
    guard arguments.indices.contains(place + 1), !arguments[place + 1].begins(with: "-"),
      meaning(of: arguments[place]) != nil,
      case .answer = meaning(of: "\(arguments[place]) \(arguments[place + 1])")
    else { return false }
    return true
  }

  /// Options of habit behind verbs that change items: `rm -rf web/`.
  private static func option(_ word: String) -> [String] {
    switch word {
    case "-r", "-R", "--recursive": []
    case "-f", "-rf", "-fr", "-Rf", "--force": ["-y"]
    default: [word]
    }
  }

  // MARK: - Lines that are not

  /// What a line lacks.
  package enum Complaint {
    /// An argument.
    case missing
    /// A value that the argument may have.
    case value
    case other
  }

  /// What helps on a line that the command does not take.
  ///
  /// - Parameters:
  ///   - typed: The line as it was typed, from the word in the verb's place on.
  ///   - path: Our verbs on it.
  ///   - complaint: What is wrong, as far as rows tell it apart.
  /// - Returns: The hint; `nil` where the table has none.
  package static func hint(
    for typed: [String], path: [String], complaint: Complaint = .other
  ) -> String? {
    guard let first = typed.first else { return nil }
    // Another program's name, and its line behind it.
    if programs.contains(first), let hint = hint(for: Array(typed.dropFirst()), path: []) {
      return hint
    }
    let verbs = path.isEmpty ? [first] : [first, path.joined(separator: " ")]
    let words = typed.dropFirst().prefix { $0 != "--" }.map { word in
      word.begins(with: "-") ? String(word.unicodeScalars.prefix { $0 != "=" }) : word
    }
    func text(_ key: String) -> String? {
      switch meaning(of: key) {
      case .answer(let text): text
      case .line(_, let otherwise): otherwise
      case nil: nil
      }
    }
    func found() -> String? {
      for verb in verbs {
        if complaint == .value, let text = text("\(verb) <value>") { return text }
        if complaint == .missing, words.isEmpty, let text = text("\(verb) <>") { return text }
        // The next word, then any option.
        for word in words.prefix(1) + words.filter({ $0.begins(with: "-") }) {
          if let text = text("\(verb) \(word)") { return text }
        }
      }
      // A word of another program alone says whose line it is.
      if let text = text(first) { return text }
      for word in [first] + words where word.begins(with: "-") {
        if let text = text("* \(word)") { return text }
      }
      return complaint == .missing ? verbs.lazy.compactMap { text("\($0) <>") }.first : nil
    }
    guard let text = found() else { return nil }
    let line = ForeignLine(first, Array(typed.dropFirst()))
    return text.substituting("{}", with: ProgramName.current)
      .substituting("{attributes}", with: line.attributes)
      .substituting("{item}", with: line.item)
  }

  /// Returns our word for one below a verb, such as `rm` in `key rm`.
  package static func word(for typed: String, among verbs: [String]) -> String? {
    verbs.first { below[$0]?.contains(typed) ?? false }
  }

  /// Whether a word is one of the table: such a word is no secret.
  package static func isKnown(_ word: String) -> Bool { meaning(of: word) != nil }

  // MARK: - Words that are nearly ours

  /// The verbs that take away, give away or write: one of them is suggested for its own letters only.
  ///
  /// `remote` is one letter from `remove`, `expire` two from `export`.
  private static let drastic = [
    "disconnect", "export", "inject", "leave", "merge", "remove", "rename", "rotate", "undo",
    "upgrade",
  ]

  /// The verb that was meant by a word; `nil` where none is near enough.
  package static func nearest(to word: String, among verbs: [String]) -> String? {
    guard let near = Suggestion.nearest(to: word, among: verbs) else { return nil }
    guard drastic.contains(near) else { return near }
    let typed = word.lowercased().utf8.sorted()
    let meant = near.utf8.sorted()
    let isSame =
      typed == meant
      || abs(typed.count - meant.count) == 1
        && Set(typed).symmetricDifference(meant).count <= 1
    if isSame { return near }
    return Suggestion.nearest(to: word, among: verbs.filter { !drastic.contains($0) })
  }
}
