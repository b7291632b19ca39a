import VaultCredentials
import VaultExchange
package import VaultProtocols
import VaultSealing
import VaultStorage
import VaultTerminal

/// A variable of the command's environment and its value.
package struct RunVariable: Equatable, Sendable {
  package let name: String
  package let parts: [ReferenceText.Part]
  /// Where it is asked for, such as `.env:5 TOKEN`; `nil` for the line itself.
  package var place: String?
  /// Whether an item's attribute may choose another name.
  package var isNamedByItem = false

  package var references: [SecretReference] {
    parts.compactMap { if case .reference(let reference) = $0 { reference } else { nil } }
  }

  /// Returns the variables that a line asks for.
  ///
  /// - Throws: ``CommandError`` with code `usage` for an invalid name of a variable, or one that
  ///   occurs twice.
  package static func all(names: [String], assignments: [String]) throws -> [RunVariable] {
    var variables: [RunVariable] = []
    for text in names {
      let reference = try SecretReference(nameOrReference: text)
      let name = try variableName(for: reference)
      let variable = RunVariable(
        name: name, parts: [.reference(reference)], isNamedByItem: reference.field == nil)
      // An item may choose another one, which is seen when it is read.
      if !variable.isNamedByItem { try variable.checkSteering(text) }
      variables.append(variable)
    }
    for text in assignments {
      guard let equals = text.unicodeScalars.firstIndex(of: "="),
        EnvironmentVariable.isValid(text[..<equals])
      else {
        throw CommandError.usage(
          "--env takes a variable and a reference", hint: "such as: --env TOKEN=secret://api-token")
      }
      let value = String(text[text.unicodeScalars.index(after: equals)...])
      let name = String(text[..<equals])
      var parts: [ReferenceText.Part] = []
      if value.contains(bytes: SecretReference.scheme) {
        parts = try ReferenceText.parts(of: value)
      } else {
        try RunFile.refuseFolder(value, option: "--env")
        var reference = SecretReference(name: value)
        reference.variable = name
        parts = [.reference(reference)]
      }
      variables.append(RunVariable(name: name, parts: parts))
    }
    try checkNames(variables)
    return variables
  }

  /// How a variable is set all the same that no item may choose.
  static func advice(_ name: String, _ item: String) -> String {
    "if that is wanted, say so on the line: --env \(Quoting.typed("\(name)=\(item)"))"
  }

  /// Says that an item of a folder sets no variable, since programs would run other code by it.
  static func tellLeftOut(_ name: String, of item: String) {
    StandardError.warning(
      "\(name) was not set from '\(Quoting.visible(item))': it makes programs run other code or read "
        + "other files", hint: advice(name, item))
  }

  /// Refuses a variable that an item's name alone would make, if programs run other code by it.
  ///
  /// - Parameter item: What the line names.
  /// - Throws: ``CommandError`` with code `usage`.
  func checkSteering(_ item: String) throws {
    guard EnvironmentVariable.steersPrograms(name) else { return }
    throw CommandError.usage(
      "the variable \(name) makes programs run other code or read other files",
      hint: Self.advice(name, item))
  }

  /// Checks that no variable occurs twice.
  package static func checkNames(_ variables: [RunVariable]) throws {
    var seen: Set<String> = []
    for variable in variables where !seen.insert(variable.name).inserted {
      throw CommandError.usage(
        "the variable \(variable.name) is set twice", hint: "give one another name with --env"
      )
    }
  }

  /// Beginnings of references that programs like this one have in such files.
  private static let otherSchemes = ["op://", "bw://", "doppler://", "vault://", "aws-sm://"]

  /// Returns the variables of `.env` files; for their syntax see Documentation/cli.md.
  ///
  /// - Parameter paths: The files; the last one that has a variable wins.
  /// - Returns: The variables, in the order of their lines.
  /// - Throws: ``CommandError`` with code `usage` if a line is not `NAME=value`.
  package static func inFiles(_ paths: [String]) throws -> [RunVariable] {
    var found: [String: (number: Int, variable: RunVariable)] = [:]
    var count = 0
    for path in paths {
      guard path == "-" || SecretInput.exists(path) else {
        throw CommandError(
          .fileNotFound, "\(LineValue.shown(path)) does not exist",
          hint: "check the path of --env-file")
      }
      let bytes = try SecretInput.read(file: path, limit: 1 << 20)
      guard let text = bytes.withBytes({ $0.text(0..<$0.byteCount) }) else {
        throw CommandError.usage("\(LineValue.shown(path)) is not UTF-8 text")
      }
      for line in try DotenvImport.lines(Array(text.utf8)) {
        switch line.entry {
        case .damaged(let number, let reason):
          throw CommandError.usage("\(path):\(number): \(reason)")
        case .value(let name, let value):
          guard EnvironmentVariable.isValid(name) else {
            throw CommandError.usage("\(path):\(line.number): this is not a variable's name")
          }
          let place = "\(path):\(line.number) \(name)"
          do {
            let parts = try ReferenceText.parts(of: value)
            let isReference = parts.contains { if case .reference = $0 { true } else { false } }
            guard !isReference || !EnvironmentVariable.steersPrograms(name) else {
              throw CommandError.usage(
                "\(place): this variable makes programs run other code or read other files",
                hint: "if that is wanted, say so on the line: --env \(name)=NAME")
            }
            if let scheme = otherSchemes.first(where: { value.begins(with: $0) }) {
              StandardError.warning(
                "\(place): a reference of another program (\(scheme)…) is passed on as it is")
            }
            found[name] = (count, RunVariable(name: name, parts: parts, place: place))
            count += 1
          } catch let error as ProtocolError {
            throw error.prefixed(with: place)
          }
        }
      }
    }
    return found.values.sorted { $0.number < $1.number }.map(\.variable)
  }

  /// The name of the variable for a reference.
  package static func variableName(for reference: SecretReference) throws -> String {
    try variableName(for: reference.name + (reference.field.map { "_\($0)" } ?? ""))
  }

  /// The name of the variable for an item: `api-token` is `API_TOKEN`.
  package static func variableName(for item: String) throws -> String {
    let name = EnvironmentVariable.name(for: item)
    guard EnvironmentVariable.isReadable(name) else {
      throw CommandError.usage(
        "the name '\(Quoting.visible(item))' gives no variable",
        hint: "choose one: --env \(Quoting.typed("VARIABLE=\(item)"))")
    }
    return name
  }
}
