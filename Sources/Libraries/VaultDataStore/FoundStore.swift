import Glibc
package import VaultStorage

/// A store that a word names, or one found beside others.
package struct FoundStore {
  package let file: DataStoreFile
  package let metadata: DataStoreMetadata

  /// The word that names it: its application's id, with its own name where that is not `default`.
  package var name: String {
    file.stem == "default" ? metadata.application : "\(metadata.application)/\(file.stem)"
  }

  /// What lists of stores tell of it.
  package var json: JSONValue {
    .object([
      ("application", .string(metadata.application)), ("name", .string(file.stem)),
      ("path", .string(file.path)), ("store", .string(metadata.store)),
      ("version", .string(metadata.schema.version.description)),
      ("fingerprint", .string(metadata.schema.fingerprint)),
      ("entities", .strings(metadata.schema.entities.map(\.name))),
    ])
  }

  /// Finds the store that `word` means: a file if there is one of that path, else an application's.
  ///
  /// - Returns: `nil` where there is none, or where it is an empty file.
  /// - Throws: ``StorageError``.
  package init?(_ word: String) throws {
    for path in try Self.paths(for: word) {
      let file = try DataStoreFile(following: path)
      // A folder may be called like the application that it belongs to.
      guard try file.exists(), !file.isDirectory else { continue }
      guard let metadata = try file.metadata() else { return nil }
      self.init(file: file, metadata: metadata)
      return
    }
    return nil
  }

  fileprivate init(file: DataStoreFile, metadata: DataStoreMetadata) {
    self.file = file
    self.metadata = metadata
  }

  private static func paths(for word: String) throws -> [String] {
    if word.begins(with: "/") { return [word] }
    let here = StoreLocation(home: word).data
    guard !word.isEmpty, !word.begins(with: ".") else { return [here] }
    let parts = word.parts(at: "/", maxSplits: 1).map(String.init)
    let folder = try StoreLocation.applicationData(id: parts[0])
    let name = parts.count == 2 ? parts[1] : "default"
    return [here, "\(folder)/\(name).store", "\(folder)/\(name)"]
  }

  /// A connection that can only read.
  package func open() throws -> SQLiteConnection { try file.open(.read).connection }

  /// The stores in the folders of applications, and what could not be looked at.
  package struct Listing {
    /// Sorted by name.
    package fileprivate(set) var stores: [FoundStore] = []
    /// Damaged or unreadable stores, and folders that may not be listed: the path and the reason.
    package fileprivate(set) var unreadable: [(path: String, error: StorageError)] = []
  }

  /// All stores in the folders of applications, which may be links to where there is room.
  ///
  /// A database of that ending that is no store of ours is not named.
  ///
  /// - Throws: ``StorageError`` where the folder of all data cannot be listed.
  package static func all() throws -> Listing {
    let data = try StoreLocation.applicationData(id: "")
    let root = String(data.dropLast())
    let applications: [String]
    do {
      applications = try UserFile.names(in: root)
    } catch  where error.errno == ENOENT {
      return Listing()
    } catch {
      throw Directory.failure(error, "list", root)
    }
    var listing = Listing()
    for application in applications {
      let folder = "\(root)/\(application)"
      do {
        for name in try UserFile.names(in: folder) where name.ends(with: ".store") {
          listing.look(at: "\(folder)/\(name)")
        }
      } catch  where error.errno == ENOTDIR || error.errno == ENOENT {
        // A file, or a link to nothing.
      } catch {
        listing.unreadable.append((folder, Directory.failure(error, "list", folder)))
      }
    }
    listing.stores.sort { ($0.name, $0.file.path) < ($1.name, $1.file.path) }
    return listing
  }
}

extension FoundStore.Listing {
  fileprivate mutating func look(at path: String) {
    do {
      let file = try DataStoreFile(following: path)
      guard !file.isDirectory, let metadata = try file.metadata() else { return }
      stores.append(FoundStore(file: DataStoreFile(path: path), metadata: metadata))
    } catch  where error.code == .unknownStore && error.databaseError == nil {
      // A database of another program. What is no database at all may have been a store.
    } catch {
      unreadable.append((path, error))
    }
  }
}
