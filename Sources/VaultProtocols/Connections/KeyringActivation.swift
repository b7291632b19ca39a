import VaultStorage

/// The files by which a session bus, or systemd for it, starts the vault as its keyring.
///
/// D-Bus specification, "Message Bus Starting Services"; systemd.service(5).
package struct KeyringActivation {
  /// The path of the bus' file below the user's data folder.
  package static let servicePath = "dbus-1/services/org.freedesktop.secrets.service"
  /// The path of systemd's file below the user's configuration folder.
  package static let unitPath = "systemd/user/\(unit)"

  private static let unit = "vault-keyring.service"
  /// By this line a file is known to be ours.
  private static let mark = "# Written for the vault, and removed when the keyring is disconnected."

  /// The words that serve the vault.
  private let command: [String]

  /// The files for a command.
  ///
  /// - Parameter command: The words of the line that serves the vault, the first a whole path.
  package init(command: [String]) { self.command = command }

  /// What the bus reads.
  package var service: String {
    Self.text([
      Self.mark, "[D-BUS Service]", "Name=org.freedesktop.secrets",
      "Exec=\(command.map(Self.serviceWord).joined(separator: " "))",
      "SystemdService=\(Self.unit)",
    ])
  }

  /// What systemd reads.
  package var unit: String {
    Self.text([
      Self.mark, "[Unit]", "Description=The vault as the keyring of the session bus", "",
      "[Service]", "Type=dbus", "BusName=org.freedesktop.secrets",
      "ExecStart=\(command.map(Self.unitWord).joined(separator: " "))",
    ])
  }

  /// Whether a file is what this writes, for whichever command.
  ///
  /// - Parameters:
  ///   - text: The file.
  ///   - own: What this writes.
  /// - Returns: `nil` if the file is none of ours; `false` if it was changed since.
  package static func isOwn(_ text: String, like own: String) -> Bool? {
    guard text.utf8.starts(with: mark.utf8) else { return nil }
    return withoutCommand(text) == withoutCommand(own)
  }

  private static func withoutCommand(_ text: String) -> [[UInt8]] {
    Array(text.utf8).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .filter { !$0.starts(with: "Exec=".utf8) && !$0.starts(with: "ExecStart=".utf8) }
      .map { Array($0) }
  }

  private static func text(_ lines: [String]) -> String { lines.map { $0 + "\n" }.joined() }

  /// Paths are the usual words, and need no quotes.
  private static func isPlain(_ word: String) -> Bool {
    word.utf8.split(separator: UInt8(ascii: "/")).allSatisfy {
      Quoting.isPlainWord(String(decoding: Array($0), as: UTF8.self))
    } && !word.isEmpty
  }

  /// A word as a shell has it, in a value in which backslashes are escapes.
  private static func serviceWord(_ word: String) -> String {
    isPlain(word)
      ? word : escaped(Quoting.shell(word), [(0x5C, "\\\\"), (0x0A, "\\n"), (0x0D, "\\r")])
  }

  /// A word as units have it: systemd.service(5), "Command lines"; systemd.unit(5), "Specifiers".
  private static func unitWord(_ word: String) -> String {
    guard !isPlain(word) else { return word }
    let inside = escaped(
      word,
      [
        (0x5C, "\\\\"), (0x22, "\\\""), (0x0A, "\\n"), (0x0D, "\\r"), (0x25, "%%"), (0x24, "$$"),
      ])
    return "\"\(inside)\""
  }

  private static func escaped(_ text: String, _ escapes: [(byte: UInt8, text: String)]) -> String {
    String(
      decoding: text.utf8.flatMap { byte -> [UInt8] in
        escapes.first { $0.byte == byte }.map { Array($0.text.utf8) } ?? [byte]
      }, as: UTF8.self)
  }
}
