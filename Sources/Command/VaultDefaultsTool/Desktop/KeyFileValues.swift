import VaultPreferences
import VaultStorage

/// Files of groups as one domain's keys and values: a group is a dictionary.
enum KeyFileValues {
  /// Reads a file.
  ///
  /// - Parameters:
  ///   - bytes: UTF-8.
  ///   - format: `dconf`, whose values have types; `ini` or `kconfig`, whose values are texts.
  /// - Returns: A dictionary.
  /// - Throws: ``PreferenceError`` with code `.syntax`, with the line where it is known.
  static func value(
    _ bytes: [UInt8], _ format: String
  ) throws(PreferenceError) -> PreferenceValue {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw PreferenceError(.syntax, "this is not UTF-8")
    }
    let file = KeyFile(
      text.begins(with: "\u{feff}") ? String(text.unicodeScalars.dropFirst()) : text)
    if let line = file.badLines.first {
      throw PreferenceError(.syntax, "neither a group nor a key with a value at line \(line)")
    }
    var result: PreferenceValue = [:]
    for group in file.groups {
      let names =
        switch format {
        case "kconfig": group.name.substituting("][", with: "\n").parts(at: "\n").map(String.init)
        case "dconf": group.name == "/" ? [] : [group.name]
        default: group.name.isEmpty ? [] : [group.name]
        }
      for (key, text) in group.entries {
        let value: PreferenceValue =
          switch format {
          case "dconf": try GVariantText(text).value
          case "kconfig": .string(KConfigSource.plain(text))
          default: .string(unquoted(text))
          }
        result = set(value, names[...] + [key], in: result)
      }
    }
    return result
  }

  private static func set(
    _ value: PreferenceValue, _ path: ArraySlice<String>, in whole: PreferenceValue
  ) -> PreferenceValue {
    guard let first = path.first else { return value }
    var entries: [String: PreferenceValue] = [:]
    if case .dictionary(let present) = whole { entries = present }
    entries[first] = set(value, path.dropFirst(), in: entries[first] ?? [:])
    return .dictionary(entries)
  }

  /// A text without quotes around all of it.
  private static func unquoted(_ text: String) -> String {
    for mark in ["\"", "'"]
    where text.utf8.count > 1 && text.begins(with: mark) && text.ends(with: mark) {
      return String(text.dropFirst().dropLast())
    }
    return text
  }
}

extension DefaultsTool {
  /// `--dconf import --format dconf PATH FILE`: a dump below a path, key by key.
  func importDump(_ arguments: ArraySlice<String>) throws {
    var words = arguments
    guard let word = words.popFirst(), let path = words.popFirst(), words.isEmpty else {
      throw DefaultsUsage()
    }
    let plain = word.begins(with: DConfSource.prefix) ? String(word.dropFirst(6)) : word
    let root = try dconf.domain(named: plain)
    try catchUp(dconf)
    guard let text = String(validating: try fileBytes(path), as: UTF8.self) else {
      throw DefaultsRefusal("\(path) is not UTF-8\nDefaults have not been changed.")
    }
    let values = try dconf.values(KeyFile(text), below: root)
    try writing().transaction { transaction in
      for (domain, entries) in values.sorted(by: { $0.key < $1.key }) {
        for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
          try transaction.set(value, key, in: PreferenceDomain(DConfSource.prefix + domain))
        }
      }
    }
  }

  /// The change of `write D K --gvariant TEXT`; `nil` for any other line.
  func gvariant(
    _ words: ArraySlice<String>, _ key: String, in target: DefaultsTarget
  ) throws -> DefaultsValue.Change? {
    guard words.count == 2, words.first == "--gvariant", let text = words.last else { return nil }
    let read = try GVariantText(text)
    guard case .stored(let domain) = target, domain.name.begins(with: DConfSource.prefix) else {
      return .set(read.value)
    }
    let path = String(domain.name.dropFirst(DConfSource.prefix.count))
    return .set(dconf.value(read, of: key, in: path))
  }

  /// A value as GVariant's text.
  func gvariant(
    _ value: PreferenceValue, _ key: String, in target: DefaultsTarget
  ) throws -> String {
    guard case .stored(let domain) = target, domain.name.begins(with: DConfSource.prefix) else {
      return try GVariantText.text(value)
    }
    return try dconf.text(
      value, of: key, in: String(domain.name.dropFirst(DConfSource.prefix.count)))
  }
}
