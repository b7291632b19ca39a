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
  var isNamedByItem = false

  var references: [SecretReference] {
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
      variables.append(
        RunVariable(
          name: try variableName(for: reference), parts: [.reference(reference)],
          isNamedByItem: reference.field == nil))
    }
    for text in assignments {
      guard let equals = text.unicodeScalars.firstIndex(of: "="),
        EnvironmentVariable.isValid(text[..<equals])
      else {
        throw CommandError.usage(
          "--env takes a variable and a reference", hint: "such as: --env TOKEN=secret://api-token")
      }
      let value = String(text[text.unicodeScalars.index(after: equals)...])
      let parts: [ReferenceText.Part] =
        value.contains(SecretReference.scheme)
        ? try ReferenceText.parts(of: value) : [.reference(SecretReference(name: value))]
      variables.append(RunVariable(name: String(text[..<equals]), parts: parts))
    }
    try checkNames(variables)
    return variables
  }

  /// Checks that no variable occurs twice.
  static func checkNames(_ variables: [RunVariable]) throws {
    var seen: Set<String> = []
    for variable in variables where !seen.insert(variable.name).inserted {
      throw CommandError.usage(
        "the variable \(variable.name) is set twice", hint: "give one another name with --env"
      )
    }
  }

  /// Returns the variables of `.env` files; for their syntax see Documentation/cli.md.
  ///
  /// - Parameter paths: The files; the last one that has a variable wins.
  /// - Returns: The variables, in the order of their lines.
  /// - Throws: ``CommandError`` with code `usage` if a line is not `NAME=value`.
  static func inFiles(_ paths: [String]) throws -> [RunVariable] {
    var found: [String: (number: Int, variable: RunVariable)] = [:]
    var count = 0
    for path in paths {
      guard path == "-" || SecretInput.exists(path) else {
        throw CommandError(
          .fileNotFound, "\(path) does not exist", hint: "check the path of --env-file")
      }
      let bytes = try SecretInput.read(file: path, limit: 1 << 20)
      guard let text = bytes.withBytes({ $0.text(0..<$0.byteCount) }) else {
        throw CommandError.usage("\(path) is not UTF-8 text")
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
  static func variableName(for reference: SecretReference) throws -> String {
    try variableName(for: reference.name + (reference.field.map { "_\($0)" } ?? ""))
  }

  /// The name of the variable for an item: `api-token` is `API_TOKEN`.
  package static func variableName(for item: String) throws -> String {
    let name = EnvironmentVariable.name(for: item)
    guard EnvironmentVariable.isReadable(name) else {
      throw CommandError.usage(
        "an item's name is not valid for a variable", hint: "choose one: --env VARIABLE=NAME")
    }
    return name
  }
}

/// The folders and patterns on the line of `vault run`: each item below them sets a variable.
struct RunFolders {
  private let words: [(selection: ItemSelection, vault: String?)]

  private static let advice =
    "\(ProgramName.current) set ITEM --attribute \(EnvironmentVariable.attribute)=NAME"

  /// Splits the words of a line into those that mean several items, and the others.
  ///
  /// A folder of another vault is a reference: `secret://@work/app/`.
  static func split(_ words: [String]) throws -> (folders: RunFolders, names: [String]) {
    var folders: [(ItemSelection, String?)] = []
    var names: [String] = []
    for word in words {
      guard word.hasPrefix(SecretReference.scheme) else {
        if let selection = try ItemSelection(word) {
          folders.append((selection, nil))
        } else {
          names.append(word)
        }
        continue
      }
      let reference = try SecretReference(word)
      guard reference.name.hasSuffix("/") else {
        names.append(word)
        continue
      }
      guard !word.unicodeScalars.contains(where: { "?#".unicodeScalars.contains($0) }),
        let selection = try ItemSelection(reference.name)
      else {
        throw CommandError.usage(
          "a folder has no field, attribute or default", hint: "such as: secret://app/")
      }
      folders.append((selection, reference.vaultName))
    }
    return (RunFolders(words: folders), names)
  }

  /// Finds the variables of all selected items.
  ///
  /// - Parameters:
  ///   - reading: The open vaults.
  ///   - usesWholeNames: Whether all parts of an item's name make its variable.
  ///   - others: The variables that are set anyway; items of these names are left out.
  /// - Returns: The variables, sorted by name.
  /// - Throws: ``CommandError`` with code `item-not-found` where nothing is selected, and `usage`
  ///   for two items with one variable.
  func variables(
    _ reading: ReferenceReading, usesWholeNames: Bool, besides others: [RunVariable]
  ) throws -> [RunVariable] {
    let others = Set(others.map(\.name))
    var found: [String: (item: Item, vault: String?)] = [:]
    for (selection, vault) in words {
      let snapshot = try reading.snapshot(of: vault)
      for item in try selection.items({ snapshot.items(matching: $0) }) {
        let name = EnvironmentVariable.name(
          forItem: item.name.text, attributes: item.attributes, isWhole: usesWholeNames)
        guard EnvironmentVariable.isReadable(name) else {
          throw CommandError.usage(
            "'\(Quoting.visible(item.name.text))' gives no variable",
            hint: "give it one: \(Self.advice)")
        }
        guard !others.contains(name) else { continue }
        if let other = found[name], other.item.id != item.id {
          let names = [other.item, item].map { "'\(Quoting.visible($0.name.text))'" }
          throw CommandError.usage(
            "\(names[0]) and \(names[1]) would both be \(name)",
            hint: "use whole names: --prefix-names; or choose a variable: \(Self.advice)")
        }
        found[name] = (item, vault)
      }
    }
    return found.map { name, origin in
      var reference = SecretReference(name: origin.item.name.text)
      reference.vaultName = origin.vault
      return RunVariable(name: name, parts: [.reference(reference)])
    }.sorted { $0.name < $1.name }
  }
}
