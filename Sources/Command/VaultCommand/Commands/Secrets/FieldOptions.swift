import ArgumentParser
import VaultCommandCore
import VaultCredentials
import VaultSealing
import VaultTerminal

/// The options of `set` that name fields: which ones, and which of them hold no secret.
struct FieldOptions: ParsableArguments {
  @Option(
    name: [.long, .customShort("f")],
    help: ArgumentHelp(
      "The field to set; the main secret if omitted. An open one, such as user or url, may have "
        + "its value here: user=bob; repeatable.",
      valueName: "name"),
    completion: .live)
  var field: [String] = []

  @Option(
    help: ArgumentHelp(
      "A field that holds no secret: 'show' shows it, and it may be set on the line; repeatable.",
      valueName: "name"),
    completion: .live)
  var open: [String] = []

  @Option(
    help: ArgumentHelp("A field that holds a secret after all; repeatable.", valueName: "name"),
    completion: .live)
  var conceal: [String] = []

  /// The options as they were given.
  var given: FieldLine { FieldLine(field: field, open: open, conceal: conceal) }
}

/// The fields that a line of `set` names, whoever has read the line.
struct FieldLine: Equatable, Sendable {
  var field: [String] = []
  var open: [String] = []
  var conceal: [String] = []

  /// Refuses an empty name, as an unset variable leaves it: the main secret is not what was meant.
  ///
  /// - Parameter name: The name of a field; `nil` where none was given.
  /// - Throws: ``CommandError`` with code `usage`.
  static func checkIsNamed(_ name: String?) throws {
    guard name?.isEmpty == true else { return }
    throw CommandError.usage(
      "the name of the field is empty",
      hint: "name one, such as: --field user; the main secret: leave --field out")
  }

  /// Fields to ask for, or to read from the line's source; `nil` is the main secret.
  var asked: [String?] {
    field.filter { !$0.unicodeScalars.contains("=") }
  }

  /// Fields with the value that the line gives them.
  var assigned: [(name: String, value: String)] {
    field.compactMap { text in
      text.unicodeScalars.firstIndex(of: "=").map { equals in
        (
          name: String(text[..<equals]),
          value: String(text[text.unicodeScalars.index(after: equals)...])
        )
      }
    }
  }

  /// What the line says of fields; the same field cannot be both.
  func marks() throws -> [String: Bool] {
    for name in field + open + conceal { try Self.checkIsNamed(name) }
    guard Set(open).isDisjoint(with: conceal) else {
      throw CommandError.usage(
        "a field cannot be open and concealed", hint: "give one of --open and --conceal")
    }
    return Dictionary(
      open.map { ($0, true) } + conceal.map { ($0, false) }, uniquingKeysWith: { first, _ in first }
    )
  }

  /// The assigned fields, if each of them is open.
  ///
  /// - Parameter item: The item as it is; `nil` for a new one.
  /// - Returns: The values by the names of their fields.
  /// - Throws: ``CommandError`` with code `usage` for a field that is concealed.
  func assignments(for item: Item?) throws -> [String: Secret] {
    let marks = try marks()
    var fields: [String: Secret] = [:]
    for (name, value) in assigned {
      guard !name.isEmpty else {
        throw CommandError.usage(
          "--field takes a name, or a name and a value", hint: "such as: --field user=bob")
      }
      guard isOpen(name, in: item, marks) else {
        throw CommandError.usage(
          "the value of a concealed field is never given on the command line: every user can read "
            + "it there, and the shell keeps it in its history",
          hint: "leave the value out to be asked for it: --field NAME; "
            + "if it holds no secret: --open NAME")
      }
      guard fields.updateValue(try Secret(value), forKey: name) == nil else {
        throw CommandError.usage("a field is set twice", hint: "give each field once")
      }
    }
    return fields
  }

  /// Asks for a field by its name: one that is open in clear text, another one twice and hidden.
  ///
  /// - Returns: The value; `nil` without a terminal.
  func ask(for field: String, of name: ItemName, _ item: Item?) throws -> SecretBytes? {
    let question = "\(Sanitizer.visible(field)) for \(Sanitizer.visible(name.text))"
    return isOpen(field, in: item, try marks())
      ? try Prompt.line("\(question):") : try Prompt.newSecret(question)
  }

  private func isOpen(_ field: String, in item: Item?, _ marks: [String: Bool]) -> Bool {
    marks[field] ?? item?.isOpen(field: field) ?? Item.isUsuallyOpen(field: field)
  }
}
