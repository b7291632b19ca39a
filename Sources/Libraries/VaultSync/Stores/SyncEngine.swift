/// A store of streams, which learns nothing and is believed in nothing.
///
/// An engine moves bytes. It needs no compare-and-swap: nobody but its machine writes a stream, and
/// a record never changes. Calls wait on the calling thread. Failures are ``SyncError`` with code
/// `.unavailable`, or `.taken` where a number is taken by another record.
public protocol SyncEngine: Sendable {
  /// Whether a record may be seen before one that was written earlier, as a file syncer does it.
  var isEventual: Bool { get }

  /// Most bytes of records in one call of ``append(_:head:in:)``, at least 1 MiB.
  ///
  /// A single record may have a few bytes more: those of the list of its parts.
  var largest: Int { get }

  /// The spaces in the store.
  ///
  /// - Returns: Their ids.
  /// - Throws: ``SyncError``.
  func spaces() throws -> [SpaceID]

  /// The newest record of every stream; looks at the store anew.
  ///
  /// - Parameter space: The space.
  /// - Returns: A head for each stream.
  /// - Throws: ``SyncError``.
  func heads(in space: SpaceID) throws -> [StreamHead]

  /// Records of a stream, in order, without a gap.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - space: The space.
  ///   - sequence: The number before the first one.
  ///   - limit: How many at most.
  /// - Returns: The records; fewer or none where one is not there.
  /// - Throws: ``SyncError``.
  func records(
    of stream: StreamID, in space: SpaceID, after sequence: UInt64, limit: Int
  ) throws -> [[UInt8]]

  /// Adds records to a stream, then moves its head.
  ///
  /// Records that are there already with the same bytes are left as they are, so that the call can
  /// be repeated.
  ///
  /// - Parameters:
  ///   - records: The records.
  ///   - head: The last one of them.
  ///   - space: The space.
  /// - Throws: ``SyncError`` with code `.taken` if another record has one of the numbers.
  func append(_ records: [[UInt8]], head: StreamHead, in space: SpaceID) throws

  /// Writes a record of this machine's stream again that the store has lost, or has a part of.
  ///
  /// An engine whose store cannot lose one record alone does nothing.
  ///
  /// - Parameters:
  ///   - record: The record.
  ///   - stream: The stream.
  ///   - sequence: Its number.
  ///   - space: The space.
  /// - Throws: ``SyncError``.
  func restore(
    _ record: [UInt8], of stream: StreamID, at sequence: UInt64, in space: SpaceID
  ) throws

  /// Puts records of this machine's stream together: each range into one file, in the place of those
  /// that lie alone or in smaller files.
  ///
  /// At each moment all of them can be read: a file is whole before the first one goes. An engine
  /// whose store does not mind how many records there are does nothing.
  ///
  /// - Parameters:
  ///   - ranges: The numbers of the records.
  ///   - stream: The stream.
  ///   - space: The space.
  ///   - records: Gives the records of a range, where they are needed.
  /// - Throws: ``SyncError``; what `records` throws.
  func pack(
    _ ranges: [ClosedRange<UInt64>], of stream: StreamID, in space: SpaceID,
    records: (ClosedRange<UInt64>) throws -> [[UInt8]]
  ) throws

  /// Removes the first records of this machine's stream: a snapshot stands in for them.
  ///
  /// An engine whose store keeps what was removed does nothing, and so does one that cannot remove
  /// these and no others.
  ///
  /// - Parameters:
  ///   - sequence: The number of the last one that may go.
  ///   - stream: The stream.
  ///   - space: The space.
  /// - Throws: ``SyncError``.
  func retire(upTo sequence: UInt64, of stream: StreamID, in space: SpaceID) throws

  /// The first record of a stream that the store has.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - space: The space.
  /// - Returns: Its number; `nil` for none, and from an engine that retires nothing.
  /// - Throws: ``SyncError``.
  func oldest(of stream: StreamID, in space: SpaceID) throws -> UInt64?

  /// Removes parts of this machine's snapshots that are of no use any more.
  ///
  /// - Parameters:
  ///   - names: Their names; one that is not there is passed over.
  ///   - space: The space.
  /// - Throws: ``SyncError``.
  func removeObjects(_ names: [[UInt8]], in space: SpaceID) throws

