import Foundation
import TestSupport
import Testing

/// `vault connect browser`: manifests, and the way back.
struct ConnectBrowserTests {
  private static let name = "org.keepassxc.keepassxc_browser.json"

  private func text(_ path: String) -> String? {
    try? String(contentsOfFile: path, encoding: .utf8)
  }

  private func object(_ path: String) throws -> [String: Any] {
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  @Test func browsersThatAreHereAreConnected() throws {
    let bench = try BrowserBench()
    let (home, vault) = (bench.home, bench.vault)
    #expect(try vault("connect", "browser").status == 64)
    for folder in [".mozilla", ".config/chromium", ".config/BraveSoftware/Brave-Browser"] {
      try FileManager.default.createDirectory(
        atPath: "\(home)/\(folder)", withIntermediateDirectories: true)
    }
    let before = try FileManager.default.subpathsOfDirectory(atPath: home).sorted()
    let planned = try vault("connect", "browser", "--dry-run")
    #expect(planned.status == 0 && planned.text.contains("would write to"), "\(planned.errors)")
    #expect(try FileManager.default.subpathsOfDirectory(atPath: home).sorted() == before)
    let connected = try vault("connect", "browser")
    #expect(connected.status == 0, "\(connected.errors)")
    #expect(connected.errors.contains("vault approve --watch"))
    let script = "\(home)/.local/share/vault-connect/browser"
    let firefox = try object("\(home)/.mozilla/native-messaging-hosts/\(Self.name)")
    #expect(firefox["path"] as? String == script && firefox["type"] as? String == "stdio")
    #expect(firefox["name"] as? String == "org.keepassxc.keepassxc_browser")
    #expect(firefox["allowed_extensions"] as? [String] == ["keepassxc-browser@keepassxc.org"])
    #expect(firefox["allowed_origins"] == nil)
    for folder in ["chromium", "BraveSoftware/Brave-Browser"] {
      let manifest = try object("\(home)/.config/\(folder)/NativeMessagingHosts/\(Self.name)")
      #expect(
        manifest["allowed_origins"] as? [String] == [
          "chrome-extension://oboonakemofpalcgghocfoadofidjkkk/",
          "chrome-extension://pdffhmdngciaglkoonimfcmckehcpafo/",
        ])
      #expect(manifest["allowed_extensions"] == nil)
    }
    #expect(text("\(home)/.config/google-chrome/NativeMessagingHosts/\(Self.name)") == nil)
    #expect(FileManager.default.isExecutableFile(atPath: script))
    #expect(text(script)?.contains("vault-helper") == true)
    #expect(text(script)?.contains("VAULT_KEY_FILE='\(vault.keyFile)'") == true)
    let again = try vault("connect", "browser")
    #expect(again.status == 0 && again.text.isEmpty && again.errors.contains("nothing to do"))
    // One alone, and then the rest: the script stays as long as one needs it.
    #expect(try vault("disconnect", "browser", "chromium").status == 0)
    #expect(text(script) != nil)
    #expect(text("\(home)/.config/chromium/NativeMessagingHosts/\(Self.name)") == nil)
    #expect(try vault("disconnect", "browser").status == 0)
    #expect(text(script) == nil)
    #expect(text("\(home)/.mozilla/native-messaging-hosts/\(Self.name)") == nil)
    #expect(try vault("disconnect", "browser").errors.contains("nothing to do"))
  }

  @Test func anotherProgramsManifestIsKeptAndPutBack() throws {
    let bench = try BrowserBench()
    let folder = "\(bench.home)/.mozilla/native-messaging-hosts"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let own = #"{"name":"org.keepassxc.keepassxc_browser","path":"/usr/bin/keepassxc-proxy"}"#
    try own.write(toFile: "\(folder)/\(Self.name)", atomically: true, encoding: .utf8)
    let connected = try bench.vault("connect", "browser", "firefox")
    #expect(connected.text.contains("kept as"), "\(connected.errors)")
    #expect(text("\(folder)/\(Self.name).before-vault") == own)
    #expect(try bench.vault("connect", "browser").status == 0)
    #expect(text("\(folder)/\(Self.name).before-vault") == own)
    let back = try bench.vault("disconnect", "browser")
    #expect(back.status == 0 && back.text.contains("is put back"), "\(back.errors)")
    #expect(text("\(folder)/\(Self.name)") == own)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [Self.name])
    // Of a manifest that is not ours, disconnecting leaves everything.
    #expect(try bench.vault("disconnect", "browser").errors.contains("nothing to do"))
    #expect(text("\(folder)/\(Self.name)") == own)
  }

