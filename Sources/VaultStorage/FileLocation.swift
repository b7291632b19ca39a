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

  /// Returns whether the file exists; a missing directory is not an error.
  package func exists() throws(StorageError) -> Bool {
    do {
      return try Directory(anyOwner: directoryPath).contains(name)
    } catch  where error.code == .notFound {
      return false
    }
  }
}
