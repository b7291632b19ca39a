import Glibc
import VaultCredentials
package import VaultExchange
import VaultProtocols
import VaultSealing
import VaultStorage
import VaultTerminal

/// The file that `vault import dotenv --references` writes: the `.env` file with references in
/// place of the secrets that the vault holds now.
package struct ReferencesFile {
  private static let option = "--references"

  private let path: String
  private let document: DotenvReferences

  /// Prepares the file, and asks before an existing one is replaced.
  ///
  /// - Parameters:
  ///   - path: The file to write; `-` for stdout.
  ///   - bytes: The `.env` file.
  ///   - isConfirmed: Whether an existing file may be replaced without a question.
  /// - Throws: `ExchangeError` with code `.unreadable`; ``CommandError`` with code
  ///   `import-unreadable` for lines that would stay in clear since nobody can read them,
  ///   `cannot-create` if the file exists and there is nobody to ask.
  package init(path: String, of bytes: [UInt8], isConfirmed: Bool) throws {
    self.path = path
    document = try DotenvReferences(bytes)
    if let first = document.unread.first {
      let others = document.unread.dropFirst().map { "\($0.line)" }
      throw CommandError(
        .importUnreadable,
        "line \(first.line): \(first.reason)"
          + (others.isEmpty ? "" : "; nor can lines \(others.joined(separator: ", ")) be read")
          + "; nothing was imported or written",
        hint: "mend what cannot be read, or take it out: it would stay in clear in the new file")
    }
    if path != "-" { try OutputFile.checkIsPlainFile(path, option: Self.option) }
    guard path != "-", !isConfirmed, SecretInput.exists(path) else { return }
    let shown = Sanitizer.visible(path)
    guard let answer = try Prompt.confirm("\(shown) exists. Replace it?", default: false) else {
      throw CommandError(
        .cannotCreate, "\(path) exists already", hint: "replace it: --yes; nothing was imported")
    }
    guard answer else {
      StandardError.note("nothing was imported")
      throw ExitStatusOnly(status: .no)
    }
  }

  /// Whether the document goes to stdout.
  package var isStandardOutput: Bool { path == "-" }

  /// Leaves out what is a reference already, and variables that make programs run other code: from a
  /// vault only a line gives them, so their values stay in the file.
  ///
  /// - Parameter reading: The variables of a file.
  /// - Returns: Those that references can stand for, and the names of those that stay.
  package static func withoutReferences(
    _ reading: ImportReading
  ) -> (reading: ImportReading, steering: [String]) {
    func steering(_ item: ImportedItem) -> String? {
      EnvironmentVariable.steering(
        ofItem: item.name, attribute: item.attributes[EnvironmentVariable.attribute])
    }
    let kept = reading.keeping { item in
      steering(item) == nil
        && item.main.withBytes { $0.text(0..<$0.byteCount) }?.contains(
          bytes: SecretReference.scheme) != true
    }
    return (kept, reading.items.compactMap(steering))
  }

  /// Leaves out what is a reference and no secret, and says so: the file is one that `run --env-file`
  /// takes.
  ///
  /// - Parameter reading: The variables of a file.
  /// - Returns: The others.
  package static func losingReferences(_ reading: ImportReading) -> ImportReading {
    func isReference(_ item: ImportedItem) -> Bool {
      item.main.withBytes { $0.text(0..<$0.byteCount) }?.begins(with: SecretReference.scheme)
        == true
    }
    var kept = reading.keeping { !isReference($0) }
    for item in reading.items where isReference(item) {
      kept.lose(
        item.origin,
        "it is a reference and no secret; a command gets what it means by: "
          + "\(ProgramName.current) run --env-file FILE")
    }
    return kept
  }

  /// Refuses a plan whose references would stand for other secrets than those of the file.
  package func check(_ plan: ImportPlan) throws {
    let others = plan.steps.filter { $0.action == .exists }.map { "'\($0.name.text)'" }
    guard let first = others.first else { return }
    throw CommandError(
      .itemExists,
      (others.count == 1
        ? "\(first) exists with another secret"
        : "\(others.count) items exist with other secrets, the first is \(first)")
        + "; nothing was imported or written",
      hint: "store new versions: --replace; or choose other names: --prefix app/")
  }

  /// Writes the file, with mode 0600.
  package func write(_ plan: ImportPlan) throws {
    var names: [String: String] = [:]
    for step in plan.steps {
      names[step.item.origin] = SecretReference(name: step.name.text).fullText
    }
    let (bytes, replaced, kept) = document.document { names[$0] }
    if !document.comments.isEmpty {
      let lines = document.comments
      StandardError.warning(
        (lines.count == 1
          ? "the comment in line \(lines[0]) may hold a secret, which is"
          : "comments may hold secrets, in lines "
            + "\(lines.map { "\($0)" }.joined(separator: ", ")), which are")
          + " in clear in the new file, too",
        hint: "take them out before the file is shared")
    }
    guard !isStandardOutput else { return try StandardOutput.write(bytes) }
    try OutputFile.write(to: path, isPlainFile: true, option: Self.option) {
      file throws(System.Failure) in
      try bytes.withRawSpan { span throws(System.Failure) in try System.writeAll(file, span) }
    }
    StandardError.note(
      "wrote \(path): \(replaced) \(replaced == 1 ? "reference" : "references")"
        + (kept > 0 ? ", \(kept) \(kept == 1 ? "value" : "values") as before" : ""),
      hint: "use it: \(ProgramName.current) run --env-file \(Quoting.shell(path)) -- COMMAND")
  }
}

/// The names that `--only` chooses: patterns with commas between them, in any case.
package struct NameChoice {
  private let patterns: [NamePattern]

  package init(_ text: String) throws {
    let words = text.uppercased().parts(at: ",").map { String($0).trimmingBlanks }
      .filter { !$0.isEmpty }
    guard !words.isEmpty else {
      throw CommandError.usage("--only names nothing", hint: "such as: --only '*KEY*,*SECRET*'")
    }
    patterns = words.map { NamePattern($0) }
  }

  package func contains(_ name: String) -> Bool {
    let name = name.uppercased()
    return patterns.contains { $0.matches(name) }
  }
}
