package import VaultCredentials

extension Item {
  /// The attribute that names the program for which the command made an item.
  package static let clientAttribute = "client"
  /// The client of the items that say what was moved out of files of a home.
  package static let moveClient = "moved"
  /// The attribute of such an item that names the home.
  package static let moveHome = "home"

  /// Whether it is the command's own record of what it has done, and no secret that a person gives to
  /// programs: it holds whole files as they were.
  ///
  /// Where several items are meant it is left out, unless its name is on the line.
  package var isBookkeeping: Bool {
    attributes[Self.clientAttribute] == Self.moveClient && attributes[Self.moveHome] != nil
  }
}
