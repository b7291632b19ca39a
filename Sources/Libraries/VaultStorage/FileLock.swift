import CVaultLinux
import Glibc

/// A lock between processes on a file that is never removed.
///
/// An open-file-description lock: the kernel releases it when its holder exits or crashes, and it
/// also excludes two holders in one process. The file is never removed: otherwise one process could
/// lock a file that another has just unlinked.
package final class FileLock: Sendable {
  /// The locked file, open for reading and writing.
  package let descriptor: Int32

  /// Takes the lock, or waits for it.
  ///
  /// - Parameters:
  ///   - name: The lock file's name; an empty file is created if there is none.
  ///   - directory: The directory of the file.
  ///   - timeout: How long to wait; the calling thread sleeps meanwhile.
  /// - Throws: ``StorageError`` with code `.busy` after the timeout; `.cannotCreate`, `.refused`.
  package init(
    _ name: String, in directory: Directory, timeout: Duration
  ) throws(StorageError) {
    do {
      descriptor = try System.openNoLinks(
        name, in: directory.descriptor, flags: O_RDWR | O_CREAT | O_NONBLOCK | O_NOCTTY,
        mode: 0o600)
    } catch  where error.errno == EROFS {
      throw StorageError(
        .cannotCreate, "nothing can be changed in \(directory.path): \(error.reason)",
        systemError: error.errno)
    } catch {
      throw Directory.failure(error, "open the lock", "\(directory.path)/\(name)", .cannotCreate)
    }
    do {
      try directory.checkFile(descriptor, name)
      try wait(name, timeout: timeout)
    } catch {
      System.close(descriptor)
      guard error.code == .refused, directory.keepsModesOfFiles() == false else { throw error }
      // Nobody can hold a lock that is open to others, so a new one may go again.
      if let status = try? System.status(of: name, in: directory.descriptor), status.isRegular,
        status.size == 0
      {
        try? System.unlink(name, in: directory.descriptor)
        throw Directory.keepsNoModes("\(directory.path)/\(name)", status)
      }
      throw error
    }
  }

  /// Releases the lock with the last reference.
  deinit { System.close(descriptor) }

  private func wait(_ name: String, timeout: Duration) throws(StorageError) {
    let deadline = ContinuousClock.now + timeout
    var pause: UInt32 = 250
    while true {
      do {
        return try System.lock(descriptor, exclusive: true)
      } catch  where error.errno != EAGAIN && error.errno != EACCES {
        throw StorageError(
          .inputOutput, "cannot lock \(name): \(error.reason)", systemError: error.errno)
      } catch {
        guard ContinuousClock.now < deadline else {
          throw StorageError(
            .busy, "another process has been writing for \(timeout); try again",
            systemError: error.errno)
        }
      }
      // Most writers finish within milliseconds: pauses start short and grow to 10 ms.
      usleep(pause)
      pause = min(pause * 2, 10_000)
    }
  }
}
