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

  /// The description of these interfaces for `Introspect`.
  package static let description = """
      <interface name="\(peer)">
        <method name="Ping"/>
        <method name="GetMachineId"><arg name="machine_uuid" type="s" direction="out"/></method>
      </interface>
      <interface name="\(introspectable)">
        <method name="Introspect"><arg name="xml_data" type="s" direction="out"/></method>
      </interface>
      <interface name="\(properties)">
        <method name="Get">
          <arg name="interface_name" type="s" direction="in"/>
          <arg name="property_name" type="s" direction="in"/>
          <arg name="value" type="v" direction="out"/>
        </method>
        <method name="GetAll">
          <arg name="interface_name" type="s" direction="in"/>
          <arg name="properties" type="a{sv}" direction="out"/>
        </method>
        <method name="Set">
          <arg name="interface_name" type="s" direction="in"/>
          <arg name="property_name" type="s" direction="in"/>
          <arg name="value" type="v" direction="in"/>
        </method>
        <signal name="PropertiesChanged">
          <arg name="interface_name" type="s"/>
          <arg name="changed_properties" type="a{sv}"/>
          <arg name="invalidated_properties" type="as"/>
        </signal>
      </interface>
    """

  /// A document for `Introspect`.
  package static func document(_ interfaces: String, children: [String] = []) -> String {
    let nodes = children.map { "  <node name=\"\($0)\"/>\n" }.joined()
    return """
      <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
       "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
      <node>
      \(description)
      \(interfaces)
      \(nodes)</node>
      """
  }
}
