import ArgumentParser
import Glibc
import VaultCommandCore
import VaultCredentials
import VaultProtocols
import VaultRedaction
import VaultSealing
import VaultStorage
import VaultTerminal

/// `vault redact`.
struct RedactCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "redact",
    abstract: "Replace secrets in a text by <redacted>.",
    discussion: """
      Reads stdin or a file and writes it to stdout. Secrets are found as they are and as base64, \
      hexadecimal, percent-encoded, JSON, shell and XML text, across line breaks and colors. \
      Without names, all secrets of the vault are replaced. Those below \
      \(SecretTable.shortestSecret) bytes are not.

      ./deploy.sh 2>&1 | \(ProgramName.current) redact
      \(ProgramName.current) redact --in build.log api-token app/ > build.public.log
      """)

  @Argument(
    help: "Items, references, folders and patterns; all items if omitted.", completion: .live)
  var names: [String] = []

  @Option(
    name: [.customLong("in"), .customShort("i")],
    help: ArgumentHelp("The text; stdin if omitted.", valueName: "file"), completion: .file())
  var text: String?

  @OptionGroup(title: "Common options") var common: GlobalOptions

  private static let chunk = 256 << 10
  /// After such a pause, what is held back is looked at again: somebody may be waiting for it.
  private static let pause: Int32 = 30

  func run() throws {
    let settings = try common.settings()
    let path = text == SecretInput.standardInput ? nil : text
    if path == nil {
      if ProcessState.isTerminal(0) {
        throw CommandError.usage(
          "there is no text: stdin is the terminal",
          hint: "\(ProgramName.current) redact --in FILE")
      }
      if settings.usesStandardInput {
        throw CommandError.usage(
          "what unlocks the vault and the text cannot both come from stdin",
          hint: "name the text with --in FILE")
      }
    }
    guard !ProcessState.isClosedInput(path ?? "/dev/stdin") else { throw TerminalError.closedInput }
    let file = try path.map(open) ?? 0
    defer { if file != 0 { System.close(file) } }
    let secrets = try MaskedSecrets.named(names, settings)
    let redactor = try Redactor(secrets)
    MaskedSecrets.tellUnmasked(secrets)
    try redact(file, redactor)
  }

  private func open(_ path: String) throws -> Int32 {
    do {
      return try System.open(path, in: AT_FDCWD, flags: O_RDONLY | O_NOCTTY)
    } catch {
      throw CommandError(
        error.errno == ENOENT ? .fileNotFound : .inputUnreadable,
        error.errno == ENOENT
          ? "\(LineValue.shown(path)) does not exist"
          : "\(LineValue.shown(path)) cannot be read: \(error.reason)",
        hint: "check the path of --in")
    }
  }

  private func redact(_ file: Int32, _ redactor: Redactor) throws {
    let stream = try RedactingStream(redactor, capacity: Self.chunk)
    var output: [UInt8] = []
    while true {
      if stream.isHolding, !StreamWaiting.isReadable(file, within: Self.pause) {
        stream.takeAfterPause(&output)
        try write(&output)
      }
      let count: Int
      do {
        count = try stream.append(upTo: Self.chunk) { try System.read(file, into: &$0) }
      } catch let error as System.Failure {
        throw CommandError(.inputUnreadable, "the text cannot be read: \(error.reason)")
      }
      if count == 0 { break }
      stream.take(into: &output)
      try write(&output)
    }
    stream.takeAll(into: &output)
    try write(&output)
  }

  private func write(_ output: inout [UInt8]) throws {
    guard !output.isEmpty else { return }
    try StandardOutput.write(output)
    output.removeAll(keepingCapacity: true)
  }
}
