import VaultSealing

/// A vault file as it was read when the vault was opened.
///
/// Opening a vault authenticates its whole index. The first call afterwards, `vault get` above all,
/// need not read and authenticate it again: it takes this over if the same file is still in place.
struct OpenedFile: Sendable {
  let sealed: VaultFile
  /// The index's plaintext, padded.
  let index: SecretBytes
}

/// The identity of a file: it changes with every write.
///
/// A file system reuses the number of a deleted file, and the new file may have the same size; the
/// time of its last change tells them apart.
struct FileIdentity: Sendable, Equatable {
  let device: UInt64
  let inode: UInt64
  let size: Int
  let changed: Int64
}
