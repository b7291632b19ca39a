import Glibc

/// The store as a file: its permissions, and creating an empty one.
package enum StoreFile {
  enum Presence {
    case absent
    case present
  }

  /// Checks owner and mode by name.
  ///
  /// Not through a descriptor: closing one would release the locks of this process's other
  /// connections (sqlite.org/howtocorrupt.html, 2.2).
  static func check(_ name: String, in directory: Directory) throws(StorageError) -> Presence {
    let status: System.FileStatus
    do {
      status = try System.status(of: name, in: directory.descriptor)
    } catch  where error.errno == ENOENT {
      return .absent
    } catch {
      throw Directory.failure(error, "look at", "\(directory.path)/\(name)")
    }
    try directory.check(status, name)
    return .present
  }

  /// Creates an empty file with mode 0600, which SQLite copies to the files beside it.
  package static func create(_ name: String, in directory: Directory) throws(StorageError) {
    do {
      System.close(
        try System.open(
          name, in: directory.descriptor, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
          mode: 0o600))
    } catch  where error.errno == EEXIST {
      return
    } catch {
      throw Directory.failure(error, "create", "\(directory.path)/\(name)", .cannotCreate)
    }
  }
}

/// File systems that several machines write to, or that do not support shared memory maps.
package enum NetworkFileSystem {
  /// Magic numbers of statfs(2) and linux/magic.h.
  private static let types: Set<Int64> = [
    0x6969,  // NFS
    0x517b, 0xff53_4d42, 0xfe53_4d42,  // SMB, CIFS, SMB2
    0x6573_5546,  // FUSE: sshfs and the like
    0x0102_1997,  // 9p
    0x5346_414f, 0x7375_7245, 0x564c,  // AFS, Coda, NCP
    0x00c3_6400, 0x0bd0_0bd0, 0x0116_1970, 0x7461_636f,  // Ceph, Lustre, GFS2, OCFS2
  ]

  package static func contains(_ directory: Directory) throws(StorageError) -> Bool {
    do {
      return types.contains(try System.fileSystemType(directory.descriptor))
    } catch {
      throw Directory.failure(error, "look at the file system of", directory.path)
    }
  }
}
