import Glibc
package import VaultProtocols
package import VaultSealing
import VaultStorage
import VaultTerminal

/// A file that `vault run` passes to its command: a file in memory, or stdin.
package struct RunFile: Equatable, Sendable {
  /// How the command finds the file.
  package enum Use: Equatable, Sendable {
    /// By the descriptor's number, in a variable that ends in `_FD`, or the number on the line.
    case descriptor(Int32?)
    /// By a path, in a variable that ends in `_FILE`.
    case path
    case standardInput

    /// The descriptor's number, if the line chose it.
    package var number: Int32? { if case .descriptor(let number) = self { number } else { nil } }
  }

  package let reference: SecretReference
  package let variable: String
  package let use: Use

  /// Parses `NAME` or `NAME=N`, the value of `--fd`.
  package static func descriptor(_ text: String) throws -> RunFile {
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

  package static func path(_ text: String) throws -> RunFile {
    try RunFile(text, suffix: "_FILE", use: .path)
  }

  package static func standardInput(_ text: String) throws -> RunFile {
    try RunFile(text, suffix: "", use: .standardInput)
  }

  private init(_ text: String, suffix: String, use: Use) throws {
    reference = try SecretReference(nameOrReference: text)
    let option =
      switch use {
      case .descriptor: "--fd"
      case .path: "--as-file"
      case .standardInput: "--to-stdin"
      }
    try Self.refuseFolder(reference.name, option: option)
    variable = try RunVariable.variableName(for: reference) + suffix
    self.use = use
  }

  /// Refuses a folder where one item is wanted, and says what takes a folder.
  ///
  /// - Parameters:
  ///   - name: What stands in the item's place.
  ///   - option: The option that takes it.
  /// - Throws: ``CommandError`` with code `usage`.
  static func refuseFolder(_ name: String, option: String) throws {
    guard name.ends(with: "/"), name != "/" else { return }
    // What stands behind an equals sign may be a secret.
    let isShown = option != "--env" && !name.utf8.contains(UInt8(ascii: "="))
    let folder = isShown ? Quoting.typed(name) : "FOLDER/"
    let one = (option == "--env" ? "VARIABLE=" : "") + folder + "NAME"
    throw CommandError.usage(
      "\(option) takes one item, and a name that ends in a slash is a folder's",
      hint: "all of it as variables: \(ProgramName.current) run \(folder) -- COMMAND; "
        + "one item: \(option) \(one)")
  }

  /// Creates the files and their variables.
  ///
  /// - Parameters:
  ///   - files: The files that the line asks for.
  ///   - values: The secret of each.
  ///   - place: Whose descriptors the paths name.
  /// - Returns: The number for each descriptor, and the variables.
  /// - Throws: ``CommandError`` if two files have the same number, or a file cannot be created.
  package static func make(
    _ files: [RunFile], values: [SecretBytes], place: Place
  ) throws -> Made {
    var taken: Set<Int32> = []
    for file in files {
      guard case .descriptor(let number?) = file.use else { continue }
      guard taken.insert(number).inserted else {
        throw CommandError.usage("two secrets would have the descriptor \(number)")
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
        variables.append(
          (file.variable, try SecretBytes(copying: Array(place.path(of: number).utf8))))
      }
    }
    return Made(placements: placements, variables: variables)
  }

  /// Files that were made.
  package struct Made {
    /// The number that the command expects each at.
    package let placements: [(file: Int32, number: Int32)]
    package let variables: [(String, SecretBytes)]

    init(
      placements: [(file: Int32, number: Int32)], variables: [(String, SecretBytes)]
    ) {
      self.placements = placements
      self.variables = variables
    }
  }

  /// Whose descriptors a path names.
  package enum Place: Sendable {
    /// A process: children find the file, too, who close their own descriptors, as those of ssh and
    /// of Python's `subprocess` do.
    case process(Int32)
    /// Whoever reads.
    case reader

    func path(of number: Int32) -> String {
      switch self {
      case .process(let process): "/proc/\(process)/fd/\(number)"
      case .reader: "/proc/self/fd/\(number)"
      }
    }
  }
}
