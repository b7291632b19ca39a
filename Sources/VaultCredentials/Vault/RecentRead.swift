import VaultSealing

/// A vault file that was read and opened a moment ago.
///
/// Opening a vault authenticates its whole index; the call that follows at once, `vault get` above all, need not do
/// so again. It holds only for a moment, and only while the same file is in place.
struct RecentRead: Sendable {
  let sealed: VaultFile
  let index: SecretBytes
  private let read = ContinuousClock.now

  init(sealed: VaultFile, index: SecretBytes) {
    self.sealed = sealed
    self.index = index
  }

  /// Whether it was read within the last tenth of a second.
  var isRecent: Bool { read.duration(to: .now) < .milliseconds(100) }
}

/// Which file a name stood for: another one after every write.
///
/// A file system gives the number of a file that is gone to a new one, which may have the same size: the time of its
/// last change tells them apart.
struct FileIdentity: Sendable, Equatable {
  let device: UInt64
  let inode: UInt64
  let size: Int
  let changed: Int64
}
