import ArgumentParser
import VaultCommandCore
import VaultStorage
import VaultTerminal

extension RunWatch.Action: ExpressibleByArgument {}

/// The options of `vault run --watch`.
struct RunWatchOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Follow changes of the secrets: restart the command (also --watch alone), send it a signal, "
        + "or stop it and exit with 75.", valueName: "action"))
  var watch: RunWatch.Action?

  @Option(
    help: ArgumentHelp(
      "What --watch=signal sends when the files are replaced; HUP if not given.",
      valueName: "signal"), completion: .list(Self.signals))
  var signal: String?

  @Option(
    help: ArgumentHelp("What stops the command; TERM if not given.", valueName: "signal"),
    completion: .list(Self.signals))
  var stopSignal: String?

  @Option(
    help: ArgumentHelp(
      "How long it may take to stop before it is killed; 10s if not given.", valueName: "time"))
  var stopTimeout: String?

  @Option(
    help: ArgumentHelp(
      "How long the vault is quiet before a change counts; 200ms if not given.", valueName: "time"))
  var settle: String?

  @Option(
    help: ArgumentHelp(
      "The longest random wait before a change counts, so that many machines do not restart at once.",
      valueName: "time"))
  var splay: String?

  private static let signals = ["HUP", "INT", "QUIT", "TERM", "USR1", "USR2", "WINCH"]

  /// What the line asks for.
  var request: RunWatchRequest {
    RunWatchRequest(
      action: watch, signal: signal, stopSignal: stopSignal, stopTimeout: stopTimeout,
      settle: settle, splay: splay)
  }
}

/// What a line of `vault run` says of following changes.
struct RunWatchRequest: Equatable, Sendable {
  var action: RunWatch.Action?
  var signal: String?
  var stopSignal: String?
  var stopTimeout: String?
  var settle: String?
  var splay: String?

  /// How the command is watched; `nil` if it is not.
  ///
  /// - Throws: ``CommandError`` with code `.usage` for an option that says nothing without `--watch`,
  ///   `.invalidValue` for a signal or a time that is none.
  func options() throws -> RunWatch.Options? {
    guard let action else {
      let alone = [
        ("signal", signal), ("stop-signal", stopSignal), ("stop-timeout", stopTimeout),
        ("settle", settle), ("splay", splay),
      ].first { $0.1 != nil }
      guard let alone else { return nil }
      throw CommandError.usage("--\(alone.0) belongs to --watch", hint: "add --watch")
    }
    guard signal == nil || action == .signal else {
      throw CommandError.usage(
        "--signal belongs to --watch=signal",
        hint: "what stops the command is --stop-signal \(Quoting.shell(signal ?? ""))")
    }
    var options = RunWatch.Options(action: action)
    if let signal { options.signal = try Self.number(signal, of: "--signal") }
    if let stopSignal { options.stopSignal = try Self.number(stopSignal, of: "--stop-signal") }
    if let stopTimeout {
      options.stopTimeout = try Self.time(stopTimeout, of: "--stop-timeout", upTo: 86_400)
    }
    if let settle { options.settle = try Self.time(settle, of: "--settle", upTo: 60) }
    if let splay { options.splay = try Self.time(splay, of: "--splay", upTo: 3600) }
    return options
  }

  private static func number(_ text: String, of option: String) throws -> Int32 {
    guard let number = SignalName.number(text) else {
      throw CommandError(
        .invalidValue, "\(option) takes a signal", hint: "such as: \(option) HUP")
    }
    return number
  }

  /// `200ms`, or a time as everywhere.
  private static func time(
    _ text: String, of option: String, upTo limit: Int
  ) throws -> Duration {
    let time: Duration? =
      if text.hasSuffix("ms") {
        Int(text.dropLast(2)).map { .milliseconds($0) }
      } else if text == "0" {
        .zero
      } else {
        TimeSpan.seconds(text).map { .seconds($0) }
      }
    guard let time, time >= .zero, time <= .seconds(limit) else {
      throw CommandError(
        .invalidValue, "\(option) takes a time of at most \(limit) seconds",
        hint: "such as: \(option) 500ms, or \(option) 5s")
    }
    return time
  }
}
