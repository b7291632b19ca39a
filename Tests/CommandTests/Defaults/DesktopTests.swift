import Foundation
import TestSupport
import Testing
import VaultDefaultsTool
import VaultPreferences
import VaultStorage

/// The desktop's settings: a real dconf in a session of its own, and KConfig's own programs.
struct DesktopTests {
  private static func has(_ programs: String...) -> Bool {
    programs.allSatisfy { name in
      ["/usr/bin", "/bin", "/usr/local/bin"].contains {
        FileManager.default.isExecutableFile(atPath: "\($0)/\(name)")
      }
    }
  }
  private static let hasDConf =
    has("dconf", "gsettings", "dbus-run-session", "bash")
    && FileManager.default.fileExists(atPath: "/usr/share/dbus-1/services/ca.desrt.dconf.service")
    && FileManager.default.fileExists(
      atPath: "/usr/share/glib-2.0/schemas/org.gnome.desktop.interface.gschema.xml")

  private func play(_ script: String, _ words: [String]) throws
    -> VaultProcess.Result
  {
    let home = try TemporaryHome()
    let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../Scripts/\(script)").standardized.path
    var last: VaultProcess.Result?
    for word in words {
      if word == "synced" { try changeFromAnotherMachine(home) }
      let bash = ["/bin/bash", path, word, VaultProcess.path, home.path]
      let program = VaultProcess(
        home: home.path, environment: ["PATH": "/usr/bin:/bin"], executable: "/usr/bin/env")
      let result = try program.run(bash)
      last = result
      guard result.status == 0 else { return result }
    }
    return try #require(last)
  }

