import Synchronization

/// Tricks that depend on how Swift's runtime lays out and counts objects, each with a slow path.
///
/// A trick is checked when it is first used. Where the runtime is not as expected, the slow path
/// takes over; the results are the same. Documentation/design/runtime-tricks.md says for each trick
/// what could break it and which test notices.
package enum RuntimeTricks {
  /// A trick that can be switched off.
  package enum Trick: UInt8, CaseIterable, Sendable {
    /// ``ObjectReference``: an unowned reference and `swift_tryRetain`; slow path: `weak`.
    case unownedReferences = 1
    /// ``ReadProbe``: an observer is found by the references to a key path; slow path: a registrar
    /// for every object that is read.
    case readProbe = 2
    /// ``KeyPathHeader``: a bit in a key path's memory; slow path: every key path is tried.
    case keyPathHeaders = 4
    /// ``OpenArray``: arrays of models compared as memory; slow path: object by object.
    case arrayMemory = 8
  }

  /// The bits of the tricks that are switched off; a constant at first, which is read without a
  /// check whether it has been initialized.
  private static let off = Atomic<UInt8>(0)

  /// Switches off what does not work here; looked at before there is an object.
  static let isChecked: Bool = {
    if !ObjectReference.works() {
      off.bitwiseOr(Trick.unownedReferences.rawValue, ordering: .relaxed)
    }
    return true
  }()

  /// Whether a trick is used.
  @inline(__always) static func isOn(_ trick: Trick) -> Bool {
    off.load(ordering: .relaxed) & trick.rawValue == 0
  }

  /// Whether a trick works with this runtime.
  package static func works(_ trick: Trick) -> Bool {
    switch trick {
    case .unownedReferences: ObjectReference.works()
    case .readProbe: ReadProbe.works
    case .keyPathHeaders: KeyPathHeader.works
    case .arrayMemory: true
    }
  }

  /// Runs `body` with the slow path of a trick, for tests.
  ///
  /// Other threads take the slow path too; whatever was made before or is made meanwhile stays
  /// good.
  package static func without<Result>(
    _ trick: Trick, _ body: () throws -> Result
  ) rethrows -> Result {
    off.bitwiseOr(trick.rawValue, ordering: .relaxed)
    ReadProbe.forget()
    defer {
      if works(trick) { off.bitwiseAnd(~trick.rawValue, ordering: .relaxed) }
    }
    return try body()
  }
}
