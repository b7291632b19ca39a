import Synchronization
import VaultStorage

extension UnlockedVault {
  /// Changes of items as they happen, made by this process or any other.
  ///
  /// Every change after this call is reported; several that come faster than they are taken may
  /// come as one. The sequence ends when its task is cancelled, and throws when the vault can no
  /// longer be read with the key that this object holds: it was rotated, or is damaged.
  ///
  /// ```swift
  /// let token = try ItemName("api-token")
  /// for try await change in try open.changes() where change.changed.contains(token) {
  ///   try await reload()
  /// }
  /// ```
  ///
  /// - Returns: The changes, without end.
  /// - Throws: ``CredentialError`` with code `.inputOutput` if the folder cannot be watched, or
  ///   what reading throws.
  ///
  /// inotify(7); on a network file system it looks once a second, and elsewhere as often as
  /// ``VaultOptions/changePolling`` says.
  public func changes() throws -> AsyncThrowingStream<VaultChange, any Error> {
    let (stream, continuation) = AsyncThrowingStream.makeStream(of: VaultChange.self)
    let last = Known()
    let watch = try CredentialError.fromStorage {
      try locked.folder.watch(polling: locked.options.changePolling) { [self] in
        do {
          let change = last.update(to: try liveItems())
          if !change.isEmpty { continuation.yield(change) }
        } catch let error as CredentialError where error.code == .noVault {
          // Between a file that was moved away and one that is put back.
        } catch {
          continuation.finish(throwing: error)
        }
      }
    }
    continuation.onTermination = { _ in watch.stop() }
    do {
      _ = last.update(to: try liveItems())
    } catch {
      continuation.finish()
      throw error
    }
    return stream
  }

  private func liveItems() throws -> [String: ItemRecord] {
    try snapshot().index.items.reduce(into: [:]) { items, record in
      if record.trashed == 0 { items[record.name] = record }
    }
  }
}

/// The items at the last look.
private final class Known: Sendable {
  private let items = Mutex<[String: ItemRecord]>([:])

  func update(to new: [String: ItemRecord]) -> VaultChange {
    items.withLock { items in
      defer { items = new }
      return VaultChange(from: items, to: new)
    }
  }
}
