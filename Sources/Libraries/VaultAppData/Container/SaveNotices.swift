import Synchronization

/// Carries notices of saved rows between the contexts of a container.
final class SaveNotices: Sendable {
  /// The rows that a save changed.
  struct Notice: Sendable {
    let sender: ObjectIdentifier
    /// By entity.
    var inserted: [Int: [Int64]] = [:]
    var updated: [Int: [Int64]] = [:]
    var deleted: [Int: [Int64]] = [:]
    /// Rows may have changed that are not named.
    var isAll = false
  }

  /// The notices for one context, which takes them in when it is used.
  final class Queue: Sendable {
    let letters = Mutex<[Notice]>([])
  }

  private struct WeakQueue: Sendable {
    weak var box: Queue?
  }

  let signal = SaveSignal()
  /// Who else is told.
  let observation = ContainerObservation()
  private let boxes = Mutex<[WeakQueue]>([])

  func open() -> Queue {
    let box = Queue()
    boxes.withLock { boxes in
      boxes.removeAll { $0.box == nil }
      boxes.append(WeakQueue(box: box))
    }
    return box
  }

  /// Puts a notice in every queue but the sender's own.
  func send(_ letter: Notice, from own: Queue) {
    put(letter, in: boxes.withLock { $0.compactMap(\.box) }.filter { $0 !== own })
    observation.tell(.own)
  }

  /// Puts a notice in every queue.
  func tell(_ letter: Notice) { put(letter, in: boxes.withLock { $0.compactMap(\.box) }) }

  private func put(_ letter: Notice, in queues: [Queue]) {
    guard !queues.isEmpty else { return }
    for queue in queues { queue.letters.withLock { $0.append(letter) } }
    signal.raise()
  }
}

/// Raised by every save in the process that other contexts may have to take in.
final class SaveSignal: Sendable {
  private let count = Atomic<UInt64>(0)

  var value: UInt64 { count.load(ordering: .acquiring) }
  func raise() { count.add(1, ordering: .acquiringAndReleasing) }
}
