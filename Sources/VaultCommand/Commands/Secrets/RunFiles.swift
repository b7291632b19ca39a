import VaultSealing
import VaultTerminal

/// What `vault run` hands over beside the environment: open files in memory, and stdin.
struct RunFile: Equatable, Sendable {
  /// How the command learns of it.
  enum Use: Equatable, Sendable {
    /// The descriptor's number, in a variable that ends in `_FD`, or as the line says.
    case descriptor(Int32?)
    /// A path, in a variable that ends in `_FILE`.
    case path
    case standardInput
  }

  let reference: SecretReference
  let variable: String
  let use: Use

  /// `NAME` or `NAME=N`, as `--fd` takes it.
  static func descriptor(_ text: String) throws -> RunFile {
    var name = text
    var number: Int32?
    if let equals = text.unicodeScalars.lastIndex(of: "="),
      let digits = Int32(text[text.unicodeScalars.index(after: equals)...])
    {
      guard SealedMemoryFile.numbers.contains(digits) else {
        throw CommandError.usage(
          "--fd takes a number from \(SealedMemoryFile.numbers.lowerBound) to "
            + "\(SealedMemoryFile.numbers.upperBound)", hint: "such as: --fd api-token=3")
      }
      number = digits
      name = String(text[..<equals])
    }
    return try RunFile(name, suffix: "_FD", use: .descriptor(number))
  }

  static func path(_ text: String) throws -> RunFile {
    try RunFile(text, suffix: "_FILE", use: .path)
  }

  static func standardInput(_ text: String) throws -> RunFile {
    try RunFile(text, suffix: "", use: .standardInput)
  }

  private init(_ text: String, suffix: String, use: Use) throws {
    reference = try SecretReference(nameOrReference: text)
    variable = try RunVariable.variableName(for: reference) + suffix
    self.use = use
  }

  /// Makes the files, and says which variables tell of them.
  ///
  /// - Parameters:
  ///   - files: What the line asks for.
  ///   - values: The secret of each.
  /// - Returns: Where each descriptor belongs, and the variables.
  /// - Throws: ``CommandError`` where two are to have one number, or no file can be made.
  static func make(
    _ files: [RunFile], values: [SecretBytes]
  ) throws -> (placements: [(file: Int32, number: Int32)], variables: [(String, SecretBytes)]) {
    var taken: Set<Int32> = []
    for file in files {
      guard case .descriptor(let number?) = file.use else { continue }
      guard taken.insert(number).inserted else {
        throw CommandError.usage("two secrets are to have the descriptor \(number)")
      }
    }
    var placements: [(file: Int32, number: Int32)] = []
    var variables: [(String, SecretBytes)] = []
    for (file, value) in zip(files, values) {
      let number: Int32
      switch file.use {
      case .standardInput: number = 0
      case .descriptor(let asked?): number = asked
      case .descriptor(nil), .path: number = try SealedMemoryFile.freeNumber(besides: taken)
      }
      taken.insert(number)
      placements.append((try SealedMemoryFile.make(value), number))
      switch file.use {
      case .standardInput: break
      case .descriptor:
        variables.append((file.variable, try SecretBytes(copying: Array("\(number)".utf8))))
      case .path:
        let path = "/proc/self/fd/\(number)"
        variables.append((file.variable, try SecretBytes(copying: Array(path.utf8))))
      }
    }
    return (placements, variables)
  }
}
