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
      text.begins(with: "\u{feff}") ? String(text.unicodeScalars.dropFirst()) : text,
      comments: format == "ini" ? "#;" : "#")
    if let line = file.badLines.first {
      throw PreferenceError(.syntax, "neither a group nor a key with a value at line \(line)")
    }
    var result: PreferenceValue = [:]
    var values: Set<ArraySlice<String>> = []
    for group in file.groups {
      let names =
        switch format {
        case "kconfig":
          KConfigSource.groups(in: Self.unlocked(group.name)).map(KConfigSource.plain)
        case "dconf": group.name == "/" ? [] : [group.name]
        default: group.name.isEmpty ? [] : [group.name]
        }
      guard names.count < PreferenceValue.depthLimit else {
        throw PreferenceError(.tooDeep, "there are groups in more than \(names.count - 1) others")
      }
      for (text, key) in group.entries.map({ ($0.value, $0.key) }) {
        var key = key
        if format == "kconfig" {
          // A translation keeps its language; flags are not part of a name.
          guard let (name, flags) = KConfigSource.entry(key, withTranslations: true),
            !flags.deletes
          else { continue }
          key = name
        }
        let value: PreferenceValue =
          switch format {
          case "dconf": try GVariantText(text).value
          case "kconfig": .string(KConfigSource.plain(text))
          default: .string(unquoted(text))
          }
        let path = names[...] + [key]
        guard let whole = set(value, path, in: result, isNew: values.insert(path).inserted) else {
          throw PreferenceError(
            .lossy,
            "\(path.map { Quoting.visible($0) }.joined(separator: ":")) is a key and a group; a domain "
              + "has one of both")
        }
        result = whole
      }
    }
    return result
  }

  private static func set(
    _ value: PreferenceValue, _ path: ArraySlice<String>, in whole: PreferenceValue?, isNew: Bool
  ) -> PreferenceValue? {
    guard let first = path.first else {
      // A group is there already.
      if isNew, case .dictionary? = whole { return nil }
      return value
    }
    var entries: [String: PreferenceValue] = [:]
    switch whole {
    case .dictionary(let present)?: entries = present
    case nil: break
    default: return nil
    }
    guard let inner = set(value, path.dropFirst(), in: entries[first], isNew: isNew) else {
      return nil
    }
    entries[first] = inner
    return .dictionary(entries)
  }

  /// The name of a group without the sign that locks it.
  private static func unlocked(_ name: String) -> String {
    name.ends(with: "][$i") ? String(name.dropLast(4)) : name
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
