import VaultPreferences
import VaultSealing
import VaultStorage
import VaultTerminal

/// `edit`: a domain as text in the person's editor.
extension DefaultsTool {
  /// A longer text is refused.
  private static let textLimit = 16 << 20

  /// Lets a person edit a text, in the editor that `VISUAL` or `EDITOR` names.
  package static func runEditor(_ text: [UInt8]) throws -> [UInt8] {
    let edited = try EditorRun.edit(
      SecretBytes(copying: text), with: Editor.chosen(), named: "preferences.json",
      limit: textLimit)
    return edited.withBytes { span in unsafe span.withUnsafeBytes { unsafe [UInt8]($0) } }
  }

  func edit(_ arguments: ArraySlice<String>) throws {
    var words = arguments
    _ = try DefaultsOptions.takeAll(&words, flags: [])
    let target = try take(&words)
    guard words.isEmpty else { throw DefaultsUsage() }
    var before = try contents(of: target) ?? [:]
    var text = EditedDomain.text(before, of: target.name)
    var asked = text
    var refusal: String?
    while true {
      let edited = try edited(text)
      // A program that edits does the same each time.
      if edited == asked, let refusal {
        throw DefaultsRefusal("\(refusal)\nDefaults have not been changed.")
      }
      // The same text again means that the person gives up.
      if edited == text, text != asked {
        throw DefaultsRefusal("The text was left as it was.\nDefaults have not been changed.")
      }
      asked = edited
      guard !EditedDomain.isBlank(edited) else {
        throw DefaultsRefusal("The text is empty.\nDefaults have not been changed.")
      }
      do {
        let entries = try EditedDomain.entries(edited)
        let count = try save(entries, over: before, in: target)
        // What the desktop refuses is not changed, and must not be said.
        try pushToDesktop()
        return print(
          count == 0
            ? "Nothing was changed." : "Changed \(count) key\(count == 1 ? "" : "s").")
      } catch let error as EditedDomain.Conflict {
        before[error.key] = error.value
        (text, refusal) = (EditedDomain.text(edited, saying: error.message), nil)
      } catch let error as PreferenceError
        where [.syntax, .typeMismatch, .managed, .tooDeep].contains(error.code)
      {
        (text, refusal) = (EditedDomain.text(edited, saying: error.message), error.message)
      }
    }
  }

  /// The text as the person leaves it.
  private func edited(_ text: [UInt8]) throws -> [UInt8] {
    do {
      return try editor(text)
    } catch let failure as System.Failure {
      // Such as a full disk.
      throw DefaultsRefusal(
        "The text could not be given to the editor: \(failure.reason)\nDefaults have not been changed."
      )
    }
  }

  /// Writes what the person changed; what others changed meanwhile stays.
  ///
  /// - Returns: The number of keys that were changed.
  /// - Throws: ``EditedDomain/Conflict`` if one of them was changed by others, too.
  private func save(
    _ entries: [String: PreferenceValue], over before: [String: PreferenceValue],
    in target: DefaultsTarget
  ) throws -> Int {
    var entries = Dictionary(
      uniqueKeysWithValues: entries.map { ($0, asKept($1, of: $0, in: target)) })
    if case .stored = target {
      entries = PreferenceSchema.keepingVersion(entries, of: before)
    }
    let changed = Set(entries.keys).union(before.keys).filter { entries[$0] != before[$0] }
      .sorted(by: OldStyleWriter.precedes)
    guard !changed.isEmpty else { return 0 }
    try edit(target) { domain in
      for key in changed {
        let current = try domain.value(key)
        guard current == before[key] || current == entries[key] else {
          throw EditedDomain.Conflict(key: key, value: current)
        }
        if let value = entries[key] {
          try domain.set(value, key)
        } else {
          _ = try domain.remove(key)
        }
      }
    }
    return changed.count
  }
}

/// A domain as a person edits it: JSON, below lines that say what it is.
enum EditedDomain {
  /// Another program changed what the person changed.
  struct Conflict: Error {
    let key: String
    let value: PreferenceValue?

    var message: String {
      "\(Quoting.json(key)) was changed meanwhile: it is now "
        + "\(value.map { JSONText.text($0) } ?? "gone"); remove this line and save to overwrite that"
    }
  }

  static func text(_ entries: [String: PreferenceValue], of name: String) -> [UInt8] {
    let lines = """
      // Preferences of \(Quoting.visible(name)), as JSON. Lines that begin with // are left out.
      // Types that JSON lacks: {"$date": "2026-01-31T12:00:00Z"}, {"$data": "base64"},
      // {"$float": 1.5}
      \(JSONText.text(.dictionary(entries), isPretty: true))

      """
    return Array(lines.utf8)
  }

  /// The person's text again, with what is wrong above it.
  static func text(_ edited: [UInt8], saying message: String) -> [UInt8] {
    let rest = String(decoding: edited, as: UTF8.self).parts(at: "\n", keepsEmpty: true)
      .filter { !$0.begins(with: errorMark) }.joined(separator: "\n")
    return Array("\(errorMark)\(Quoting.visible(message))\n\(rest)".utf8)
  }

  private static let errorMark = "// error: "

  static func isBlank(_ text: [UInt8]) -> Bool { json(text).allSatisfy { $0 <= 0x20 } }

  static func entries(_ text: [UInt8]) throws -> [String: PreferenceValue] {
    guard case .dictionary(let entries) = try JSONText.parse(json(text)) else {
      throw PreferenceError(.syntax, "this is not an object of keys and values")
    }
    return entries
  }

  /// The text with blanks for its comments, so that positions stay.
  private static func json(_ text: [UInt8]) -> [UInt8] {
    var lines: [[UInt8]] = []
    for line in text.split(separator: 0x0a, omittingEmptySubsequences: false) {
      let isComment = line.drop { $0 == 0x20 || $0 == 0x09 }.starts(with: "//".utf8)
      lines.append(isComment ? [UInt8](repeating: 0x20, count: line.count) : Array(line))
    }
    return Array(lines.joined(separator: [0x0a]))
  }
}
