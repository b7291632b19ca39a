import Glibc
import VaultRedaction
import VaultSealing
import VaultStorage
import VaultTerminal

/// A command that an agent runs with secrets, from the server to the program.
///
/// Between the two is a process that ends with the command all that it has started. The secrets go
/// past it, in a sealed file in memory: no environment has them but that of the command.
enum MCPCommand {
  /// The process that ends all: the number of the file, and the command.
  static let keeperVerb = "mcp-keeper"
  /// The process that becomes the command: the same.
  static let commandVerb = "mcp-command"
  /// Where the keeper has the file, and where the command has it.
  private static let (keeperNumber, commandNumber): (Int32, Int32) = (3, 4)
  private static let limit = 2 << 20

  /// Starts a command.
  static func start(
    _ command: [String], _ given: MCPVault.Given, hidden: Set<String>, limit: Int
  ) throws -> MaskedCapture {
    let file = try SealedMemoryFile.make(try packed(given.values))
    defer { SealedMemoryFile.close(file) }
    let words = [HelperProgram.ownFile, keeperVerb, String(keeperNumber)] + command
    return try MaskedCapture(
      Execution(
        command: words.map { Array($0.utf8) }, secrets: [], removedVariables: hidden,
        keepsLittle: false, files: [(file, keeperNumber)]),
      masking: given.redactor, limit: limit)
  }

  /// Keeps the command, and ends the process as it ended.
  static func keep(_ file: Int32, _ words: [[UInt8]]) -> Never {
    let own = [HelperProgram.ownFile, commandVerb, String(commandNumber)].map { Array($0.utf8) }
    do {
      let end = try ProgramKeeper.run(
        Execution(
          command: own + words, secrets: [], removedVariables: [], keepsLittle: false,
          files: [(file, commandNumber)]))
      end.endProcess()
    } catch {
      StandardError.write("vault: error: the command could not be started\n")
      exit(126)
    }
  }

  /// Becomes the command.
  static func become(_ file: Int32, _ words: [[UInt8]]) -> Never {
    do {
      let secrets = try unpacked(try SecretInput.read(file, limit: limit))
      close(file)
      try Execution(
        command: words, secrets: secrets, removedVariables: [], keepsLittle: false, files: []
      ).replaceProcess()
    } catch let error as TerminalError {
      StandardError.write("vault: error: \(error.message)\n")
      // A shell's statuses: POSIX, 2.8.2.
      exit(error.code == .commandNotFound ? 127 : 126)
    } catch {
      StandardError.write("vault: error: the command could not be started\n")
      exit(126)
    }
  }

  // MARK: The file

  /// For each variable the lengths of name and value, in eight digits, and both.
  private static func packed(
    _ values: [(variable: String, value: SecretBytes)]
  ) throws -> SecretBytes {
    try SecretBytes.joined(
      try values.flatMap { variable, value in
        let name = Array(variable.utf8)
        let head = digits(name.count) + digits(value.count) + name
        return [try SecretBytes(copying: head), value]
      })
  }

  private static let width = 8

  private static func digits(_ number: Int) -> [UInt8] {
    let text = Array(String(number).utf8)
    return [UInt8](repeating: UInt8(ascii: "0"), count: width - text.count) + text
  }

  private static func unpacked(
    _ bytes: SecretBytes
  ) throws -> [(variable: String, value: SecretBytes)] {
    let unreadable = HelperFailure("the secrets cannot be read")
    func text(_ range: Range<Int>) throws -> String {
      guard range.upperBound <= bytes.count else { throw unreadable }
      return String(decoding: bytes.withBytes { $0.array(range) }, as: UTF8.self)
    }
    func number(at place: Int) throws -> Int {
      guard let number = Int(try text(place..<place + width)), number >= 0 else { throw unreadable }
      return number
    }
    var values: [(variable: String, value: SecretBytes)] = []
    var place = 0
    while place < bytes.count {
      let name = place + 2 * width
      let value = name + (try number(at: place))
      let end = value + (try number(at: place + width))
      guard end <= bytes.count else { throw unreadable }
      values.append((try text(name..<value), try bytes.slice(value..<end)))
      place = end
    }
    return values
  }
}
