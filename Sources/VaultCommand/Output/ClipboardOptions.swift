import ArgumentParser
import VaultCommandCore
import VaultCredentials
import VaultTerminal

/// The options of commands that can copy a secret to the clipboard instead of printing it.
struct ClipboardOptions: ParsableArguments {
  @Flag(name: [.long, .customShort("c")], help: "Put it on the clipboard for a while.")
  var copy = false

  @OptionGroup var choice: ClipboardChoice

  /// The request of the line; `nil` without `--copy`.
  ///
  /// - Throws: ``CommandError`` with code `usage`.
  func request() throws -> ClipboardRequest? {
    guard copy else {
      guard !choice.isGiven else {
        throw CommandError.usage("--clear-after and --clipboard need --copy")
      }
      return nil
    }
    return try choice.request()
  }
}

/// Which clipboard a secret goes to, and for how long.
struct ClipboardChoice: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "When the clipboard is cleared, such as 20s; 0 for never.", valueName: "time"))
  var clearAfter: String?

  @Option(
    help: ArgumentHelp(
      "The clipboard to use: wayland, x11, tmux, screen or terminal.",
      valueName: "kind"),
    completion: .list(Self.names))
  var clipboard: String?

  private static let names = ClipboardRoute.allCases.filter { $0 != .xsel }.map(\.name)

  /// Whether the line has any of these options.
  var isGiven: Bool { clearAfter != nil || clipboard != nil }

  /// The request of the line.
  ///
  /// - Throws: ``CommandError`` with code `usage`.
  func request() throws -> ClipboardRequest {
    var request = ClipboardRequest()
    if let clipboard {
      guard let route = ClipboardRoute(rawValue: clipboard), Self.names.contains(clipboard) else {
        throw CommandError.usage(
          "unknown clipboard", hint: "known: \(Self.names.joined(separator: ", "))")
      }
      request.route = route
    }
    if let clearAfter {
      guard let seconds = Clipboard.seconds(clearAfter) else {
        throw CommandError.usage(
          "--clear-after must be a time up to 1h", hint: "such as: --clear-after 20s")
      }
      request.seconds = seconds
    }
    return request
  }
}