  /// What sync does when a machine of the space has changed a value.
  private func changeFromAnotherMachine(_ home: TemporaryHome) throws {
    let location = try StoreLocation(environment: { ["HOME": "\(home.path)/one"][$0] })
    let database = try #require(
      try PreferenceDatabase.open(location, mode: .write, process: "vault sync from laptop"))
    defer { database.close() }
    try database.transaction { transaction in
      try transaction.set(
        "24h", "clock-format", in: PreferenceDomain("dconf:/org/gnome/desktop/interface/"))
    }
  }

  @Test(
    .enabled(if: hasDConf, "needs dconf-cli, dconf-service, gsettings-desktop-schemas and dbus"))
  func theDesktopsSettingsHaveAJournalAndGoToAnotherHome() throws {
    let played = try play(
      "desktop.sh", ["one", "two", "locked", "synced", "first", "empty", "elsewhere"])
    #expect(played.status == 0, "\(played.errors) \(played.text)")
  }

  /// A run of sync looks at the desktop before, and sets there what it brought.
  @Test(.enabled(if: hasDConf, "needs dconf-cli, dconf-service and dbus"))
  func theDesktopsSettingsGoAlongInASpace() throws {
    let played = try play(
      "desktop.sh", ["spacea-begin", "spaceb-join", "spacea-again", "spaceb-again"])
    #expect(played.status == 0, "\(played.errors) \(played.text)")
  }

  @Test(.enabled(if: hasDConf, "needs dconf-cli, dconf-service and dbus"))
  func manyKeysOfDConfAreResetAtOnceAndNoOthers() throws {
    let played = try play("desktop.sh", ["resets"])
    #expect(played.status == 0, "\(played.errors) \(played.text)")
  }

  @Test(.enabled(if: hasDConf, "needs dconf-cli"))
  func withoutABusNothingIsSetAndTheLineIsUndone() throws {
    let played = try play("desktop.sh", ["without"])
    #expect(played.status == 0, "\(played.errors) \(played.text)")
  }

  @Test(.enabled(if: has("kwriteconfig5"), "needs libkf5config-bin"))
  func filesOfKConfigHaveAJournal() throws {
    let played = try play("kconfig.sh", ["all"])
    #expect(played.status == 0, "\(played.errors) \(played.text)")
  }

  /// By KDE's own programs in two homes.
  @Test(.enabled(if: has("kwriteconfig5", "kreadconfig5"), "needs libkf5config-bin"))
  func filesOfKConfigGoAlongInASpace() throws {
    let played = try play("kconfig_space.sh", ["all"])
    #expect(played.status == 0, "\(played.errors) \(played.text)")
  }

  @Test func whatStaysWrongIsSaidOnceByTheRecorder() throws {
    let played = try play("recorder.sh", ["all"])
    #expect(played.status == 0, "\(played.errors) \(played.text)")
  }

  private func write(_ text: String, _ name: String, _ defaults: DefaultsRunner) throws {
    let folder = "\(defaults.home.path)/.config"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
  }

  /// What stands above the first group may have a header of its own, which KConfig takes away.
  @Test func theGroupWithoutAHeaderMayHaveOne() throws {
    let defaults = try DefaultsRunner()
    try write("[<default>]\na=1\n[G]\nk=v\n", "krc", defaults)
    #expect(defaults("record", "kconfig", "--once", "krc").output == "Recorded 2 changes.\n")
    #expect(defaults("--kconfig", "read", "krc:", "a").output == "1\n")
    try write("a=1\n\n[G]\nk=v\n", "krc", defaults)
    #expect(defaults("record", "kconfig", "--once", "krc").output == "")
  }

  /// One file that cannot be read says nothing about the others, nor that its values are gone.
  @Test func aFileOfKConfigThatCannotBeReadStopsOnlyLinesAboutItself() throws {
    let defaults = try DefaultsRunner()
    try write("[G]\nk=1\n", "krc", defaults)
    try write("[G]\nk=1\n", "otherrc", defaults)
    #expect(
      defaults("record", "kconfig", "--once", "krc", "otherrc").output == "Recorded 2 changes.\n")
    let folder = "\(defaults.home.path)/.config"
    try FileManager.default.removeItem(atPath: "\(folder)/krc")
    try FileManager.default.createDirectory(
      atPath: "\(folder)/krc", withIntermediateDirectories: true)
    try write("[G]\nk=2\n", "otherrc", defaults)
    let other = defaults("--kconfig", "read", "otherrc:G", "k")
    #expect(other.output == "2\n")
    #expect(
      other.error == "defaults: warning: Could not read \(folder)/krc: it is not a file; what is "
        + "known of it is as it was\n")
    for words in [["--kconfig", "read", "krc:G", "k"], ["record", "kconfig", "--once", "krc"]] {
      let refused = defaults.run(words)
      #expect(refused.status == 1)
      #expect(refused.message.contains("Could not read \(folder)/krc"), "\(refused.message)")
    }
    for words in [
      ["--kconfig", "history"], ["--kconfig", "domains"], ["--kconfig", "dump"],
      ["record", "kconfig", "--once", "otherrc"], ["snapshot", "s"],
    ] {
      #expect(defaults.run(words).status == 0, "\(words)")
    }
    #expect(try defaults.value("k", "kconfig:krc:G") == "1")
  }

  /// A file that is gone or empty for a moment says nothing of what was set in it: a desktop that starts,
  /// a program that replaces it.
  @Test(arguments: ["gone", "empty"])
  func aFileOfKConfigThatIsBrieflyAwayIsNotAReset(kind: String) throws {
    let defaults = try DefaultsRunner()
    try write("[G]\nk=1\n", "krc", defaults)
    try write("[G]\nk=1\n", "otherrc", defaults)
    _ = defaults("record", "kconfig", "--once", "krc", "otherrc")
    let path = "\(defaults.home.path)/.config/krc"
    func away() throws {
      if kind == "gone" {
        try FileManager.default.removeItem(atPath: path)
      } else {
        try Data().write(to: URL(fileURLWithPath: path))
      }
    }
    try away()
    let named = defaults("--kconfig", "read", "krc:G", "k")
    #expect(named.status == 1)
    #expect(named.message.contains("it is \(kind)"), "\(named.message)")
    for words in [
      ["--kconfig", "history"], ["--kconfig", "read", "otherrc:G"], ["snapshot", "s"], ["undo"],
    ] {
      let other = defaults.run(words)
      #expect(other.error.contains("until it has been so for a minute"), "\(words) \(other)")
    }
    let dumped = "\(defaults.home.path)/k.toml"
    #expect(defaults("--kconfig", "dump", "--output", dumped).status == 0)
    #expect(try String(contentsOfFile: dumped, encoding: .utf8).contains("[\"kconfig:krc:G\"]"))
    #expect(defaults("--kconfig", "write", "krc:G", "new", "1").status == 1)
    #expect(try defaults.value("k", "kconfig:krc:G") == "1")
    try write("[G]\nk=1\n", "krc", defaults)
    #expect(
      defaults("--kconfig", "read", "krc:G", "k") == .init(status: 0, output: "1\n", error: ""))
    #expect(!defaults("--kconfig", "history").output.contains("-> (none)"))
    // A minute after it was first seen so, it is a reset, and can be undone.
    try away()
    _ = defaults("--kconfig", "domains")
    let store = try #require(
      try PreferenceDatabase.open(defaults.home.location, mode: .write, process: "test"))
    let place = PreferenceDomain("@desktop")
    let noted = try store.value("gone:kconfig:krc", in: place)
    let first = try #require({ if case .date(let date)? = noted { date } else { nil } }())
    try store.transaction { try $0.note(.date(first - 61), "gone:kconfig:krc", in: place) }
    store.close()
    let history = defaults("--kconfig", "history")
    #expect(history.error == "")
    #expect(history.output.contains("kconfig:krc:G\t\"k\"\t\"1\" -> (none)"), "\(history.output)")
    #expect(defaults("--kconfig", "undo", "--dry-run").status == 0)
    #expect(try defaults.value("k", "kconfig:krc:G") == nil)
  }

  /// Of KConfig those files are known that a line has named: before that, no verb pretends to know one.
  @Test func beforeAFileWasNamedNothingPretendsToKnowOne() throws {
    let defaults = try DefaultsRunner()
    try write("[General]\nColorScheme=Light\n", "kdeglobals", defaults)
    for words in [
      ["snapshot", "before"], ["diff", "before"], ["history"], ["undo"], ["domains"], ["dump"],
    ] {
      let refused = defaults.run(["--kconfig"] + words)
      #expect(refused.status == 1, "\(words)")
      #expect(
        refused.message.contains("record --once kconfig kdeglobals"), "\(words) \(refused.message)")
    }
    _ = defaults("record", "--once", "kconfig", "kdeglobals")
    #expect(defaults("--kconfig", "snapshot", "before").status == 0)
    try write("[General]\nColorScheme=Dark\n", "kdeglobals", defaults)
    #expect(defaults("--kconfig", "diff", "before").output.contains("Dark"))
  }

  /// What is set in a file that was looked at and was not there is a change, and can be undone.
  @Test func theFirstValueOfAFileThatWasNotThereIsAChange() throws {
    let defaults = try DefaultsRunner()
    #expect(defaults("--kconfig", "read", "newrc:G", "k").status == 1)
    #expect(defaults("--kconfig", "snapshot", "before").status == 0)
    try write("[G]\nk=1\n", "newrc", defaults)
    #expect(defaults("--kconfig", "diff", "before").output == "+ kconfig:newrc:G\t\"k\"\t\"1\"\n")
    let history = defaults("--kconfig", "history").output
    #expect(history.contains("\tkconfig\tkconfig:newrc:G"))
    #expect(!history.contains("as found"))
    let would = defaults("--kconfig", "undo", "--dry-run").output
    #expect(would.contains("kconfig:newrc:G"))
    // Of a file that nobody has looked at, it is none.
    try write("[G]\nk=1\n", "foundrc", defaults)
    _ = defaults("record", "kconfig", "--once", "foundrc")
    #expect(
      defaults("--kconfig", "history").output.contains("kconfig (as found)\tkconfig:foundrc:G"))
  }

  /// A look under another `XDG_CONFIG_HOME` does not mix two desktops.
  @Test func settingsOfAnotherFolderAreNotTakenIntoTheCopy() throws {
    let defaults = try DefaultsRunner()
    let home = defaults.home.path
    try write("[G]\na=1\nb=2\n", "krc", defaults)
    #expect(defaults("record", "kconfig", "--once", "krc").status == 0)
    let dotfile = "\(home)/k.toml"
    #expect(defaults("--kconfig", "dump", "--output", dotfile).status == 0)
    let former = try String(contentsOfFile: dotfile, encoding: .utf8)
    try FileManager.default.createDirectory(
      atPath: "\(home)/other", withIntermediateDirectories: true)
    for text in ["", "[G]\na=5\n"] {
      if !text.isEmpty {
        try text.write(toFile: "\(home)/other/krc", atomically: true, encoding: .utf8)
      }
      defaults.environment = ["XDG_CONFIG_HOME": "\(home)/other"]
      for words in [
        ["--kconfig", "read", "krc:G"], ["--kconfig", "write", "krc:G", "a", "9"],
        ["--kconfig", "dump", "--output", dotfile], ["--kconfig", "read", "newrc:G"],
      ] {
        let refused = defaults.run(words)
        #expect(refused.status == 1, "\(words)")
        #expect(refused.error.contains("is of \(home)/.config"), "\(words): \(refused)")
      }
      #expect(try String(contentsOfFile: dotfile, encoding: .utf8) == former)
      defaults.environment = [:]
      #expect(defaults("--kconfig", "read", "krc:G", "a").output == "1\n")
      #expect(!defaults("--kconfig", "history").output.contains("-> (none)"))
      #expect(!defaults("--kconfig", "history").output.contains("\"5\""))
    }
    // The same folder by another name, and one that was moved.
    try FileManager.default.createSymbolicLink(
      atPath: "\(home)/link", withDestinationPath: ".config")
    defaults.environment = ["XDG_CONFIG_HOME": "\(home)/link"]
    #expect(defaults("--kconfig", "read", "krc:G", "a").output == "1\n")
    try FileManager.default.moveItem(atPath: "\(home)/.config", toPath: "\(home)/moved")
    defaults.environment = ["XDG_CONFIG_HOME": "\(home)/moved"]
    #expect(defaults("--kconfig", "read", "krc:G", "b").output == "2\n")
  }

  /// A damaged file and a link to nowhere are not files whose values were reset.
  @Test(arguments: ["link", "bytes"])
  func aDamagedFileOfKConfigHasNotBeenReset(harm: String) throws {
    let defaults = try DefaultsRunner()
    try write("[G]\nk=1\n", "krc", defaults)
    #expect(defaults("record", "kconfig", "--once", "krc").status == 0)
    let dotfile = "\(defaults.home.path)/k.toml"
    #expect(defaults("--kconfig", "dump", "--output", dotfile).status == 0)
    let former = try String(contentsOfFile: dotfile, encoding: .utf8)
    let path = "\(defaults.home.path)/.config/krc"
    try FileManager.default.removeItem(atPath: path)
    if harm == "link" {
      try FileManager.default.createSymbolicLink(
        atPath: path, withDestinationPath: "\(defaults.home.path)/away/krc")
    } else {
      try Data([0, 1, 0xFF, 0x0A, 0x80]).write(to: URL(fileURLWithPath: path))
    }
    let dump = defaults("--kconfig", "dump", "--output", dotfile)
    #expect(dump.error.contains("Could not read \(path)"), "\(dump)")
    #expect(try String(contentsOfFile: dotfile, encoding: .utf8) == former)
    #expect(defaults("--kconfig", "read", "krc:G").status == 1)
    #expect(try defaults.value("k", "kconfig:krc:G") == "1")
    #expect(!defaults("--kconfig", "history").output.contains("-> (none)"))
  }

  /// What dconf reads as nothing, since its file is damaged or gone, has not been reset.
  @Test(
    .enabled(if: has("dconf"), "needs dconf-cli"),
    arguments: ["garbage", "cut", "cut by one", "empty", "removed"])
  func aDamagedFileOfDConfHasNotBeenReset(harm: String) throws {
    let defaults = try DefaultsRunner()
    let home = defaults.home.path
    let path = "\(home)/.config/dconf/user"
    for folder in ["keys", ".config/dconf"] {
      try FileManager.default.createDirectory(
        atPath: "\(home)/\(folder)", withIntermediateDirectories: true)
    }
    try "[com/q]\nx=1\ny='text'\n[com/q/r]\nz=[1,2]\n".write(
      toFile: "\(home)/keys/all", atomically: true, encoding: .utf8)
    let compiling = VaultProcess(home: home, executable: "/usr/bin/env")
    #expect(try compiling.run(["dconf", "compile", path, "\(home)/keys"]).status == 0)
    #expect(defaults("--dconf", "read", "/com/q/", "x").output == "1\n")
    let dotfile = "\(home)/d.toml"
    #expect(defaults("--dconf", "dump", "--output", dotfile).status == 0)
    let former = try String(contentsOfFile: dotfile, encoding: .utf8)
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    try FileManager.default.removeItem(atPath: path)
    switch harm {
    case "garbage": try Data("garbage\n".utf8).write(to: URL(fileURLWithPath: path))
    case "cut": try whole.prefix(60).write(to: URL(fileURLWithPath: path))
    case "cut by one": try whole.dropLast().write(to: URL(fileURLWithPath: path))
    case "empty": try Data().write(to: URL(fileURLWithPath: path))
    default: break
    }
    let dump = defaults("--dconf", "dump", "--output", dotfile)
    #expect(dump.status == 1)
    #expect(dump.error.contains("Could not read \(path)"), "\(dump)")
    #expect(try String(contentsOfFile: dotfile, encoding: .utf8) == former)
    for words in [["read", "/com/q/", "x"], ["write", "/com/q/", "x", "-int", "2"]] {
      let refused = defaults.run(["--dconf"] + words)
      #expect(refused.status == 1, "\(words)")
      #expect(refused.error.contains("Put the file back"), "\(refused)")
    }
    #expect(try defaults.value("x", "dconf:/com/q/") == 1)
    #expect(!defaults("--dconf", "history").output.contains("-> (none)"))
    try whole.write(to: URL(fileURLWithPath: path))
    #expect(defaults("--dconf", "read", "/com/q/", "x").output == "1\n")
  }

  @Test(arguments: [
    ["--kconfig", "--dconf", "read"], ["--kconfig", "-currentHost", "read", "x:G"],
  ])
  func twoKindsOfDomainsInOneLineAreRefused(words: [String]) throws {
    let refused = try DefaultsRunner().run(words)
    #expect(refused.status == 1)
    #expect(!refused.error.contains("there is no verb"), "\(refused.error)")
  }

  /// A line that the desktop refuses is undone; what another program wrote meanwhile is not.
  @Test func onlyTheLinesOwnChangesAreUndone() throws {
    let other = "com.other"
    let home = try TemporaryHome()
    let fake = "\(home.path)/bin"
    try FileManager.default.createDirectory(atPath: fake, withIntermediateDirectories: true)
    // While it is to set something, another program writes; then it refuses.
    try """
    #!/bin/sh
    case "$1" in
    dump) ;;
    load) cat >/dev/null
      [ -n "$INNER" ] || XDG_INNER=1 INNER=1 "\(VaultProcess.path)" defaults write \(other) k 1
      echo broken >&2
      exit 1 ;;
    esac
    """.write(toFile: "\(fake)/dconf", atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: "\(fake)/dconf")
    let vault = VaultProcess(home: home.path, environment: ["PATH": "\(fake):/usr/bin:/bin"])
    let refused = try vault.run(["defaults", "--dconf", "write", "/t/", "mine", "2"])
    #expect(refused.status == 1)
    #expect(refused.errors.contains("broken"), "\(refused.errors)")
    #expect(try vault.run(["defaults", "read", "dconf:/t/", "mine"]).status == 1)
    if other == "com.other" {
      #expect(try vault.run(["defaults", "read", other, "k"]).text == "1\n")
    }
    // What is refused is not said to be done.
    let file = "\(home.path)/w.json"
    try #"{"dconf:/t/": {"mine": 2}}"#.write(toFile: file, atomically: true, encoding: .utf8)
    let applied = try vault.run(["defaults", "apply", file])
    #expect(applied.status == 1)
    #expect(applied.text == "")
    let history = try vault.run(["defaults", "history", "--json", "com.other"]).text
    #expect(!history.contains("\"undoes\": "))
  }

  @Test(arguments: [
    ("a=1\n[G]\nk = v ; x\n# c\n; d\nq=\"two words\"\n", "ini"),
    ("a=1\n[G]\nk=v ; x\nq=two\\swords\n", "kconfig"),
    ("[/]\na='1'\n[G]\nk='v ; x'\nq='two words'\n", "dconf"),
  ])
  func filesOfGroupsAreImported(text: String, format: String) throws {
    let defaults = try DefaultsRunner()
    let imported = defaults.run(
      ["import", "--format", format, "com.ed", "-"], input: Array(text.utf8))
    #expect(imported == .init(status: 0, output: "", error: ""))
    #expect(try defaults.value("a", "com.ed") == "1")
    // A byte order mark does not get into the first key.
    let marked = defaults.run(
      ["import", "--format", format, "com.mark", "-"], input: Array("\u{feff}\(text)".utf8))
    #expect(marked.status == 0)
    #expect(try defaults.value("a", "com.mark") == "1")
    #expect(try defaults.value("G", "com.ed") == ["k": "v ; x", "q": "two words"])
    let bad = defaults.run(
      ["import", "--format", format, "com.ed", "-"], input: Array("[G]\nnothing\n".utf8))
    #expect(bad.status == 1)
    #expect(bad.error.contains("at line 2"))
  }

  /// A domain has a key or a group of a name; a file may have both, and groups without end.
  @Test(arguments: [
    ("a=scalar\n[a]\nk=1\n", "ini", "is a key and a group"),
    ("[a][b]\nk=1\n[a]\nb=5\n", "kconfig", "is a key and a group"),
    ("[a]" + String(repeating: "[b]", count: 20_000) + "\nk=1\n", "kconfig", "in more than"),
  ])
  func whatADomainCannotHoldIsRefused(text: String, format: String, words: String) throws {
    let defaults = try DefaultsRunner()
    let refused = defaults.run(
      ["import", "--format", format, "com.k", "-"], input: Array(text.utf8))
    #expect(refused.status == 1)
    #expect(refused.message.contains(words), "\(refused.message)")
    #expect(defaults("domains").output == "\n")
  }

  @Test func namesOfKConfigAreImportedWithoutTheirFlags() throws {
    let defaults = try DefaultsRunner()
    let text = "[G][$i]\nhome[$e]=$HOME\nfixed[$i]=1\ngone[$d]=\n;k=2\n"
    #expect(
      defaults.run(
        ["import", "--format", "kconfig", "com.k", "-"], input: Array(text.utf8)
      ).status == 0)
    #expect(try defaults.value("G", "com.k") == ["home": "$HOME", "fixed": "1", ";k": "2"])
  }

  /// A file from elsewhere names no place outside, and its texts are one value each.
  @Test(arguments: [
    #"{"kconfig:../x:G": {"k": "v"}}"#, #"{"kconfig:/etc/x:G": {"k": "v"}}"#,
    #"{"dconf:/a]\n[b/": {"k": "v"}}"#, #"{"dconf://": {"k": "v"}}"#,
  ])
  func aFileThatNamesAPlaceOutsideIsRefused(text: String) throws {
    let defaults = try DefaultsRunner()
    defaults.environment["PATH"] = "\(defaults.home.path)/none"
    let refused = defaults.run(["apply", "-"], input: Array(text.utf8))
    #expect(refused.status == 1)
    #expect(defaults("domains").output == "\n")
  }
}
