import Synchronization

/// A system call that fails in a test, and how; only tests create one.
///
/// ``System`` counts its calls; the n-th one of the planned kinds fails.
package final class FaultPlan: Sendable {
  /// The effect on the n-th call.
  package enum Fault: Sendable, Equatable {
    /// The call fails with this `errno`, and later ones succeed.
    case error(Int32)
    /// A write takes one byte only; other calls are unaffected.
    case shortWrite
    /// As if the process had been killed before the call: it and all later ones do nothing.
    case kill
  }

  private struct State {
    var count = 0
    var hasFired = false
  }

  private let calls: Set<System.Call>
  private let number: Int
  private let fault: Fault
  private let state = Mutex(State())

  /// Plans `fault` at the `number`-th call, counted from 1, of those in `calls`.
  package init(_ fault: Fault, at number: Int, of calls: Set<System.Call> = System.Call.changing) {
    self.fault = fault
    self.number = number
    self.calls = calls
  }

  /// Whether the fault has happened.
  package var hasFired: Bool { state.withLock { $0.hasFired } }

  /// The fault for this call; `nil` if it should work as always.
  func fault(for call: System.Call) -> Fault? {
    state.withLock { state in
      if state.hasFired, fault == .kill { return .kill }
      guard calls.contains(call) else { return nil }
      if fault == .shortWrite, call != .write { return nil }
      state.count += 1
      guard state.count == number else { return nil }
      state.hasFired = true
      return fault
    }
  }
}
