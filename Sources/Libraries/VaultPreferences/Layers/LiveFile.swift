import Synchronization
import VaultStorage

/// The watch of a text layer's file, as long as the store that has it.
///
/// Where the path leads through symbolic links, each of them is watched, and the file at the end;
/// where a folder is missing, its coming is.
final class LiveFile: Sendable {
  private let paths: [String]
  private let changed: @Sendable () -> Void
  /// `nil` once nobody needs them.
  private let watches = Mutex<[FileSignal.Watch]?>([])

  /// Watches the file; where its folder cannot be watched, it is read once.
  init(_ layer: TextLayer, _ changed: @escaping @Sendable () -> Void) {
    paths = layer.names.map { "\(layer.folder)/\($0)" }
    self.changed = changed
    renew()
  }

  deinit { stop(watches.withLock { $0.take() }) }

  /// Watches what the path leads through now.
  private func renew() {
    var made: [FileSignal.Watch] = []
    var steps: [UserFile.Step]
    repeat {
      stop(made)
      steps = paths.flatMap { UserFile.steps(to: $0) }
      made = Set(steps).compactMap { step in
        try? FileSignal.watch(step.name, in: step.folder, isOwn: false, seesLinks: true) {
          [weak self] in
          guard let self else { return }
          renew()
          changed()
        }
      }
      // A link that was changed before it was watched.
    } while steps != paths.flatMap { UserFile.steps(to: $0) }
    let old = watches.withLock { watches -> [FileSignal.Watch]? in
      guard let present = watches else { return made }
      watches = made
      return present
    }
    stop(old)
  }

  private func stop(_ watches: [FileSignal.Watch]?) { for watch in watches ?? [] { watch.stop() } }
}
