/// The bus' own description for `Introspect`.
enum BusDescription {
  static let document = StandardInterfaces.document(
    """
      <interface name="org.freedesktop.DBus">
    \(methods.map(method).joined(separator: "\n"))
        <signal name="NameOwnerChanged">
          <arg type="s"/><arg type="s"/><arg type="s"/>
        </signal>
        <signal name="NameLost"><arg type="s"/></signal>
        <signal name="NameAcquired"><arg type="s"/></signal>
        <property name="Features" type="as" access="read"/>
        <property name="Interfaces" type="as" access="read"/>
      </interface>
    """)

  private static let methods: [(name: String, takes: [String], gives: [String])] = [
    ("Hello", [], ["s"]), ("RequestName", ["s", "u"], ["u"]), ("ReleaseName", ["s"], ["u"]),
    ("StartServiceByName", ["s", "u"], ["u"]), ("NameHasOwner", ["s"], ["b"]),
    ("ListNames", [], ["as"]), ("ListActivatableNames", [], ["as"]), ("AddMatch", ["s"], []),
    ("RemoveMatch", ["s"], []), ("GetNameOwner", ["s"], ["s"]),
    ("ListQueuedOwners", ["s"], ["as"]), ("GetConnectionUnixUser", ["s"], ["u"]),
    ("GetConnectionUnixProcessID", ["s"], ["u"]), ("GetConnectionCredentials", ["s"], ["a{sv}"]),
    ("GetId", [], ["s"]),
  ]

  private static func method(_ method: (name: String, takes: [String], gives: [String])) -> String {
    let arguments =
      method.takes.map { "<arg direction=\"in\" type=\"\($0)\"/>" }
      + method.gives.map { "<arg direction=\"out\" type=\"\($0)\"/>" }
    return "    <method name=\"\(method.name)\">\(arguments.joined())</method>"
  }
}
