package import VaultPreferences
package import VaultSealing
package import VaultStorage

/// `vault defaults`: the grammar, the words and the exit statuses of macOS's `defaults`.
///
/// It parses its own words, since there everything may be a value, `-x` too. It runs as a subcommand
/// of `vault` and under a link named `defaults`.
package struct DefaultsTool {
  /// Where text goes and comes from.
  package struct Streams {
    package var output: ([UInt8]) -> Void
    package var error: ([UInt8]) -> Void
    package var input: () throws -> [UInt8]

    package init(
      output: @escaping ([UInt8]) -> Void, error: @escaping ([UInt8]) -> Void,
      input: @escaping () throws -> [UInt8]
    ) {
      self.output = output
      self.error = error
      self.input = input
    }
  }

  package var location: () throws -> StoreLocation
  package var streams: Streams
  /// The keys of protected domains; asked for when one is met.
  package var keys: () throws -> (any DataKeyProvider)?
  package var managed: ManagedPreferences
  /// The user's home, for paths that begin with `~`.
  package var home: () -> String?

  package init(
    location: @escaping () throws -> StoreLocation, streams: Streams,
    keys: @escaping () throws -> (any DataKeyProvider)? = { nil },
    managed: ManagedPreferences = ManagedPreferences(),
    home: @escaping () -> String? = { StoreLocation.variable("HOME") }
  ) {
    self.location = location
    self.streams = streams
    self.keys = keys
    self.managed = managed
    self.home = home
  }

  /// Runs one line.
  ///
  /// - Parameter arguments: The words after `vault defaults`.
  /// - Returns: The exit status: 0, 1, or 255 with the help text on a usage error.
  package func run(_ arguments: [String]) -> ExitStatus {
    let session = DefaultsSession(self)
    defer { session.close() }
    do {
      try session.run(arguments)
      return .done
    } catch {
      report(error)
      return .ofDefaults(error)
    }
  }

  /// Writes what macOS's `defaults` would: the help text, or a line as NSLog writes it.
  private func report(_ error: any Error) {
    switch error {
    case let usage as DefaultsUsage:
      print(usage.verb.flatMap(DefaultsHelp.ofVerb) ?? DefaultsHelp.text)
    case let refusal as DefaultsRefusal:
      if let message = refusal.message { log(message) }
    default:
      log("\(error)")
      if let advice = advice(for: error) ?? remedy(for: error) { log(advice) }
    }
  }

  private func remedy(for error: any Error) -> String? {
    guard let error = error as? PreferenceError else { return nil }
    switch error.code {
    case .managed:
      return "Defaults have not been changed. Only the administrator can change that file."
    case .locked: return "The vault has the key: vault unlock opens it, vault init makes one."
    default: return nil
    }
  }

  func print(_ text: String) { streams.output(Array((text + "\n").utf8)) }

  /// One message as NSLog writes it.
  func log(_ message: String) {
    streams.error(Array("\(LogPrefix.now()) \(message)\n".utf8))
  }

  /// A remark beside the answer.
  func warn(_ message: String) {
    streams.error(Array("defaults: warning: \(message)\n".utf8))
  }
}

/// The words make no sense: the help text, exit 255.
struct DefaultsUsage: Error {
  /// The verb of our own whose help is enough.
  var verb: String?
}

/// What was asked for cannot be done: a message, or none if there is nothing to say, exit 1.
struct DefaultsRefusal: Error {
  let message: String?

  init(_ message: String?) { self.message = message }
}
