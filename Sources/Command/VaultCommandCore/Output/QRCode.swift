package import VaultSealing
import VaultTerminal

/// Secrets as QR codes on the terminal, drawn by the system's qrencode.
package enum QRCode {
  private static let program = "qrencode"
  // ISO/IEC 18004: version 40, level L, bytes.
  private static let maximumLength = 2953

  /// Writes a code of these bytes to stdout.
  ///
  /// The bytes go to the program's stdin. On a terminal the code has colors of its own, because a
  /// phone needs dark on light.
  package static func write(_ secret: SecretBytes) throws {
    guard secret.count > 0 else {
      throw CommandError(.empty, "the secret is empty: there is nothing to draw")
    }
    guard secret.count <= maximumLength else {
      throw CommandError(
        .tooLong, "a QR code holds at most \(maximumLength) bytes",
        hint: "write it to a file: --out FILE")
    }
    guard ProcessState.hasProgram(program) else {
      throw CommandError(
        .programMissing, "\(program) is not installed, which draws QR codes",
        hint: "install it, such as: apt install \(program)")
    }
    let form = StandardOutput.isTerminal ? "ANSIUTF8" : "UTF8"
    let drawn = try ChildProgram.runInstalled(
      [program, "--type", form, "--8bit", "--margin", "2", "--output", "-"], input: .bytes(secret))
    guard drawn.isSuccess else {
      throw CommandError(.programMissing, "\(program) could not draw the code")
    }
    try StandardOutput.write(drawn.output)
  }
}
