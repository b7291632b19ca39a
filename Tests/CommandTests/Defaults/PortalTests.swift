import Foundation
import TestSupport
import Testing
import VaultDBus
import VaultDefaultsTool
import VaultPreferences

/// What the desktop's portal tells, by a portal of the test's own on a bus of its own.
struct PortalTests {
  /// Answers `ReadAll`.
  private final class Portal: BusService {
    private let settings: [String: [String: DBusValue]]
    /// What it answers instead; for a portal that means harm.
    private let answer: [DBusValue]?

    init(_ settings: [String: [String: DBusValue]], answering answer: [DBusValue]? = nil) {
      self.settings = settings
      self.answer = answer
    }

    func answer(_ call: DBusMessage, from caller: LocalSocket.Peer) -> [DBusMessage] {
      guard call.member == "ReadAll", call.path == "/org/freedesktop/portal/desktop",
        call.interface == "org.freedesktop.portal.Settings",
        let wanted = (try? call.arguments())?.first?.texts
      else {
        return [try? call.error(BusErrorName.unknownMethod, "no such method")].compactMap(\.self)
      }
      let known = settings.filter { wanted.contains($0.key) }
      let all = DBusValue.array(
        of: .entry(key: .string, value: .array(.entry(key: .string, value: .variant))),
        known.sorted { $0.key < $1.key }.map {
          .entry(key: .string($0.key), value: .properties($0.value))
        })
      return [try? call.reply(answer ?? [all])].compactMap(\.self)
    }

    func clientLeft(_ name: String) -> [DBusMessage] { [] }
    func catchUp() -> [DBusMessage] { [] }
  }

  /// A bus with one program on it, on a thread of its own.
  private final class Bus {
    let address: String
    private let home: TemporaryHome
    private let end: WakeUp
    private let listening: Int32
    private let isOver = DispatchSemaphore(value: 0)

    init(
      _ settings: [String: [String: DBusValue]], answering answer: [DBusValue]? = nil,
      name: String = "org.freedesktop.portal.Desktop"
    ) throws {
      home = try TemporaryHome()
      address = "unix:path=\(home.path)/bus"
      listening = try #require(LocalSocket.listen(at: "\(home.path)/bus"))
      let (wakeUp, end) = (try #require(WakeUp()), try #require(WakeUp()))
      self.end = end
      let (listening, isOver) = (listening, isOver)
      Thread.detachNewThread {
        let server = BusServer(
          listening: listening, name: name, service: Portal(settings, answering: answer),
          wakeUp: wakeUp)
        server.run(until: [end.descriptor])
        isOver.signal()
      }
    }

    deinit {
      end.call()
      isOver.wait()
      close(listening)
    }
  }

  private static func appearance(_ scheme: UInt32) -> [String: [String: DBusValue]] {
    [
      "org.freedesktop.appearance": [
        "color-scheme": .uint32(scheme), "contrast": .uint32(0),
        "accent-color": .structure([.double(0.25), .double(0.5), .double(1)]),
      ], "org.example.other": ["a": .variant(.strings(["x", "y"])), "b": .boolean(true)],
    ]
  }

  private let defaults: DefaultsRunner

  init() throws { defaults = try DefaultsRunner() }

  @Test func whatThePortalTellsIsReadAndHasHistory() throws {
    let name = "org.freedesktop.appearance"
    do {
      let bus = try Bus(Self.appearance(1))
      defaults.environment["DBUS_SESSION_BUS_ADDRESS"] = bus.address
      #expect(defaults("--portal", "read", name, "color-scheme").output == "1\n")
      #expect(try defaults.value("accent-color", "portal:\(name)") == [0.25, 0.5, 1.0])
      #expect(
        defaults("--portal", "read", "org.example.other").output
          == "{\n    a =     (\n        x,\n        y\n    );\n    b = 1;\n}\n")
      #expect(defaults("--portal", "describe", name, "contrast").output.contains("one of 0, 1"))
      #expect(defaults("--portal", "snapshot", "day").status == 0)
    }
    let bus = try Bus(Self.appearance(2))
    defaults.environment["DBUS_SESSION_BUS_ADDRESS"] = bus.address
    #expect(defaults("record", "--once", "portal").output == "Recorded 1 change.\n")
    #expect(defaults("--portal", "diff", "day").output.contains("color-scheme"))
    #expect(defaults("--portal", "history", name).output.contains("portal"))
    #expect(defaults("domains").output == "\n")
  }

