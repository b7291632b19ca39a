import VaultStorage

/// Options that macOS does not have: `--word`, anywhere among the words of a verb.
struct DefaultsOptions {
  // Arrays: there are a handful, and no table has to be built at the start of each line.
  private var flags: [String] = []
  private var values: [(option: String, value: String)] = []

  var isEmpty: Bool { flags.isEmpty && values.isEmpty }

  func has(_ flag: String) -> Bool { flags.contains(flag) }

  func value(_ option: String) -> String? { values.last { $0.option == option }?.value }

  /// All values of an option that may be repeated.
  func values(_ option: String) -> [String] {
    values.filter { $0.option == option }.map(\.value)
  }

  /// Removes the options of a verb that macOS does not have; `--` ends them, and an unknown option
  /// is an error, as is one without its value.
  static func takeAll(
    _ words: inout ArraySlice<String>, flags: [String], values: [String] = []
  ) throws -> DefaultsOptions {
    var option: String?
    for word in words.prefix(while: { $0 != "--" }) {
      if let asking = option {
        // The next option is its value no more than the end of the line.
        guard !flags.contains(word), !values.contains(word) else { throw lacksValue(asking) }
        option = nil
      } else if values.contains(word) {
        option = word
      } else if word.utf8.starts(with: "--".utf8), !flags.contains(word) {
        throw DefaultsUsage(reason: "there is no option '\(Quoting.visible(word))'")
      }
    }
    if let option { throw lacksValue(option) }
    return take(&words, flags: flags, values: values)
  }

  private static func lacksValue(_ option: String) -> DefaultsUsage {
    DefaultsUsage(reason: "\(option) needs a value")
  }

  /// Removes known options; `--` ends them.
  ///
  /// What lacks its value is a word like any other, as it is for macOS's verbs.
  static func take(
    _ words: inout ArraySlice<String>, flags: [String], values: [String] = []
  ) -> DefaultsOptions {
    var options = DefaultsOptions()
    var rest: [String] = []
    while let word = words.popFirst() {
      if word == "--" {
        rest += words
        break
      }
      if flags.contains(word) {
        options.flags.append(word)
      } else if values.contains(word), let value = words.popFirst() {
        options.values.append((word, value))
      } else {
        rest.append(word)
      }
    }
    words = rest[...]
    return options
  }
}
