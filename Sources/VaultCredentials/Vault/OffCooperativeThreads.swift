import Dispatch

/// Runs `body`, which may wait for files, locks, Argon2 or the bus, on a thread that Swift's
/// cooperative pool does not miss.
func offCooperativeThreads<Result: Sendable>(
  _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    DispatchQueue.global().async {
      continuation.resume(with: Swift.Result { try body() })
    }
  }
}

/// The same for what does not fail.
func offCooperativeThreads<Result: Sendable>(
  _ body: @escaping @Sendable () -> Result
) async -> Result {
  await withCheckedContinuation { continuation in
    DispatchQueue.global().async { continuation.resume(returning: body()) }
  }
}
