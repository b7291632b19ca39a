import Glibc
import VaultCredentials
import VaultProtocols
import VaultStorage
import VaultTerminal

// Browsers: manifests by which they start the helper for KeePassXC's extension.

extension Connection {
  private typealias Browser = BrowserManifest.Browser

  /// Refuses a part that is no browser.
  func checkBrowser() throws {
    guard let name = browserName, Browser(rawValue: name) == nil else { return }
    throw CommandError.usage(
      "no browser is known as \(LineValue.shown(name))",
      hint: "known: \(Browser.allCases.map(\.rawValue).joined(separator: ", "))")
  }

  func connectingBrowsers() throws -> [Change] {
    try checkBrowser()
    let browsers = try browsers()
    guard !browsers.isEmpty else {
      throw CommandError.usage(
        "no browser has a folder in this home",
        hint: "name one: \(ProgramName.current) connect browser firefox; known: "
          + Browser.allCases.map(\.rawValue).joined(separator: ", "))
    }
    let script = try script()
    let others = try Browser.allCases.filter { try !browsers.contains($0) && isConnected($0) }
    return try writingScript(script, usedBy: others)
      + browsers.compactMap { try connecting($0, script: script) }
  }

  func disconnectingBrowsers() throws -> [Change] {
    try checkBrowser()
    let named = browserName.flatMap { Browser(rawValue: $0) }
    var changes: [Change] = []
    var isLeft = false
    for browser in Browser.allCases {
      guard try isConnected(browser) else {
        if named == nil || named == browser { changes += try settlingKept(browser) }
        continue
      }
      if named == nil || named == browser {
        changes.append(try disconnecting(browser))
      } else {
        isLeft = true
      }
    }
    return changes + (isLeft ? [] : try removingScript())
  }

  /// What is left to do, and browsers that cannot start the vault.
  func nextStepsOfBrowsers() throws -> [(text: String, hint: String)] {
    var steps: [(text: String, hint: String)] = [
      (
        "install KeePassXC-Browser from the browser's store, and press Connect in it",
        "the question comes in another terminal: \(ProgramName.current) approve --watch"
      )
    ]
    if keyFile == nil {
      steps.append(
        (
          "a browser asks nobody for a passphrase: a session has to open the vault",
          "such as: \(ProgramName.current) unlock --until-logout"
        ))
    }
    let home = try home()
    for browser in Browser.allCases {
      for folder in browser.sandboxes where UserFile.exists("\(home)/\(folder)") {
        steps.append(
          (
            "the \(browser.rawValue) in ~/\(folder) cannot start programs of this system",
            "install it as a package of your distribution"
          ))
      }
    }
    return steps
  }

  // MARK: Files

  private func folder(of browser: Browser) throws -> String {
    let place = browser.place
    return try (place.isInConfiguration ? configurationFolder() : home()) + "/" + place.folder
  }

  private func manifest(of browser: Browser) throws -> ConfigurationFile {
    ConfigurationFile(path: "\(try folder(of: browser))/\(BrowserManifest.file)")
  }

  /// The browser that is named, or those that have a folder here.
  private func browsers() throws -> [Browser] {
    if let name = browserName { return [Browser(rawValue: name)].compactMap(\.self) }
    return try Browser.allCases.filter { browser in
      if UserFile.exists(UserFile.folder(of: try folder(of: browser))) { return true }
      // A newer Firefox keeps its profiles there, and looks for manifests in ~/.mozilla all the same.
      return try browser == .firefox && UserFile.exists("\(configurationFolder())/mozilla")
    }
  }

  private func isConnected(_ browser: Browser) throws -> Bool {
    BrowserManifest.isOwn(try manifest(of: browser).text())
  }

  private func connecting(_ browser: Browser, script: ConfigurationFile) throws -> Change? {
    let file = try manifest(of: browser)
    let text = BrowserManifest.manifest(for: browser, script: script.path)
    let before = try file.text()
    guard before != text else { return nil }
    // A link that leads to an empty file, too: what is written there would stay when it is removed.
    let isOther =
      !BrowserManifest.isOwn(before) && UserFile.exists(file.path, followingLinks: false)
    let kept = "\(try folder(of: browser))/\(BrowserManifest.keptFile)"
    var lines = ConfigurationFile.lines(of: text)
    if isOther { lines.append("the manifest of another program is kept as \(kept)") }
    return Change(path: file.path, lines: lines) {
      if isOther { try Self.move(file.path, to: kept) }
      try file.replace(with: text)
    }
  }

