/// The bus' own description for `Introspect`.
enum BusDescription {
  static let document = StandardInterfaces.document(interface)

  private static let methods: [(name: String, takes: [String], gives: [String])] = [
    ("Hello", [], ["s"]), ("RequestName", ["s", "u"], ["u"]), ("ReleaseName", ["s"], ["u"]),
    ("StartServiceByName", ["s", "u"], ["u"]), ("NameHasOwner", ["s"], ["b"]),
    ("ListNames", [], ["as"]), ("ListActivatableNames", [], ["as"]), ("AddMatch", ["s"], []),
    ("RemoveMatch", ["s"], []), ("GetNameOwner", ["s"], ["s"]),
    ("ListQueuedOwners", ["s"], ["as"]), ("GetConnectionUnixUser", ["s"], ["u"]),
    ("GetConnectionUnixProcessID", ["s"], ["u"]), ("GetConnectionCredentials", ["s"], ["a{sv}"]),
    ("GetId", [], ["s"]),
  ]

  private static let signals: [(name: String, values: [String])] = [
    ("NameOwnerChanged", ["s", "s", "s"]), ("NameLost", ["s"]), ("NameAcquired", ["s"]),
  ]

  private static var interface: BusInterface {
    var interface = BusInterface(MessageBus.driver)
    for method in methods {
      interface = interface.method(
        method.name, takes: method.takes.map { ("", $0) }, gives: method.gives.map { ("", $0) })
    }
    for signal in signals {
      interface = interface.signal(signal.name, signal.values.map { ("", $0) })
    }
    return interface.property("Features", "as").property("Interfaces", "as")
  }
}
