import Synchronization
import VaultStorage

/// The watch of a text layer's file, as long as the store that has it.
final class LiveFile: Sendable {
  private let watches: [FileSignal.Watch]

  /// Watches the file; where its folder cannot be watched, it is read once.
  init(_ layer: TextLayer, _ changed: @escaping @Sendable () -> Void) {
    watches = layer.names.compactMap { name in
      try? FileSignal.watch(name, in: layer.folder, isOwn: false, changed)
    }
  }

  deinit { for watch in watches { watch.stop() } }
}
