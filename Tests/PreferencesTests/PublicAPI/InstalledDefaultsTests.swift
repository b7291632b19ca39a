import Foundation
import TestSupport
import Testing
import VaultPreferences
import VaultStorage

/// Defaults that a package or the site installs: below what the user chose, above what the program
/// registers.
struct InstalledDefaultsTests {
  private let home: TemporaryHome
  private var site: String { "\(home.path)/etc" }
  private var package: String { "\(home.path)/share" }

  init() throws { home = try TemporaryHome() }

  private func open(_ domain: String = "com.example.app") throws -> PreferenceStore {
    try PreferenceStore(
      domain: domain, location: home.location, managedDirectory: "\(home.path)/managed",
      siteDirectories: [site, "\(home.path)/xdg"],
      packageDirectories: ["\(home.path)/local", package])
  }

  @discardableResult
  private func install(
    _ values: [String: Any], in directory: String, _ domain: String = "com.example.app"
  ) throws -> String {
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o755])
    let path = "\(directory)/\(domain).plist"
    try PropertyListSerialization.data(fromPropertyList: values, format: .xml, options: 0)
      .write(to: URL(fileURLWithPath: path))
    unsafe chmod(path, 0o644)
    return path
  }

  @Test func eachLayerHidesTheOnesBelow() throws {
    try install(["a": "package", "b": "package", "c": "package", "d": "package"], in: package)
    try install(["a": "site", "b": "site", "c": "site"], in: site)
    try install(["a": "managed"], in: "\(home.path)/managed")
    let store = try open()
    store.register(defaults: ["a": "registered", "d": "registered", "e": "registered"])
    #expect(store.set("user", forKey: "b"))
    #expect(store.string(forKey: "a") == "managed")
    #expect(store.string(forKey: "b") == "user")
    #expect(store.string(forKey: "c") == "site")
    #expect(store.string(forKey: "d") == "package")
    #expect(store.string(forKey: "e") == "registered")
    #expect(store.defaultsProblems.isEmpty)
    // Nothing is forced: the user may set it, and gets the default back.
    #expect(!store.objectIsForced(forKey: "c"))
    try store.setValue("mine", forKey: "c")
    #expect(store.string(forKey: "c") == "mine")
    try store.reset(PreferenceKey("c", default: ""))
    #expect(store.string(forKey: "c") == "site")
    #expect(store.dictionaryRepresentation()["d"] as? String == "package")
  }

  @Test func theUsersGlobalValueWinsOverADefaultOfTheApplication() throws {
    try install(["k": "site"], in: site)
    let store = try open()
    try store.transaction { try $0.set("mine", forKey: "k", in: .global) }
    #expect(store.string(forKey: "k") == "mine")
  }

  @Test func withinALayerTheFirstDirectoryWinsAndTheApplicationOverTheGlobalFile() throws {
    try install(["k": "first"], in: site)
    try install(["k": "second", "l": "second"], in: "\(home.path)/xdg")
    try install(["k": "global", "l": "global", "m": "global"], in: site, "NSGlobalDomain")
    try install(["m": "package", "n": "local"], in: "\(home.path)/local")
    try install(["n": "package"], in: package)
    let store = try open()
    #expect(store.string(forKey: "k") == "first")
    #expect(store.string(forKey: "l") == "second")
    // The site's word for every application is above what a package wants for this one.
    #expect(store.string(forKey: "m") == "global")
    #expect(store.string(forKey: "n") == "local")
    #expect(try open("com.example.other").string(forKey: "m") == "global")
  }

  @Test func aSuiteBringsItsDefaults() throws {
    try install(["k": "suite", "own": "suite"], in: package, "group.example")
    try install(["own": "app"], in: package)
    let store = try open()
    #expect(store.string(forKey: "k") == nil)
    store.addSuite(named: "group.example")
    #expect(store.string(forKey: "k") == "suite")
    #expect(store.string(forKey: "own") == "app")
    store.removeSuite(named: "group.example")
    #expect(store.string(forKey: "k") == nil)
  }

  @Test func aFileThatCannotBeReadIsLeftOutAndReported() throws {
    try install(["k": "package"], in: package)
    let path = try install(["k": "site"], in: site)
    try Data("{ k = ".utf8).write(to: URL(fileURLWithPath: path))
    let store = try open()
    #expect(store.string(forKey: "k") == "package")
    #expect(store.defaultsProblems.map(\.code) == [.syntax])
    #expect(store.defaultsProblems.first?.message.contains(path) == true)
    #expect(store.problem == nil)
    #expect(store.synchronize())
  }

  @Test func aFileThatAnyoneMayWriteIsLeftOut() throws {
    let path = try install(["k": "site"], in: site)
    unsafe chmod(path, 0o666)
    let store = try open()
    #expect(store.string(forKey: "k") == nil)
    #expect(store.defaultsProblems.map(\.code) == [.storage])
  }

  @Test func aDomainsNameLeadsToNoOtherDirectory() throws {
    try install(["k": "outside"], in: home.path, "secret")
    #expect(try open("../secret").string(forKey: "k") == nil)
    #expect(try open("/Library/Preferences/com.example.app").string(forKey: "k") == nil)
  }

  @Test func theDirectoriesAreThoseOfXDG() {
    let variables = [
      "HOME": "/home/u", "XDG_CONFIG_DIRS": "/opt/etc:relative:/etc/xdg/",
      "XDG_DATA_DIRS": "/usr/share:/opt/share:/usr/share",
    ]
    let directories = DefaultsDirectories { variables[$0] }
    #expect(
      directories.site
        == ["/etc/vault/defaults", "/opt/etc/vault/defaults", "/etc/xdg/vault/defaults"])
    #expect(
      directories.packages == [
        "/home/u/.local/share/vault/defaults", "/usr/share/vault/defaults",
        "/opt/share/vault/defaults",
      ])
    let plain = DefaultsDirectories { $0 == "HOME" ? "/home/u" : nil }
    #expect(plain.site == ["/etc/vault/defaults", "/etc/xdg/vault/defaults"])
    #expect(
      plain.packages == [
        "/home/u/.local/share/vault/defaults", "/usr/local/share/vault/defaults",
        "/usr/share/vault/defaults",
      ])
  }
}
