import VaultSealing

/// How the keyring stands, found out by asking the bus.
package struct KeyringReport: Sendable {
  /// What is in the way; `nil` if the keyring is there and unlocked.
  package var obstacle: KeyringError?
  /// The program that is the keyring.
  package var owner: KeyringOwner?
  /// The default collection's path.
  package var collection: String?
  /// Whether it is locked.
  package var isLocked: Bool?
  /// Whether secrets are encrypted on the bus; `nil` if that was not asked.
  package var isSessionEncrypted: Bool?
  /// How the default collection lies on the disk.
  package var protection = KeyringProtection.unknown
  /// Whether there is a display that a prompt could be shown on.
  package var hasDisplay: Bool
  /// Whether the keyring could show a prompt there: a display, and a program that asks.
  package var canPrompt = false

  package init(hasDisplay: Bool) { self.hasDisplay = hasDisplay }

  /// Whether the keyring gives this secret back as it is, also after the next login.
  ///
  /// What gnome-keyring cannot keep is known, and harms what others keep there: it is not tried.
  /// Where other programs are the keyring, what was written is read again.
  func keeps(_ secret: SecretBytes) -> Bool {
    guard secret.isBrokenByText else { return true }
    switch protection {
    case .encrypted: return true
    case .inClear: return false
    case .unknown: return owner?.isGnomeKeyring != true
    }
  }
}

extension Keyring {
  /// Looks how the keyring stands; never fails, never shows a prompt, never unlocks.
  ///
  /// - Parameter openingSession: Whether to find out if secrets are encrypted on the bus.
  /// - Returns: What was found out; the obstacle where it ended.
  package func probe(openingSession: Bool = false) -> KeyringReport {
    let options = options
    var report = KeyringReport(hasDisplay: options.environment.hasDisplay)
    do throws(KeyringError) {
      let found = try perform { connection, call in
        try connection.report(options, openingSession: openingSession, during: call)
      }
      if let obstacle = found.obstacle { noteSilence(obstacle) }
      return found
    } catch {
      report.obstacle = error
      return report
    }
  }
}

extension ServiceConnection {
  func report(
    _ options: KeyringOptions, openingSession: Bool, during call: KeyringCall
  ) throws -> KeyringReport {
    var report = KeyringReport(hasDisplay: options.environment.hasDisplay)
    report.owner = try process(during: call)
    do {
      report.canPrompt = try report.hasDisplay && hasPrompter(report.owner, during: call)
      guard let collection = try defaultCollection(during: call) else {
        throw noCollection(during: call)
      }
      report.collection = collection
      report.protection = try protection(of: collection, report.owner, during: call)
      let isLocked = try isLocked(collection, during: call)
      report.isLocked = isLocked
      if openingSession {
        report.isSessionEncrypted = try session(
          options, carriesSecret: false, during: call
        ).isEncrypted
      }
      if isLocked { throw KeyringError(options.lockedState) }
    } catch let failure as BusFailure where !failure.endsConnection {
      report.obstacle = failure.keyringError
    } catch let error as KeyringError {
      report.obstacle = error
    }
    return report
  }

  /// How a collection lies on the disk.
  func protection(
    of collection: String, _ owner: KeyringOwner? = nil, during call: KeyringCall
  ) throws -> KeyringProtection {
    let owner = try owner ?? process(during: call)
    guard owner.isGnomeKeyring else { return .unknown }
    return .ofGnomeKeyring(collection, in: KeyringProtection.folders(of: owner.process))
  }

  /// Whether the keyring has something to ask with.
  ///
  /// gnome-keyring leaves that to another program, gcr's prompter, and answers "dismissed" without
  /// it; other keyrings show windows of their own.
  private func hasPrompter(_ owner: KeyringOwner?, during call: KeyringCall) throws -> Bool {
    guard owner?.isGnomeKeyring == true else { return true }
    let names = try ["ListNames", "ListActivatableNames"].flatMap { method in
      try Self.ask(bus, method, reply: "(as)", during: call).part(0)?.texts ?? []
    }
    return names.contains(SecretServiceNames.prompter)
  }
}