  /// Settings are kept in a folder of their own, to which links lead: nothing of ours stays there.
  @Test(arguments: ["{}", "", nil]) func aLinkLeavesNoTextInItsTarget(other: String?) throws {
    let bench = try BrowserBench()
    let folder = "\(bench.home)/.mozilla/native-messaging-hosts"
    let (link, target) = ("\(folder)/\(Self.name)", "\(bench.home)/dotfiles/manifest")
    for made in [folder, "\(bench.home)/dotfiles"] {
      try FileManager.default.createDirectory(atPath: made, withIntermediateDirectories: true)
    }
    if let other {
      // Of another program, or empty: the link is put aside, and comes back.
      try other.write(toFile: target, atomically: true, encoding: .utf8)
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
      #expect(try bench.vault("connect", "browser", "firefox").status == 0)
      #expect(text(target) == other)
    } else {
      // Ours, that a program for such folders has moved there.
      #expect(try bench.vault("connect", "browser", "firefox").status == 0)
      try FileManager.default.moveItem(atPath: link, toPath: target)
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
    }
    let back = try bench.vault("disconnect", "browser")
    #expect(back.status == 0, "\(back.errors)")
    #expect(text(target) == other)
    #expect(text(link) == other)
    let left = try? FileManager.default.destinationOfSymbolicLink(atPath: link)
    #expect(left == (other == nil ? nil : target))
    #expect(try bench.vault("disconnect", "browser").errors.contains("nothing to do"))
    if other == nil { #expect(back.text.contains("to which a link leads"), "\(back.text)") }
  }

  @Test func theScriptNamesTheVaultThatWasMeant() throws {
    let bench = try BrowserBench()
    try FileManager.default.createDirectory(
      atPath: "\(bench.home)/.mozilla", withIntermediateDirectories: true)
    let run = try bench.shell(
      """
      cd && "$VAULT" --home "with 'quotes'" --vault work connect browser &&
      cat .local/share/vault-connect/browser
      """)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.text.contains("export VAULT_NAME=work"), "\(run.text)")
    #expect(run.text.contains(#"/with '\''quotes'\''"#), "\(run.text)")
  }

  /// A Firefox since 147 has no ~/.mozilla, and looks for manifests there all the same.
  @Test func aNewerFirefoxIsFound() throws {
    let bench = try BrowserBench()
    try FileManager.default.createDirectory(
      atPath: "\(bench.home)/.config/mozilla", withIntermediateDirectories: true)
    let connected = try bench.vault("connect", "browser")
    #expect(connected.status == 0, "\(connected.errors)")
    #expect(text("\(bench.home)/.mozilla/native-messaging-hosts/\(Self.name)") != nil)
  }

  /// All browsers share one script: it is not changed below one that is connected.
  @Test func aBrowserKeepsTheVaultItWasConnectedWith() throws {
    let bench = try BrowserBench()
    #expect(try bench.vault("connect", "browser", "firefox").status == 0)
    let script = "\(bench.home)/.local/share/vault-connect/browser"
    let before = text(script)
    let other = try bench.shell(#""$VAULT" --vault work connect browser chromium"#)
    #expect(other.status != 0, "\(other.text)")
    #expect(other.errors.contains("hint: disconnect it first"), "\(other.errors)")
    #expect(text(script) == before)
    #expect(try bench.shell(#""$VAULT" --vault work connect browser firefox"#).status == 0)
    #expect(text(script) != before)
    #expect(try bench.shell(#""$VAULT" --vault work connect browser chromium"#).status == 0)
  }

  /// Connecting was cut short before its manifest was there, or KeePassXC has written its own since.
  @Test func whatAnInterruptionLeftIsSettled() throws {
    let bench = try BrowserBench()
    let folder = "\(bench.home)/.mozilla/native-messaging-hosts"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let own = #"{"name":"org.keepassxc.keepassxc_browser","path":"/usr/bin/keepassxc-proxy"}"#
    try own.write(
      toFile: "\(folder)/\(Self.name).before-vault", atomically: true, encoding: .utf8)
    #expect(try bench.vault("disconnect", "browser").status == 0)
    #expect(text("\(folder)/\(Self.name)") == own)
    #expect(text("\(folder)/\(Self.name).before-vault") == nil)
    try "{}".write(
      toFile: "\(folder)/\(Self.name).before-vault", atomically: true, encoding: .utf8)
    #expect(try bench.vault("disconnect", "browser").status == 0)
    #expect(text("\(folder)/\(Self.name)") == own)
    #expect(text("\(folder)/\(Self.name).before-vault") == nil)
  }

  @Test func whatIsNoBrowserIsRefused() throws {
    let bench = try BrowserBench()
    for verb in ["connect", "disconnect"] {
      let run = try bench.vault(verb, "browser", "netscape")
      #expect(run.status == 64 && run.errors.contains("hint: known: firefox"), "\(run.errors)")
    }
  }

  @Test func aSandboxIsTold() throws {
    let bench = try BrowserBench()
    for folder in [".mozilla", "snap/firefox"] {
      try FileManager.default.createDirectory(
        atPath: "\(bench.home)/\(folder)", withIntermediateDirectories: true)
    }
    #expect(try bench.vault("connect", "browser").errors.contains("~/snap/firefox"))
  }

  /// What Firefox would start is the host.
  @Test(.enabled(if: PythonScript.hasSodium, "needs python3 and libsodium's library"))
  func theManifestLeadsToTheHost() throws {
    let bench = try BrowserBench()
    let run = try bench.shell(
      """
      cd && mkdir .mozilla && "$VAULT" -q connect browser >&2 &&
      printf '\\2\\0\\0\\0{}' | .local/share/vault-connect/browser \\
        ~/.mozilla/native-messaging-hosts/\(Self.name) keepassxc-browser@keepassxc.org
      """)
    #expect(run.status == 0 && run.text.contains("errorCode"), "\(run.errors)")
  }

  @Test func associationsAreListedAndRemovedByTheirNamesAlone() throws {
    let bench = try BrowserBench()
    try bench.vault.set("bank", "x")
    let empty = try bench.vault("browser", "list")
    #expect(empty.status == 0 && empty.text.isEmpty, "\(empty.errors)")
    let other = try bench.vault("browser", "remove", "bank")
    #expect(other.status == 1 && other.errors.contains("hint: see them"), "\(other.errors)")
    #expect(try bench.vault.get("bank").text.hasPrefix("x"))
  }
}
