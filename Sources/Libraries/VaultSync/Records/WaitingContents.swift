import Synchronization

/// What records say that were opened and cannot be taken in yet.
///
/// A run asks for it again and again, at rest, too. A member can write records that are dear to open
/// and wait for ever, for what nobody has: each costs once.
final class WaitingContents: Sendable {
  typealias Opened = (content: RecordContent, epoch: [UInt8])

  /// Most bytes of records whose contents are remembered; behind that they are opened anew.
  private static let most = 64 << 20

  private struct Known {
    var contents: [[UInt8]: Opened] = [:]
    var size = 0
  }

  private let known = Mutex(Known())

  /// What a record says; `nil` if it was not noted.
  ///
  /// - Parameter record: The record.
  /// - Returns: The content, and the id of the epoch whose key opened it.
  func content(of record: SyncRecord) -> Opened? {
    known.withLock { $0.contents[record.hash] }
  }

  /// Notes what a record says.
  func note(_ record: SyncRecord, _ opened: Opened) {
    known.withLock { known in
      guard known.contents[record.hash] == nil, known.size + record.bytes.count <= Self.most else {
        return
      }
      known.contents[record.hash] = opened
      known.size += record.bytes.count
    }
  }
}
