/// A file by its absolute path: its directory, its name, and whether it exists.
package struct FileLocation: Sendable, Equatable {
  /// Absolute.
  package let path: String

  package init(path: String) { self.path = path }

  /// The directory's path.
  package var directoryPath: String {
    let end = path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
    return end == path.startIndex ? "/" : String(path[..<end])
  }

  /// The file's name in its directory.
  package var name: String { String(path.lastComponent) }

  /// The name up to its last dot: the NAME of `.NAME_SUPPORT`.
  package var stem: String {
    guard let dot = name.unicodeScalars.lastIndex(of: "."), dot != name.startIndex else {
      return name
    }
    return String(name[..<dot])
  }

  /// Opens the file's directory, which may be a link to where there is room.
  ///
  /// - Parameter create: Creates it and missing parents with mode 0700.
  /// - Returns: The directory.
  /// - Throws: As ``Directory/init(anyOwner:create:followsLink:)``.
  package func directory(create: Bool = false) throws(StorageError) -> Directory {
    try Directory(anyOwner: directoryPath, create: create, followsLink: true)
  }

  /// Returns whether the file exists; a missing directory is not an error.
  package func exists() throws(StorageError) -> Bool {
    try Directory.ifThere(anyOwner: directoryPath, followsLink: true)?.contains(name) ?? false
  }
}
