import VaultCredentials
package import VaultSealing
import VaultStorage
import VaultTerminal

/// The key file that a line names: a path, or `-` for stdin.
package enum KeyFileInput {
  /// Reads the key from stdin, as from a file: exactly 32 bytes.
  ///
  /// - Returns: The key in locked memory.
  /// - Throws: `CommandError` with code `usage` if stdin is a terminal; `CredentialError` with code
  ///   `.wrongKey` for another length; `TerminalError` with code `.tooLong`.
  package static func readStandardInput() throws -> SecretBytes {
    if ProcessState.isTerminal(0) {
      throw CommandError.usage(
        "stdin is the terminal, and a key file is 32 bytes of any value",
        hint: "pipe it: ssh host cat vault.key | \(ProgramName.current) list --key-file -")
    }
    let key = try SecretInput.read(0, limit: 4096)
    guard key.count == KeyFile.length else {
      throw CommandError(
        .usage, "stdin holds no key file: it has \(Plural.bytes(key.count)), not \(KeyFile.length)",
        hint: "check where it comes from")
    }
    return key
  }

  /// The source of a path or `-`.
  static func source(_ path: String) -> KeySource {
    path == SecretInput.standardInput ? .key { try readStandardInput() } : .keyFile(path)
  }
}
