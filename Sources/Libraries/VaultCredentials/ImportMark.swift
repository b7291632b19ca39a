/// What an imported item was in the other program's file, as an attribute that the vault itself
/// writes.
///
/// The vault keeps the text and gives it no meaning; VaultExchange writes it and finds the item by
/// it when the same file is imported again. A copy of the item does not get it. Versions of this
/// library that do not know the attribute keep it. Documentation/design/file-format.md, section 4.
enum ImportMark {
  static let attribute = "vault:import"
}

extension Item {
  /// The mark that an import left in the item; `nil` if none did.
  package var importMark: String? { storedAttributes[ImportMark.attribute] }
}
