import VaultSealing

/// The keys of a machine: those of its stream, and those of the streams that it wrote before its home
/// was put back or copied.
struct MachineKeys: Sendable {
  /// The keys of each of its streams, the first one first.
  private let first: KeyPairs
  private let further: [KeyPairs]

  private init(_ first: KeyPairs, _ further: [KeyPairs]) {
    self.first = first
    self.further = further
  }

  /// The same with the keys of another stream in which the machine goes on.
  func adding(_ keys: KeyPairs) -> MachineKeys { MachineKeys(first, further + [keys]) }

  /// Derives the keys.
  ///
  /// - Parameters:
  ///   - first: The keys that are in the vault.
  ///   - seeds: The seeds of the streams in which the machine went on, the newest last.
  /// - Throws: `SealingError`.
  init(_ first: KeyPairs, further seeds: [SecretBytes] = []) throws(SealingError) {
    self.first = first
    var further: [KeyPairs] = []
    for seed in seeds { further.append(try KeyPairs(seed: seed)) }
    self.further = further
  }

  /// Those of the stream that it writes.
  var current: KeyPairs { further.last ?? first }
  /// Those of the streams that it wrote before, the first one first.
  var former: [KeyPairs] { further.isEmpty ? [] : [first] + further.dropLast() }
  /// Seals what only this machine reads, whatever stream it writes.
  var own: SecretBytes { first.own }
  /// What opens keys that were sealed to it, in whichever stream.
  var openers: [SealingKeyPair] { ([first] + further).map(\.sealing) }
}
