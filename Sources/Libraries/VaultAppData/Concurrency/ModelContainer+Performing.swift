import Synchronization

extension ModelContainer {
  /// Runs a block with a context of its own, on a thread where it may block.
  ///
  /// Fetches and saves read files and wait for locks. This suspends the calling task instead, so
  /// the threads that run Swift's tasks stay free. As many blocks run at a time as the store may
  /// have connections (``ModelConfiguration/maximumConnections``); the others wait in order.
  ///
  /// ```swift
  /// let names = try await container.perform { context in
  ///   context.insert(Trip(name: "Rome"))
  ///   try context.save()
  ///   return try context.fetch(FetchDescriptor<Trip>()).map(\.name)
  /// }
  /// ```
  ///
  /// What the block does not save is dropped. Objects stay within it: return values, or
  /// identifiers. If the task is cancelled, a block that has not begun does not run, and in one
  /// that runs the statement under way, and every later fetch and save, throws; what was saved by
  /// then stays. Not part of SwiftData.
  ///
  /// - Parameter body: Uses the context until it returns.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws; `CancellationError`.
  public func perform<Result: Sendable>(
    _ body: @escaping @Sendable (ModelContext) throws -> Result
  ) async throws -> Result {
    let call = ContextCall<Result>(self, body)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        guard call.begin(continuation) else { return }
        threads.add { call.run() }
      }
    } onCancel: {
      call.cancel()
    }
  }
}

/// One call of ``ModelContainer/perform(_:)``.
private final class ContextCall<Result: Sendable>: Sendable {
  private enum State {
    case made
    case cancelled
    case waiting(CheckedContinuation<Result, any Error>)
    case running(CheckedContinuation<Result, any Error>, ContextCancellation)
    case ended
  }

  private let container: ModelContainer
  private let body: @Sendable (ModelContext) throws -> Result
  private let state = Mutex(State.made)

  init(_ container: ModelContainer, _ body: @escaping @Sendable (ModelContext) throws -> Result) {
    self.container = container
    self.body = body
  }

  /// Notes who waits; `false` if the call was cancelled before.
  func begin(_ continuation: CheckedContinuation<Result, any Error>) -> Bool {
    let isWanted = state.withLock { state in
      if case .cancelled = state { return false }
      state = .waiting(continuation)
      return true
    }
    if !isWanted { continuation.resume(throwing: CancellationError()) }
    return isWanted
  }

  func run() {
    guard case .waiting = state.withLock({ $0 }) else { return }
    let context = ModelContext(container)
    let cancellation = context.connections.makeCancellable()
    let isWanted = state.withLock { state in
      guard case .waiting(let continuation) = state else { return false }
      state = .running(continuation, cancellation)
      return true
    }
    guard isWanted else { return }
    var result = Swift.Result { try body(context) }
    if case .failure(let error) = result, cancellation.isCancelled, error.isCancellation {
      result = .failure(CancellationError())
    }
    let continuation = state.withLock { state -> CheckedContinuation<Result, any Error>? in
      guard case .running(let continuation, _) = state else { return nil }
      state = .ended
      return continuation
    }
    continuation?.resume(with: result)
  }

  func cancel() {
    let (waiting, running) = state.withLock {
      state -> (CheckedContinuation<Result, any Error>?, ContextCancellation?) in
      switch state {
      case .made:
        state = .cancelled
        return (nil, nil)
      case .waiting(let continuation):
        state = .ended
        return (continuation, nil)
      case .running(_, let cancellation): return (nil, cancellation)
      case .cancelled, .ended: return (nil, nil)
      }
    }
    waiting?.resume(throwing: CancellationError())
    running?.cancel()
  }
}
