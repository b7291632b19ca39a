import Glibc

/// The interfaces that all objects have.
package enum StandardInterfaces {
  package static let peer = "org.freedesktop.DBus.Peer"
  package static let properties = "org.freedesktop.DBus.Properties"
  package static let introspectable = "org.freedesktop.DBus.Introspectable"

  /// The id of the machine: machine-id(5); zeros where there is none.
  package static var machine: String {
    let limit = 33
    for path in ["/etc/machine-id", "/var/lib/dbus/machine-id"] {
      guard let bytes = LocalSocket.contents(of: path, limit: limit) else { continue }
      let digits = bytes.prefix { $0 != UInt8(ascii: "\n") }
      let isHex = digits.allSatisfy {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
          || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
      }
      if digits.count == 32, isHex { return String(decoding: digits, as: UTF8.self) }
    }
    return String(repeating: "0", count: 32)
  }

  /// These interfaces as `Introspect` describes them.
  private static let descriptions = [
    BusInterface(peer)
      .method("Ping")
      .method("GetMachineId", gives: [("machine_uuid", "s")]),
    BusInterface(introspectable)
      .method("Introspect", gives: [("xml_data", "s")]),
    BusInterface(properties)
      .method(
        "Get", takes: [("interface_name", "s"), ("property_name", "s")], gives: [("value", "v")]
      )
      .method("GetAll", takes: [("interface_name", "s")], gives: [("properties", "a{sv}")])
      .method(
        "Set", takes: [("interface_name", "s"), ("property_name", "s"), ("value", "v")]
      )
      .signal(
        "PropertiesChanged",
        [
          ("interface_name", "s"), ("changed_properties", "a{sv}"),
          ("invalidated_properties", "as"),
        ]),
  ]

  /// A document for `Introspect`.
  ///
  /// - Parameters:
  ///   - interface: What the object has besides these interfaces.
  ///   - children: The last parts of the paths of the objects below.
  /// - Returns: XML.
  package static func document(_ interface: BusInterface?, children: [String] = []) -> String {
    let interfaces = (descriptions + [interface].compactMap(\.self)).map(\.text).joined()
    let nodes = children.map { "  <node name=\"\($0)\"/>\n" }.joined()
    return """
      <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
       "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
      <node>
      \(interfaces)\(nodes)</node>
      """
  }
}
