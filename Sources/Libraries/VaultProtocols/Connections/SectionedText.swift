import VaultStorage

/// The settings of a configuration with sections in brackets, as git and AWS have it.
///
/// Only to see what is there: what is written is a ``MarkedBlock``, or ``SettingLines``.
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
    settings = SettingLines(text).lines.compactMap { line in
      line.key.map { Setting(section: line.section, key: $0, value: line.value) }
    }
  }
}
