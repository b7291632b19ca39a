/// An interface as `Introspect` describes it: D-Bus specification, "Introspection Data Format".
package struct BusInterface: Sendable {
  /// A value that a method takes or gives, or that a signal has; the name may be empty.
  package typealias Argument = (name: String, type: String)

  private let name: String
  private var members: [String] = []

  /// An interface without members.
  package init(_ name: String) { self.name = name }

  /// With a property.
  package func property(_ name: String, _ type: String, isWritable: Bool = false) -> BusInterface {
    let access = isWritable ? "readwrite" : "read"
    return adding("<property name=\"\(name)\" type=\"\(type)\" access=\"\(access)\"/>")
  }

  /// With a method.
  package func method(
    _ name: String, takes: [Argument] = [], gives: [Argument] = []
  ) -> BusInterface {
    adding(
      Self.element(
        "method", name,
        takes.map { Self.argument($0, "in") } + gives.map { Self.argument($0, "out") }))
  }

  /// With a signal.
  package func signal(_ name: String, _ arguments: [Argument]) -> BusInterface {
    adding(Self.element("signal", name, arguments.map { Self.argument($0, nil) }))
  }

  private func adding(_ member: String) -> BusInterface {
    var longer = self
    longer.members.append(member)
    return longer
  }

  private static func element(_ kind: String, _ name: String, _ arguments: [String]) -> String {
    guard !arguments.isEmpty else { return "<\(kind) name=\"\(name)\"/>" }
    return "<\(kind) name=\"\(name)\">\(arguments.joined())</\(kind)>"
  }

  private static func argument(_ argument: Argument, _ direction: String?) -> String {
    let name = argument.name.isEmpty ? "" : " name=\"\(argument.name)\""
    let direction = direction.map { " direction=\"\($0)\"" } ?? ""
    return "<arg\(name) type=\"\(argument.type)\"\(direction)/>"
  }

  /// The element of a document.
  var text: String {
    "  <interface name=\"\(name)\">\n"
      + members.map { "    \($0)\n" }.joined() + "  </interface>\n"
  }
}
