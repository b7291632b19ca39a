package import VaultSealing
import VaultTerminal

/// Writes secrets to stdout: exactly their bytes, with a newline on a terminal only.
package enum SecretOutput {
  /// Writes `secret` to stdout.
  ///
  /// - Throws: ``CommandError`` with code `usage` if a terminal would act on its bytes.
  package static func write(_ secret: SecretBytes) throws {
    guard StandardOutput.isTerminal else { return try StandardOutput.write(secret) }
    guard SecretText.isPrintable(secret) else {
      throw CommandError.usage(
        "the secret holds bytes that a terminal would act on",
        hint: "write it to a file with --out FILE, or into a pipe")
    }
    try StandardOutput.write(secret)
    let endsWithNewline = secret.withBytes {
      $0.byteCount > 0 && $0.byte(at: $0.byteCount - 1) == 0x0A
    }
    if !endsWithNewline { try StandardOutput.write("\n") }
  }
}
