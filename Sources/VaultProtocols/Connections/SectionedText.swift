import VaultStorage

/// The settings of a configuration with sections in brackets, as git and AWS have it.
///
/// Only to see what is there: what is written is a ``MarkedBlock``.
package struct SectionedText {
  /// A setting, in its section without the brackets.
  package struct Setting: Equatable {
    package let section: String
    /// In lower case.
    package let key: String
    package let value: String
  }

  /// All settings, in their order.
  package let settings: [Setting]

  package init(_ text: String) {
    var section = ""
    var found: [Setting] = []
    for part in text.parts(at: "\n") {
      let line = part.trimmingBlanks
      if line.begins(with: "[") {
        section = line.parts(at: "]").first.map { String($0.dropFirst()).trimmingBlanks } ?? ""
      } else if !line.begins(with: "#"), !line.begins(with: ";"),
        let (key, value) = line.halves(at: "=")
      {
        found.append(
          Setting(
            section: section, key: key.trimmingBlanks.lowercased(), value: value.trimmingBlanks))
      }
    }
    settings = found
  }
}
