import Glibc
import VaultCredentials
import VaultDBus
import VaultSealing
import VaultStorage
import VaultTerminal

/// Ends the sessions of all vaults when the person leaves: `vault lock --watch`.
///
/// The machine goes to sleep, the screen is locked, or the last login ends. What says so are logind, on
/// the system bus, and the desktop's screen saver, on the session bus: org.freedesktop.login1(5);
/// freedesktop.org, "Idle Inhibition Service"; GNOME, KDE, Cinnamon, MATE and Xfce emit the same signal
/// under their own names.
enum SessionWatching {
  static let verb = "session-watch"

  private static let bus = "org.freedesktop.DBus"
  private static let logind = "org.freedesktop.login1"
  private static let screenSavers = [
    "org.freedesktop.ScreenSaver", "org.gnome.ScreenSaver", "org.cinnamon.ScreenSaver",
    "org.mate.ScreenSaver", "org.xfce.ScreenSaver",
  ]

  /// Watches until a signal ends it, which locks, too.
  ///
  /// - Parameter orders: A pipe with the state folder of the home that it locks.
  static func run(orders: Int32) -> Never {
    // The first byte is the number of keys: none.
    let order = try? SecretInput.read(orders, limit: 64 << 10)
    close(orders)
    let state = order.flatMap { order in
      order.count > 1 ? order.withBytes { $0.text(1..<$0.byteCount) } : nil
    }
    guard let signals = SignalPipe() else {
      StandardError.write("vault: error: there are no descriptors left\n")
      exit(69)
    }
    signals.catchSignals([SIGTERM, SIGINT, SIGHUP], always: [])
    var watched = Watched()
    guard watched.system != nil || watched.session != nil else {
      StandardError.write(
        "vault: error: there is neither a system bus with logind nor a session bus\n")
      exit(69)
    }
    // Kept to the end: `unlock --until-logout` asks for it.
    let mark = SessionWatch.begin(in: ProcessState.variable("XDG_RUNTIME_DIR"))
    defer { withExtendedLifetime(mark) {} }
    StandardError.write("vault: watching for \(watched.words)\n")
    while true {
      let buses = [watched.system, watched.session].compactMap(\.self)
      let ready = LocalSocket.wait(
        for: [(signals.descriptor, true, false)] + buses.map { ($0.descriptor, true, false) },
        milliseconds: watched.isLooking ? 1000 : nil)
      if ready[0].reads {
        lock("the watch ends", state)
        exit(0)
      }
      for reason in watched.reasons() { lock(reason, state) }
      watched.letSleep()
      if watched.findsAgain() { StandardError.write("vault: logind is followed again\n") }
      guard watched.isHopeful else {
        lock("nothing is left that tells when to lock", state)
        // Its unit starts it again, if there is still a login.
        exit(1)
      }
    }
  }

  private static func lock(_ reason: String, _ state: String?) {
    do {
      guard try LockedVault.lockAll(state: state) else { return }
      StandardError.write("vault: locked: \(reason)\n")
    } catch {
      StandardError.write("vault: error: the sessions could not be ended: \(error)\n")
    }
  }

  /// The buses, and what is known of the logins.
  private struct Watched {
    private(set) var system: BusClient?
    private(set) var session: BusClient?
    /// The paths of this user's logins; `nil` where logind does not say.
    private var logins: Set<String>?
    /// What keeps the machine from sleeping before everything is locked, for some seconds at most.
    private var delay: Int32?
    private var sleepsNow = false
    /// Whether logind was there when the watch began.
    private let hadLogind: Bool
    /// Whether a session bus was: it ends with the login.
    private let hadSession: Bool
    /// How often a system bus that has ended may be looked for once nothing else is left.
    private var looksLeft = 60

    init() {
      system = Self.systemBus()
      session = (try? KeyringServing.sessionBus()).flatMap { try? BusClient($0) }
      do {
        for interface in screenSavers {
          try session?.watch("type='signal',interface='\(interface)',member='ActiveChanged'")
        }
      } catch {
        session = nil
      }
      if system?.owner(of: logind) == nil { system = nil }
      hadLogind = system != nil
      hadSession = session != nil
      logins = ownLogins()
      delaySleep()
    }

    /// The system bus, with what is wanted of it; `nil` where there is none.
    private static func systemBus() -> BusClient? {
      let client = try? BusClient(
        ProcessState.variable("DBUS_SYSTEM_BUS_ADDRESS").flatMap { $0.isEmpty ? nil : $0 }
          ?? "unix:path=/run/dbus/system_bus_socket", takesDescriptors: true)
      do {
        for interface in ["Manager", "Session"] {
          try client?.watch("type='signal',sender='\(logind)',interface='\(logind).\(interface)'")
        }
        // A logind that is started anew knows nothing of what the one before was asked for.
        try client?.watch(
          "type='signal',sender='\(bus)',interface='\(bus)',member='NameOwnerChanged',"
            + "arg0='\(logind)'")
      } catch {
        return nil
      }
      return client
    }

