import VaultStorage

/// The files by which a browser starts the vault for the extension of KeePassXC.
///
/// MDN, "Native manifests"; developer.chrome.com, "Native messaging". The ids of the extension are
/// those of its stores, as KeePassXC's own manifests have them.
package enum BrowserManifest {
  /// A browser, and where it looks for manifests.
  package enum Browser: String, CaseIterable, Sendable {
    case firefox, chromium, chrome, brave, edge, vivaldi

    /// The folder of its manifests, below the home or below the configuration folder.
    package var place: (folder: String, isInConfiguration: Bool) {
      switch self {
      case .firefox: (".mozilla/native-messaging-hosts", false)
      case .chromium: ("chromium/NativeMessagingHosts", true)
      case .chrome: ("google-chrome/NativeMessagingHosts", true)
      case .brave: ("BraveSoftware/Brave-Browser/NativeMessagingHosts", true)
      case .edge: ("microsoft-edge/NativeMessagingHosts", true)
      case .vivaldi: ("vivaldi/NativeMessagingHosts", true)
      }
    }

    /// Folders below the home where it lies where a sandbox keeps it from starting the vault.
    package var sandboxes: [String] {
      switch self {
      case .firefox: ["snap/firefox", ".var/app/org.mozilla.firefox"]
      case .chromium: ["snap/chromium", ".var/app/org.chromium.Chromium"]
      case .chrome: [".var/app/com.google.Chrome"]
      case .brave: ["snap/brave", ".var/app/com.brave.Browser"]
      case .edge: [".var/app/com.microsoft.Edge"]
      case .vivaldi: [".var/app/com.vivaldi.Vivaldi"]
      }
    }
  }

  /// The name by which the extension asks for its host.
  package static let name = "org.keepassxc.keepassxc_browser"
  /// The manifest in its folder.
  package static let file = "\(name).json"
  /// Where another program's manifest is kept until the vault is disconnected.
  package static let keptFile = "\(name).json.before-vault"
  /// What a browser runs, below the user's data folder: a manifest names a file, and no arguments.
  package static let scriptPath = "vault-connect/browser"

  /// The extension in Firefox.
  package static let firefoxExtension = "keepassxc-browser@keepassxc.org"
  /// The extension in the stores of Chrome and Edge.
  package static let chromiumExtensions = [
    "oboonakemofpalcgghocfoadofidjkkk", "pdffhmdngciaglkoonimfcmckehcpafo",
  ]

  private static let description = "The vault for KeePassXC-Browser"
  private static let mark = "# Written for the vault, and removed when browsers are disconnected."

  /// A manifest.
  ///
  /// - Parameters:
  ///   - browser: For whom it is.
  ///   - script: The whole path of what it runs.
  /// - Returns: The JSON.
  package static func manifest(for browser: Browser, script: String) -> String {
    var members: [(String, JSONValue)] = [
      ("name", .string(name)), ("description", .string(description)), ("path", .string(script)),
      ("type", .string("stdio")),
    ]
    if browser == .firefox {
      members.append(("allowed_extensions", .strings([firefoxExtension])))
    } else {
      members.append(
        (
          "allowed_origins", .strings(chromiumExtensions.map { "chrome-extension://\($0)/" })
        ))
    }
    return JSONValue.object(members).text(isPretty: true) + "\n"
  }

  /// Whether a manifest is one that this writes, for whichever path.
  package static func isOwn(_ text: String) -> Bool {
    guard let object = try? JSONValue.parse(Array(text.utf8)) else { return false }
    return object["description"]?.scalarText.map { $0.isSame(as: description) } ?? false
  }

  /// The script that a browser runs.
  ///
  /// - Parameters:
  ///   - helper: The whole path of the helper.
  ///   - variables: What says which vault is meant, and what opens it.
  /// - Returns: The script.
  package static func script(helper: String, variables: [(name: String, value: String)]) -> String {
    let settings = variables.map { "export \($0.name)=\(Quoting.shell($0.value))\n" }.joined()
    return "#!/bin/sh\n\(mark)\n\(settings)exec \(Quoting.shell(helper)) browser \"$@\"\n"
  }

  /// Whether a script is one that this writes.
  package static func isOwnScript(_ text: String) -> Bool { text.contains(bytes: mark) }

  /// The lines of a script that say which vault is meant, and what opens it.
  package static func settings(of script: String) -> String {
    script.parts(at: "\n").filter { $0.begins(with: "export ") }.joined(separator: "\n")
  }

  /// Whether a browser has named the extension among the arguments of its host: Firefox names the
  /// manifest and the id, the others an origin.
  package static func isExtension(in arguments: some Sequence<String>) -> Bool {
    let known = [firefoxExtension] + chromiumExtensions.map { "chrome-extension://\($0)/" }
    return arguments.contains { argument in known.contains { $0.isSame(as: argument) } }
  }
}
