import ArgumentParser
import VaultCredentials

/// The options of a verb that can put a secret on the clipboard in place of stdout.
struct ClipboardOptions: ParsableArguments {
  @Flag(name: [.long, .customShort("c")], help: "Put it on the clipboard, for a while.")
  var copy = false

  @Option(
    help: ArgumentHelp(
      "With --copy: when it is cleared, such as 20s; 0 for never.", valueName: "time"))
  var clearAfter: String?

  @Option(
    help: ArgumentHelp(
      "With --copy: only this one: wayland, x11, tmux, screen or terminal.", valueName: "kind"),
    completion: .list(Self.names))
  var clipboard: String?

  private static let names = ClipboardRoute.allCases.filter { $0 != .xsel }.map(\.name)

  /// What was said, checked; `nil` without `--copy`.
  ///
  /// - Throws: ``CommandError`` with code `usage`.
  func request() throws -> ClipboardRequest? {
    guard copy else {
      guard clearAfter == nil, clipboard == nil else {
        throw CommandError.usage("--clear-after and --clipboard say more of --copy")
      }
      return nil
    }
    var request = ClipboardRequest()
    if let clipboard {
      guard let route = ClipboardRoute(rawValue: clipboard), Self.names.contains(clipboard) else {
        throw CommandError.usage(
          "there is no such clipboard", hint: "known: \(Self.names.joined(separator: ", "))")
      }
      request.route = route
    }
    if let clearAfter {
      guard let seconds = Clipboard.seconds(clearAfter) else {
        throw CommandError.usage(
          "--clear-after is no time up to 1h", hint: "such as: --clear-after 20s")
      }
      request.seconds = seconds
    }
    return request
  }
}

/// What a line says of the clipboard.
package struct ClipboardRequest: Equatable, Sendable {
  /// The only one that is allowed.
  var route: ClipboardRoute?
  /// When it is cleared; `nil` for what the vault's settings say.
  var seconds: Int?

  /// The clipboard that is meant; the vault says when it is cleared if the line does not.
  func clipboard(for vault: UnlockedVault.Blocking) throws -> Clipboard {
    Clipboard(
      seconds: try seconds ?? vault.clipboardSetting() ?? Clipboard.standardSeconds, route: route)
  }
}

extension Clipboard {
  /// A time as `--clear-after` and the settings take it; `nil` if it is none.
  static func seconds(_ text: String) -> Int? {
    TimeSpan.seconds(text).flatMap { (0...maximumSeconds).contains($0) ? $0 : nil }
  }
}
