package import VaultCredentials
import VaultExchange
package import VaultStorage
import VaultTerminal

/// What somebody should know of items that came from elsewhere: the variables by which programs run
/// other code.
///
/// Nobody marks an item so by chance, and `run` does not set them; but who marked this one?
package struct ArrivedVariables {
  /// An item that came, and the variable that `run` would make of it.
  private struct Steering {
    let item: String
    let variable: String
  }

  private var steering: [Steering] = []
  private var changed: [MergeReport.Variable] = []

  package init() {}

  /// Those of what another file or machine brought.
  package init(_ report: MergeReport) {
    for name in report.added where !report.variables.contains(where: { $0.item == name }) {
      look(at: name.text, variable: nil)
    }
    for variable in report.variables {
      if EnvironmentVariable.steersPrograms(variable.text) {
        steering.append(Steering(item: variable.item.text, variable: variable.text))
      } else if variable.isChanged {
        changed.append(variable)
      }
    }
  }

  /// Looks at an item that came.
  ///
  /// - Parameters:
  ///   - name: What it is called.
  ///   - variable: The variable that its attribute names.
  package mutating func look(at name: String, variable: String?) {
    let found = EnvironmentVariable.steering(ofItem: name, attribute: variable)
    guard let found else { return }
    steering.append(Steering(item: name, variable: found))
  }

  /// Says it on stderr.
  package func tell() {
    StandardError.tellSome(steering) { found in
      let shown = StandardOutput.shown(found.item)
      let typed = Quoting.typed(found.item)
      StandardError.warning(
        "\(shown) asks for the variable \(StandardOutput.shown(found.variable)), by which programs "
          + "run other code or read other files; run does not set it",
        hint: "who changed it: \(ProgramName.current) history \(typed); if nobody should have: "
          + "\(ProgramName.current) edit \(typed)")
    }
    StandardError.tellSome(changed) { found in
      StandardError.note(
        "\(StandardOutput.shown(found.item.text)) asks run for another variable than before: "
          + StandardOutput.shown(found.text), hint: nil)
    }
  }

  /// The members of the JSON object.
  package var members: [(String, JSONValue)] {
    let objects = steering.map { found in
      JSONValue.object([("name", .string(found.item)), ("variable", .string(found.variable))])
    }
    return [("steeringVariables", .array(objects))]
  }
}