  @Test func itCanOnlyBeRead() throws {
    let bus = try Bus(Self.appearance(1))
    defaults.environment["DBUS_SESSION_BUS_ADDRESS"] = bus.address
    for line in [
      ["--portal", "write", "org.freedesktop.appearance", "color-scheme", "-int", "2"],
      ["--portal", "delete", "org.freedesktop.appearance", "contrast"],
      ["write", "portal:org.freedesktop.appearance", "contrast", "-int", "1"],
    ] {
      let refused = defaults.run(line)
      #expect(refused.status == 1)
      #expect(refused.error.contains("can only be read"), "\(refused.error)")
    }
    let name = "org.freedesktop.appearance"
    #expect(defaults("--portal", "read", name, "color-scheme").output == "1\n")
    #expect(defaults("--portal", "read", name, "contrast").output == "0\n")
    #expect(defaults("record", "portal").error.contains("record --once portal"))
    #expect(defaults("--portal", "read", "a b").error.contains("not a namespace"))
  }

  @Test func whatNobodyCanSetIsNeitherUndoneNorRestored() throws {
    let name = "org.freedesktop.appearance"
    defaults("write", "com.a", "k", "-int", "1")
    do {
      let bus = try Bus(Self.appearance(1))
      defaults.environment["DBUS_SESSION_BUS_ADDRESS"] = bus.address
      #expect(defaults("--portal", "read", name, "color-scheme").output == "1\n")
      #expect(defaults("undo").status == 0)
      #expect(try defaults.value("k", "com.a") == nil)
      defaults("write", "com.a", "k", "-int", "1")
      #expect(defaults("snapshot", "s").status == 0)
    }
    let bus = try Bus(Self.appearance(2))
    defaults.environment["DBUS_SESSION_BUS_ADDRESS"] = bus.address
    #expect(defaults("record", "--once", "portal").status == 0)
    defaults("write", "com.a", "k", "-int", "2")
    #expect(defaults("snapshot", "--restore", "s") == .init(status: 0, output: "", error: ""))
    #expect(try defaults.value("k", "com.a") == 1)
    #expect(try defaults.value("color-scheme", "portal:\(name)") == 2)
  }

  /// A program with the portal's name may say anything.
  @Test(
    arguments: [
      ([.string("x")], "something else than settings"), ([], "something else than settings"),
      ([.array(of: .entry(key: .string, value: .variant), [])], nil),
      (
        [
          .array(
            of: .entry(key: .string, value: .variant),
            [.entry(key: .string("org.freedesktop.appearance"), value: .variant(.string("no")))])
        ], nil
      ),
    ] as [([DBusValue], String?)])
  func aPortalThatAnswersOtherwiseIsNoPortal(answer: [DBusValue], reason: String?) throws {
    let bus = try Bus([:], answering: answer)
    defaults.environment["DBUS_SESSION_BUS_ADDRESS"] = bus.address
    let read = defaults("--portal", "read", "org.freedesktop.appearance")
    #expect(read.status == 1)
    if let reason { #expect(read.error.contains(reason), "\(read.error)") }
    #expect(defaults("domains").output == "\n")
  }

  @Test func withoutABusOrAPortalThatIsSaid() throws {
    defaults.environment["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=\(defaults.home.path)/none"
    #expect(defaults("--portal", "domains").error.contains("no session bus"))
    defaults.environment["DBUS_SESSION_BUS_ADDRESS"] = nil
    #expect(defaults("--portal", "domains").error.contains("no session bus"))
    let bus = try Bus([:], name: "org.example.Other")
    defaults.environment["DBUS_SESSION_BUS_ADDRESS"] = bus.address
    #expect(defaults("--portal", "domains").error.contains("There is no portal"))
  }
}
