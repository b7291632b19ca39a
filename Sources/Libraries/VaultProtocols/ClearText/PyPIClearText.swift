import VaultCredentials
import VaultStorage

/// `~/.pypirc`: a section for each index, with `username` and `password`.
///
/// packaging.python.org/specifications/pypirc
enum PyPIClearText: ClearTextFormat {
  /// Python's configparser takes the first of them: docs.python.org/3/library/configparser.html.
  private static let marks: [Unicode.Scalar] = ["=", ":"]

  static func secrets(in text: String) throws -> [ClearTextSecret] {
    let lines = SettingLines(text, marks: marks)
    return try lines.sections.compactMap { section in
      guard !section.isEmpty, !lines.goesOn(["password"], in: section),
        let password = try lines.value("password", in: section),
        !password.isEmpty
      else { return nil }
      return try .inVariable(
        section, password, name: ["pypi", section],
        [
          ServiceCredential.client: "pypi", ServiceCredential.server: section,
          ServiceCredential.account: try lines.value("username", in: section) ?? "",
        ], "TWINE_PASSWORD")
    }
  }

  static func removing(_ entries: Set<String>, from text: String) -> String {
    var lines = SettingLines(text, marks: marks)
    for section in entries { lines.remove(["password"], in: section) }
    return lines.text
  }

  static func adding(_ value: ClearTextValue, to text: String) -> String {
    var lines = SettingLines(text, marks: marks)
    lines.add(["password = \(value.main)"], in: value.entry)
    return lines.text
  }

  /// Python's configparser goes on in lines that are indented.
  static func doubtfulLines(in text: String) -> [Int] {
    let continued = SettingLines(text, marks: marks).continued(["password"])
    let lines = text.parts(at: "\n", keepsEmpty: true)
    return lines.indices.filter { place in
      let line = lines[place].trimmingBlanks
      if !line.begins(with: "#"), !line.begins(with: ";"), line.hasPasswordInAddress { return true }
      guard line.lowercased().begins(with: "password") else { return false }
      return continued.contains(place) || sets(["password"], line)
    }
  }
}
