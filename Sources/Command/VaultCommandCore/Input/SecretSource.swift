package import VaultCredentials
package import VaultSealing
import VaultStorage
import VaultTerminal

/// A source of a passphrase: `env:NAME`, `file:PATH`, `fd:N`, `stdin` or `cmd:COMMAND`.
package enum SecretSource: Equatable, Sendable {
  case environment(String)
  case file(String)
  case descriptor(Int32)
  case standardInput
  case command(String)

  /// The longest accepted passphrase and one newline, in bytes.
  package static let maximumLength = 4097

  /// Reads the value of `--passphrase`.
  ///
  /// From now on, child processes do not get a variable that it names.
  ///
  /// - Parameters:
  ///   - text: The source, as it was typed.
  ///   - content: What comes from there, for messages.
  /// - Throws: ``CommandError`` with code `usage`. The message does not repeat the value, which may
  ///   be the passphrase itself.
  package init(_ text: String, of content: GuardedFile.Kind = .passphrase) throws {
    let (kind, value) = Self.split(text)
    switch (kind, value) {
    case ("stdin", nil): self = .standardInput
    case ("env", let name?) where !name.isEmpty && !name.utf8.contains(UInt8(ascii: "=")):
      PrivateVariables.add(name)
      self = .environment(name)
    case ("file", let path?) where !path.isEmpty: self = .file(path)
    case ("cmd", let command?) where !command.isEmpty: self = .command(command)
    case ("fd", let number?) where Int32(number).map { $0 >= 0 } == true:
      self = .descriptor(Int32(number) ?? 0)
    default:
      throw CommandError.usage(
        "a \(content.content) is never given on the command line, where every user can read it",
        hint: "say where it comes from: env:NAME, file:PATH, fd:N, stdin or cmd:COMMAND")
    }
  }

  /// Whether the source is this process's stdin.
  package var usesStandardInput: Bool { self == .standardInput || self == .descriptor(0) }

  /// Whether the source is an open descriptor, which is read once.
  package var usesDescriptor: Bool {
    switch self {
    case .standardInput, .descriptor: true
    case .file(let path): Self.isDescriptor(path)
    case .environment, .command: false
    }
  }

  /// Whether a file's name stands for an open descriptor: proc(5), /proc/PID/fd; fd(4).
  package static func isDescriptor(_ path: String) -> Bool {
    let parts = path.utf8.split(separator: UInt8(ascii: "/"))
    return path.hasPrefix("/dev/fd/") || path.hasPrefix("/dev/std")
      || path.hasPrefix("/proc/") && parts.dropFirst(2).contains { $0.elementsEqual("fd".utf8) }
  }

  /// Reads the passphrase, without one newline at its end.
  ///
  /// - Parameters:
  ///   - option: The option that named the source, for messages.
  ///   - kind: What comes from there, for messages.
  /// - Returns: The passphrase in locked memory.
  /// - Throws: ``CommandError`` with code `source-missing` or `passphrase-command-failed`,
  ///   `TerminalError` or `CredentialError` if the source cannot be read.
  package func read(
    for option: String = "--passphrase", as kind: GuardedFile.Kind = .passphrase
  ) throws -> SecretBytes {
    let limit = Self.maximumLength
    switch self {
    case .environment(let name):
      guard let value = try ProcessState.secretVariable(name) else {
        throw CommandError(
          .sourceMissing,
          Self.isVariable(name)
            ? "\(option): the environment variable \(name) is not set"
            : "\(option): the environment variable is not set")
      }
      return try SecretInput.droppingNewline(value)
    case .file(let path):
      return try SecretInput.droppingNewline(
        SecretInput.read(passphraseFile: path, as: kind, limit: limit))
    case .descriptor(let number):
      return try SecretInput.droppingNewline(SecretInput.read(number, limit: limit))
    case .standardInput:
      return try SecretInput.droppingNewline(SecretInput.read(0, limit: limit))
    case .command(let command):
      return try SecretInput.droppingNewline(
        PassphraseCommand.output(of: command, for: option, as: kind))
    }
  }

  /// Whether it is a name that a shell would take: anything else may be the passphrase itself.
  private static func isVariable(_ name: String) -> Bool {
    name.utf8.first.map { !(0x30...0x39).contains($0) } == true
      && name.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x5F: true
        default: false
        }
      }
  }

  private static func split(_ text: String) -> (kind: String, value: String?) {
    guard let colon = text.unicodeScalars.firstIndex(of: ":") else { return (text, nil) }
    return (String(text[..<colon]), String(text[text.unicodeScalars.index(after: colon)...]))
  }
}
