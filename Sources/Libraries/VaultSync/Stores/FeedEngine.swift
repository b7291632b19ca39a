/// A store that is a mirror of a space: it is read, and nothing is written to it.
package protocol FeedEngine: SyncEngine {
  /// What the mirror has now; it is what the engine goes by from then on.
  ///
  /// - Parameter tag: What the mirror said of the feed that is known; `nil` for none.
  /// - Returns: The feed, and what the mirror says of it; `nil` if it is the one of the tag.
  /// - Throws: ``SyncError`` with code `.unavailable`, `.tampered` for what is no feed.
  func feed(unless tag: [UInt8]?) throws -> (feed: SyncFeed, tag: [UInt8])?

  /// A file that the feed names.
  ///
  /// - Parameter name: Its name, 32 bytes.
  /// - Returns: Its bytes, which are those of the name; `nil` if it is not there.
  /// - Throws: ``SyncError`` with code `.unavailable`, `.tampered` for other bytes.
  func file(_ name: [UInt8]) throws -> [UInt8]?

  /// Says how many bytes of files are taken from now on, before ``file(_:)`` throws.
  ///
  /// - Parameter bytes: The bytes; `nil` for any number.
  func limit(to bytes: Int?)
}

/// Where a mirror is put.
package protocol MirrorPlace {
  /// The feed that lies there; `nil` for none.
  ///
  /// - Throws: ``SyncError`` with code `.notAllowed` for what is no place for a mirror.
  func feed() throws -> [UInt8]?
  /// Whether a file is there.
  func has(_ name: [UInt8]) throws -> Bool
  /// Puts a file.
  func put(_ bytes: [UInt8], _ name: [UInt8]) throws
  /// Replaces the feed, and removes files that none has named for some time.
  ///
  /// - Parameters:
  ///   - feed: The feed, whose files are there.
  ///   - former: The names that the feed before had.
  /// - Throws: ``SyncError`` with code `.unavailable`.
  func publish(_ feed: SyncFeed, after former: Set<[UInt8]>) throws
}