    /// Whether the system bus, which has ended, is being looked for.
    var isLooking: Bool { hadLogind && system == nil }

    /// Whether something still tells when to lock, or may do so again.
    var isHopeful: Bool {
      system != nil || session != nil || (isLooking && !hadSession && looksLeft > 0)
    }

    /// Looks for a system bus that has ended; returns whether it is there again.
    mutating func findsAgain() -> Bool {
      guard isLooking else { return false }
      if session == nil { looksLeft -= 1 }
      guard let client = Self.systemBus() else { return false }
      system = client
      looksLeft = 60
      // It may come later than its bus, and says so then.
      followLogind()
      return true
    }

    /// Asks a logind that is new here for what the one before was asked.
    private mutating func followLogind() {
      guard system?.owner(of: logind) != nil else { return }
      logins = ownLogins() ?? logins
      let before = delay
      delay = nil
      delaySleep()
      if let before { if delay == nil { delay = before } else { close(before) } }
    }

    /// Has logind wait for this process before the machine sleeps: org.freedesktop.login1(5),
    /// "Inhibit".
    ///
    /// Where it refuses, the lock and the sleep begin at the same moment.
    private mutating func delaySleep() {
      guard delay == nil, let system, let owner = system.owner(of: logind),
        let call = try? system.ask(
          owner, "/org/freedesktop/login1", "\(logind).Manager", "Inhibit",
          [
            .string("sleep"), .string("vault"), .string("The vaults are locked first"),
            .string("delay"),
          ])
      else { return }
      delay = (try? system.descriptor(to: call, until: .now + .seconds(5))) ?? nil
    }

    /// Lets the machine sleep, if it wants to: all is locked.
    mutating func letSleep() {
      guard sleepsNow else { return }
      sleepsNow = false
      if let delay { close(delay) }
      delay = nil
    }

    /// What it notices.
    var words: String {
      switch (system, session) {
      case (_?, _?): "sleep, logout and the lock of the screen"
      case (_?, nil): "sleep and logout; there is no session bus that tells of a screen"
      default: "the lock of the screen; there is no logind that tells of sleep and logout"
      }
    }

    /// Why to lock, by what has come.
    mutating func reasons() -> [String] {
      var reasons: [String] = []
      // What comes while logind is asked is taken at once: nothing else would wake this up.
      while let messages = system?.takeSignals(), !messages.isEmpty {
        reasons += messages.compactMap { reason(ofLogind: $0) }
      }
      for message in session?.takeSignals() ?? []
      where screenSavers.contains(message.interface ?? "") && message.member == "ActiveChanged" {
        if case .boolean(true)? = (try? message.arguments())?.first {
          reasons.append("the screen was locked")
        }
      }
      if system?.hasEnded == true { system = nil }
      if session?.hasEnded == true {
        session = nil
        reasons.append("the session bus has ended")
      }
      return reasons
    }

    private mutating func reason(ofLogind message: DBusMessage) -> String? {
      let values = (try? message.arguments()) ?? []
      switch (message.interface, message.member) {
      case ("\(logind).Manager"?, "PrepareForSleep"?):
        guard case .boolean(true)? = values.first else {
          delaySleep()
          return nil
        }
        sleepsNow = true
        return "the machine goes to sleep"
      case ("\(logind).Manager"?, "PrepareForShutdown"?):
        guard case .boolean(true)? = values.first else { return nil }
        return "the machine is switched off"
      case (bus?, "NameOwnerChanged"?):
        guard values.count == 3, values[0].text == logind, values[2].text?.isEmpty == false else {
          return nil
        }
        let before = logins
        followLogind()
        let isLast = before?.isEmpty == false && logins?.isEmpty == true
        return isLast ? "the last login has ended" : nil
      case ("\(logind).Manager"?, "SessionNew"?):
        logins = ownLogins()
        return nil
      case ("\(logind).Manager"?, "SessionRemoved"?):
        let before = logins
        logins = ownLogins()
        guard let before, case .objectPath(let path)? = values.dropFirst().first,
          before.contains(path)
        else { return nil }
        return logins?.isEmpty == true ? "the last login has ended" : nil
      case ("\(logind).Session"?, "Lock"?):
        // Of another user it is none of this one's.
        return logins.map { $0.contains(message.path ?? "") } ?? true
          ? "the login was locked" : nil
      default: return nil
      }
    }

    /// The paths of this user's logins.
    private func ownLogins() -> Set<String>? {
      guard let system, let owner = system.owner(of: logind),
        let call = try? system.ask(
          owner, "/org/freedesktop/login1", "\(logind).Manager", "ListSessions"),
        let reply = try? system.reply(to: call, until: .now + .seconds(5)),
        case .array(_, let entries)? = reply.first
      else { return nil }
      let paths = entries.compactMap { entry -> String? in
        // Id, user's number, user, seat, path.
        guard case .structure(let members) = entry, members.count >= 5,
          case .uint32(geteuid()) = members[1], case .objectPath(let path) = members[4]
        else { return nil }
        return path
      }
      return Set(paths)
    }
  }
}
