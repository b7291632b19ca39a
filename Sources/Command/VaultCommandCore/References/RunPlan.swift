import VaultExchange
package import VaultProtocols
package import VaultSealing
import VaultStorage
import VaultTerminal

/// What a line of `vault run` gives its command, and where each part comes from.
package struct RunPlan: Sendable {
  /// What a command gets: the values of variables, and the contents of files.
  ///
  /// Of one-time codes it says so: they change by themselves.
  package struct Given: Sendable {
    package var values: [(variable: String, value: SecretBytes, isCode: Bool)]
    package var contents: [(value: SecretBytes, isCode: Bool)]
    /// All secrets among them, where the reading keeps them.
    package var secrets: [SecretBytes]
  }

  package let folders: RunFolders
  /// The variables on the line itself.
  package let asked: [RunVariable]
  /// Those of files with variables.
  package let inFiles: [RunVariable]
  package let files: [RunFile]
  /// Whether a folder's variables have whole names.
  package let usesWholeNames: Bool

  /// Makes a plan; see the properties.
  package init(
    folders: RunFolders, asked: [RunVariable], inFiles: [RunVariable], files: [RunFile],
    usesWholeNames: Bool
  ) {
    self.folders = folders
    self.asked = asked
    self.inFiles = inFiles
    self.files = files
    self.usesWholeNames = usesWholeNames
  }

  /// The references on the line and in files; those of folders are found by reading.
  package var references: [SecretReference] {
    (asked + inFiles).flatMap(\.references) + files.map(\.reference)
  }

  /// The vaults that are read: their names, `nil` for the one that the line means.
  package var vaultNames: [String?] { references.map(\.vaultName) + folders.vaultNames }

  /// Opens the vaults, and finds all variables.
  ///
  /// What stands on the line itself wins over a folder, and a folder over a file.
  ///
  /// - Parameter reading: What reads the references.
  /// - Returns: The variables.
  /// - Throws: ``CommandError`` for names that clash; what opening a vault throws.
  package func variables(_ reading: ReferenceReading) throws -> [RunVariable] {
    try reading.open(references, readsAll: !folders.isEmpty)
    let onLine = try asked.map { try reading.named($0) }
    try RunVariable.checkNames(onLine)
    let inFolders = try folders.variables(reading, usesWholeNames: usesWholeNames, besides: onLine)
    return inFiles.besides(onLine + inFolders) + inFolders + onLine
  }

  /// Reads everything that a command gets.
  ///
  /// - Parameters:
  ///   - variables: What ``variables(_:)`` found.
  ///   - reading: What reads the references.
  /// - Returns: The values.
  /// - Throws: ``CommandError`` with code `.itemNotFound` that names all that is missing, or `.usage`
  ///   for a value that no environment can hold.
  package func given(
    _ variables: [RunVariable], _ reading: ReferenceReading
  ) throws -> Given {
    let values = try values(of: variables, reading)
    let contents = try files.compactMap { file in
      try reading.value(of: file.reference).map { ($0, file.reference.attribute == .otp) }
    }
    try throwIfMissing(reading, variables)
    return Given(values: values, contents: contents, secrets: reading.secrets)
  }

  /// Throws one error for all that is missing; what a file asks for has its line.
  ///
  /// - Parameters:
  ///   - reading: What has looked for it.
  ///   - variables: All variables.
  /// - Throws: ``CommandError`` with code `.itemNotFound`.
  package func throwIfMissing(
    _ reading: ReferenceReading, _ variables: [RunVariable]
  ) throws {
    let places = variables.filter { $0.place != nil && !$0.references.isEmpty }
    guard places.contains(where: { !reading.missing.isDisjoint(with: $0.references) }) else {
      return try reading.throwIfMissing()
    }
    let onLine = reading.missing.filter { reference in
      !places.contains { $0.references.contains(reference) }
    }
    let sentences =
      onLine.map { reading.reason(for: $0) }
      + places.flatMap { variable in
        variable.references.filter(reading.missing.contains).map {
          "\(variable.place ?? ""): \(reading.reason(for: $0))"
        }
      }
    throw CommandError(
      .itemNotFound, sentences.joined(separator: "; "),
      hint: reading.hintForMissing())
  }

  private func values(
    of variables: [RunVariable], _ reading: ReferenceReading
  ) throws -> [(variable: String, value: SecretBytes, isCode: Bool)] {
    var values: [(variable: String, value: SecretBytes, isCode: Bool)] = []
    for variable in variables {
      guard let value = try reading.value(of: variable.parts) else { continue }
      let hasNUL = value.withBytes { bytes in
        (0..<bytes.byteCount).contains { bytes.byte(at: $0) == 0 }
      }
      guard !hasNUL else {
        throw CommandError.usage(
          "the secret for \(variable.name) contains a NUL byte, which an environment cannot hold",
          hint: "use an encoding: --env \(variable.name)='secret://NAME?encoding=base64'")
      }
      // Linux takes no longer text: execve(2), "Limits on size of arguments and environment".
      guard variable.name.utf8.count + value.count + 2 <= 32 * 4096 else {
        let source = variable.references.first?.text ?? variable.name
        throw CommandError.usage(
          "the secret for \(variable.name) is longer than an environment can hold, 128 KiB",
          hint:
            "give it as a file: --as-file \(Quoting.shell(source)), or --fd \(Quoting.shell(source))"
        )
      }
      let isCode = variable.references.contains { $0.attribute == .otp }
      values.append((variable.name, value, isCode))
    }
    return values
  }
}

extension [RunVariable] {
  /// The variables without those that are set elsewhere.
  fileprivate func besides(_ others: [RunVariable]) -> [RunVariable] {
    let names = Set(others.map(\.name))
    return filter { !names.contains($0.name) }
  }
}

extension [SecretReference] {
  fileprivate func isDisjoint(with others: [SecretReference]) -> Bool {
    !others.contains(where: contains)
  }
}