  private func disconnecting(_ browser: Browser) throws -> Change {
    let file = try manifest(of: browser)
    let kept = "\(try folder(of: browser))/\(BrowserManifest.keptFile)"
    guard UserFile.exists(kept) else {
      return Change(path: file.path, lines: file.removedLines(of: try file.text())) {
        try file.removeText()
      }
    }
    return Change(path: file.path, lines: ["\(kept) is put back"]) {
      try Self.move(kept, to: file.path)
    }
  }

  /// What a connecting that was cut short has left of another program's manifest, or what that
  /// program has written anew since.
  private func settlingKept(_ browser: Browser) throws -> [Change] {
    let file = try manifest(of: browser)
    let kept = ConfigurationFile(path: "\(try folder(of: browser))/\(BrowserManifest.keptFile)")
    guard UserFile.exists(kept.path) else { return [] }
    guard UserFile.exists(file.path) else {
      return [
        Change(path: file.path, lines: ["\(kept.path) is put back"]) {
          try Self.move(kept.path, to: file.path)
        }
      ]
    }
    return [
      Change(path: kept.path, lines: ConfigurationFile.lines(of: try kept.text())) {
        try kept.remove()
      }
    ]
  }

  private static func move(_ path: String, to new: String) throws {
    do {
      try System.rename(path, to: new, in: AT_FDCWD)
    } catch {
      throw CommandError(.cannotCreate, "\(new) cannot be written: \(error.reason)")
    }
  }

  // MARK: Script

  private func script() throws -> ConfigurationFile {
    let data =
      try StoreLocation.place("XDG_DATA_HOME").flatMap { $0.begins(with: "/") ? $0 : nil }
      ?? home() + "/.local/share"
    return ConfigurationFile(path: "\(data)/\(BrowserManifest.scriptPath)")
  }

  /// Writes the script that all browsers share.
  private func writingScript(
    _ file: ConfigurationFile, usedBy others: [Browser]
  ) throws -> [Change] {
    var variables: [(name: String, value: String)] = []
    if let home = settings.home ?? ProcessState.variable(EnvironmentNames.home) {
      variables.append((EnvironmentNames.home, absolute(home)))
    }
    if let name = settings.vaultName ?? ProcessState.variable(EnvironmentNames.vaultName) {
      variables.append((EnvironmentNames.vaultName, name))
    }
    if let keyFile {
      guard keyFile != SecretInput.standardInput else {
        throw CommandError.usage(
          "a key file on stdin is there only once", hint: "name a file: --key-file PATH")
      }
      variables.append((EnvironmentNames.keyFile, absolute(keyFile)))
    }
    let text = BrowserManifest.script(helper: try HelperProgram.path(), variables: variables)
    let before = try file.text()
    guard before != text else { return [] }
    guard before.isEmpty || BrowserManifest.isOwnScript(before) else {
      throw CommandError(
        .connectedOtherwise, "\(file.path) contains something else",
        hint: "move it away, and connect again")
    }
    if let other = others.first, !before.isEmpty,
      !BrowserManifest.settings(of: before).isSame(as: BrowserManifest.settings(of: text))
    {
      throw CommandError(
        .connectedOtherwise,
        "\(other.rawValue) is connected with another vault or key file, and all browsers share one",
        hint: "disconnect it first: \(ProgramName.current) disconnect browser \(other.rawValue)")
    }
    return [
      Change(path: file.path, lines: ConfigurationFile.lines(of: text)) {
        // A new file, so that it can be run whatever the former one's mode was.
        if UserFile.exists(file.path) { try file.remove() }
        try file.replace(with: text, mode: 0o755)
      }
    ]
  }

  private func removingScript() throws -> [Change] {
    let file = try script()
    let text = try file.text()
    guard BrowserManifest.isOwnScript(text) else { return [] }
    return [
      Change(path: file.path, lines: file.removedLines(of: text)) { try file.removeText() }
    ]
  }
}
