import VaultStorage

/// A file of variables as one program reads it.
///
/// Each format has one reader, so that a value is exactly what the vault has, or is left out.
/// `dotenv` in contrast is for readers that disagree: ``DotenvExport``.
public enum EnvironmentFile: String, CaseIterable, Sendable {
  /// `docker run --env-file`: everything behind `=` up to the end of the line, quotes too.
  /// docs.docker.com, "docker container run", --env-file; opts/file.go.
  case docker
  /// `kubectl create secret generic --from-env-file`: as docker's.
  /// kubernetes.io, "Define environment variables"; util/env_file.go.
  case kubectl
  /// `EnvironmentFile=` of a systemd unit: systemd.exec(5).
  case systemd
  /// A script for a POSIX shell to source, which exports the variables.
  case shell
  /// `node --env-file`: nodejs.org, "Command-line API"; src/node_dotenv.cc.
  case node
  /// `env_file:` and `.env` of Docker Compose: docs.docker.com, "Interpolation"; compose-go/dotenv.
  case compose

  /// The most bytes of a line that docker and kubectl read: bufio.MaxScanTokenSize of Go.
  private static let longestLine = (64 << 10) - 2

  /// Returns the line of a variable.
  ///
  /// - Parameters:
  ///   - variable: The variable's name.
  ///   - value: Its value, any text.
  /// - Returns: The line without its end, or several; `nil` if the program would read another
  ///   value, whatever is written.
  func line(_ variable: String, _ value: String) -> String? {
    guard !value.utf8.contains(0) else { return nil }
    let bytes = value.utf8
    switch self {
    case .docker, .kubectl:
      let line = "\(variable)=\(value)"
      let isWhole = !bytes.contains(0x0A) && bytes.last != 0x0D
      return isWhole && line.utf8.count <= Self.longestLine ? line : nil
    case .shell:
      guard !ShellVariable.isTaken(variable) else { return nil }
      return "export \(variable)=\(Self.singleQuotedForShell(value))"
    case .systemd:
      // One value with a noncharacter, and it takes nothing of the whole file: basic/utf8.c,
      // unichar_is_valid; basic/env-file.c, check_utf8ness_and_warn.
      guard !value.unicodeScalars.contains(where: \.properties.isNoncharacterCodePoint) else {
        return nil
      }
      return "\(variable)=" + (Self.inSingleQuotes(value) ?? Self.inDoubleQuotes(value, "\"\\`$"))
    case .node: return Self.quotedForNode(value).map { "\(variable)=\($0)" }
    case .compose:
      // A backslash before the closing quote would take it along.
      let plain = bytes.last == UInt8(ascii: "\\") ? nil : Self.inSingleQuotes(value)
      return bytes.contains(0x0D)
        ? nil : "\(variable)=\(plain ?? Self.inDoubleQuotes(value, "\"\\$"))"
    }
  }

  /// The value in single quotes, if it has none.
  private static func inSingleQuotes(_ value: String) -> String? {
    value.utf8.contains(UInt8(ascii: "'")) ? nil : "'\(value)'"
  }

  /// The value in double quotes, with a backslash before each of these characters.
  private static func inDoubleQuotes(_ value: String, _ special: String) -> String {
    var text = "\""
    for scalar in value.unicodeScalars {
      if special.unicodeScalars.contains(scalar) { text += "\\" }
      text.unicodeScalars.append(scalar)
    }
    return text + "\""
  }

  /// IEEE Std 1003.1, 2.2.2: in single quotes everything is literal, and none can stand there.
  private static func singleQuotedForShell(_ value: String) -> String {
    "'" + value.substituting("'", with: "'\\''") + "'"
  }

  /// Node knows no escapes but `\n` in double quotes, and removes carriage returns.
  private static func quotedForNode(_ value: String) -> String? {
    guard !value.utf8.contains(0x0D) else { return nil }
    for quote in ["'", "`"] where !value.contains(bytes: quote) { return quote + value + quote }
    guard !value.contains(bytes: "\""), !value.contains(bytes: "\\n") else { return nil }
    return "\"\(value)\""
  }
}
