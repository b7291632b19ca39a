/// An item of the keyring that is found under the service and the name of a copy.
struct FoundCopy: Equatable {
  /// The path for changing and deleting it.
  var path: String
  /// The keyed hash of its secret.
  var hash: [UInt8]
  /// Whether it carries all attributes that our copies are made with; it may carry more.
  var carriesOurs: Bool
  /// Seconds since 1970; 0 if unknown.
  var modified: Int64
}

/// Whose the items are that are found under one name.
///
/// A copy of ours carries our attributes, or holds what the vault put there or took over from
/// there. An item that carries our attributes and holds something else was changed by another
/// program in its place, unless it holds what the vault held before: then a command was ended
/// before it had noted what it wrote.
struct CopyStanding: Equatable {
  /// The copies of the vault, the one to be kept first.
  var ours: [FoundCopy] = []
  /// What took the place of the vault's copy, the newest first; empty unless `ours` is.
  var changed: [FoundCopy] = []
  /// Items of other programs beside it or in its place, the newest first.
  var foreign: [FoundCopy] = []

  /// - Parameters:
  ///   - found: What is there.
  ///   - wanted: The keyed hash of the current secret.
  ///   - known: Keyed hashes of what was published under this name.
  ///   - wasHeld: Whether an earlier version had this keyed hash; asked only if nothing else tells.
  init(
    _ found: [FoundCopy], wanted: [UInt8], known: Set<[UInt8]>,
    wasHeld: ([UInt8]) -> Bool = { _ in false }
  ) {
    let found = found.sorted { ($0.modified, $0.path) > ($1.modified, $1.path) }
    func isRecognized(_ copy: FoundCopy) -> Bool {
      known.contains(copy.hash) || (copy.hash == wanted && (copy.carriesOurs || !known.isEmpty))
    }
    let carrying = found.filter(\.carriesOurs)
    if found.contains(where: isRecognized) || carrying.contains(where: { wasHeld($0.hash) }) {
      let mine = found.filter { $0.carriesOurs || isRecognized($0) }
      ours =
        mine.filter { $0.hash == wanted } + mine.filter { $0.hash != wanted && isRecognized($0) }
        + mine.filter { $0.hash != wanted && !isRecognized($0) }
      foreign = found.filter { !ours.contains($0) }
    } else if !carrying.isEmpty {
      changed = carrying
      foreign = found.filter { !$0.carriesOurs }
    } else if !known.isEmpty {
      changed = found
    } else {
      foreign = found
    }
  }
}
