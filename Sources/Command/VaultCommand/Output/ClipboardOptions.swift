import ArgumentParser
import VaultCommandCore
import VaultCredentials
import VaultTerminal

/// The options of commands that can copy a secret to the clipboard instead of printing it.
struct ClipboardOptions: ParsableArguments {
  @Flag(
    name: [.long, .customShort("c"), .customLong("clip")],
    help: "Put it on the clipboard for a while.")
  var copy = false

  @OptionGroup var choice: ClipboardChoice

  /// The options as they were given.
  var given: ClipboardLine {
    ClipboardLine(copy: copy, clearAfter: choice.clearAfter, clipboard: choice.clipboard)
  }

  /// The request of the line; `nil` without `--copy`.
  ///
  /// - Throws: ``CommandError`` with code `usage`.
  func request() throws -> ClipboardRequest? { try given.request() }
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

  private static let names = ClipboardLine.names

  /// The options as they were given.
  var given: ClipboardLine { ClipboardLine(clearAfter: clearAfter, clipboard: clipboard) }
}

/// The clipboard's options as a line gives them, whoever has read the line.
struct ClipboardLine: Equatable, Sendable {
  var copy = false
  var clearAfter: String?
  var clipboard: String?

  /// The clipboards that a line may name.
  static let names = ClipboardRoute.allCases.filter { $0 != .xsel }.map(\.name)

  /// Whether the line chooses a clipboard or a time.
  var isChoiceGiven: Bool { clearAfter != nil || clipboard != nil }

  /// The request of the line; `nil` without `--copy`.
  ///
  /// - Throws: ``CommandError`` with code `usage`.
  func request() throws -> ClipboardRequest? {
    guard copy else {
      guard !isChoiceGiven else {
        throw CommandError.usage("--clear-after and --clipboard need --copy")
      }
      return nil
    }
    return try choice()
  }

  /// The clipboard and the time of the line, whether or not it has `--copy`.
  ///
  /// - Throws: ``CommandError`` with code `usage`.
  func choice() throws -> ClipboardRequest {
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