  /// Removes what a program left behind that was killed while it wrote into the store, or met a full
  /// disk; records that can be read stay.
  ///
  /// An engine whose store takes a record whole or not at all does nothing.
  ///
  /// - Parameters:
  ///   - stream: This machine's stream, which nobody else writes.
  ///   - space: The space.
  ///   - everywhere: Whether to look, too, where others write.
  /// - Throws: ``SyncError``.
  func removeLeftovers(of stream: StreamID, in space: SpaceID, everywhere: Bool) throws

  /// An invitation.
  ///
  /// - Parameters:
  ///   - id: Its id, 16 bytes.
  ///   - space: The space.
  /// - Returns: What was put; `nil` if there is none.
  /// - Throws: ``SyncError``.
  func invitation(_ id: [UInt8], in space: SpaceID) throws -> [UInt8]?

  /// Puts an invitation, in the place of one that this machine put there before.
  ///
  /// - Parameters:
  ///   - bytes: What is put.
  ///   - id: Its id, 16 bytes.
  ///   - space: The space.
  /// - Throws: ``SyncError``.
  func putInvitation(_ bytes: [UInt8], id: [UInt8], in space: SpaceID) throws

  /// A part of a snapshot, as the store shows it.
  ///
  /// - Parameters:
  ///   - name: Its name, 32 bytes.
  ///   - space: The space.
  /// - Returns: The bytes, which whoever reads them compares with the name; `nil` if there are
  ///   none.
  /// - Throws: ``SyncError``.
  func object(_ name: [UInt8], in space: SpaceID) throws -> [UInt8]?

  /// Puts parts of a snapshot.
  ///
  /// What is there already with the same bytes is left as it is; any machine may put it.
  ///
  /// - Parameters:
  ///   - objects: The parts.
  ///   - space: The space.
  /// - Throws: ``SyncError``.
  func put(_ objects: [SyncObject], in space: SpaceID) throws

  /// Begins to listen for changes in a space.
  ///
  /// What happens after this returns is signaled; so the heads are read once more after it.
  ///
  /// - Parameter space: The space.
  /// - Returns: The signal; `nil` from a store that cannot tell, which is looked at from time to time.
  /// - Throws: ``SyncError``.
  func changes(in space: SpaceID) throws -> (any StoreSignal)?
}

/// A store's word that something in a space may have changed.
///
/// Nothing of it is believed: it is a reason to look at the heads, and so is the end of a time.
public protocol StoreSignal: Sendable {
  /// Waits on the calling thread.
  ///
  /// - Parameter time: How long at most.
  /// - Returns: Whether something may have changed; false where the time was over.
  /// - Throws: ``SyncError`` with code `.unavailable` where the store does not signal any more.
  func wait(for time: Duration) throws -> Bool
}

extension SyncEngine {
  /// 16 MiB, the most that a record has.
  public var largest: Int { SyncRecord.maximumLength }

  /// None: for a store that cannot tell.
  public func changes(in space: SpaceID) throws -> (any StoreSignal)? { nil }

  /// Does nothing: for a store that keeps what was removed.
  public func retire(upTo sequence: UInt64, of stream: StreamID, in space: SpaceID) throws {}

  /// None: for a store that has all records.
  public func oldest(of stream: StreamID, in space: SpaceID) throws -> UInt64? { nil }

  /// Does nothing: for a store that keeps what was removed.
  public func removeObjects(_ names: [[UInt8]], in space: SpaceID) throws {}

  /// Does nothing: for a store that takes a record whole or not at all.
  public func removeLeftovers(of stream: StreamID, in space: SpaceID, everywhere: Bool) throws {}

  /// Does nothing: for a store that cannot lose one record alone.
  public func restore(
    _ record: [UInt8], of stream: StreamID, at sequence: UInt64, in space: SpaceID
  ) throws {}

  /// Does nothing: for a store that does not mind how many records there are.
  public func pack(
    _ ranges: [ClosedRange<UInt64>], of stream: StreamID, in space: SpaceID,
    records: (ClosedRange<UInt64>) throws -> [[UInt8]]
  ) throws {}
}
