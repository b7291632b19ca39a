/// An actor with a ``ModelContext`` of its own; `@ModelActor` makes an actor conform.
public protocol ModelActor: Actor {
  /// The container of the context.
  nonisolated var modelContainer: ModelContainer { get }
  /// The executor that runs the actor's code and holds its context.
  nonisolated var modelExecutor: any ModelExecutor { get }
}

extension ModelActor {
  /// The executor of the actor's code: one job at a time, never on the main thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    guard let executor = modelExecutor as? any SerialModelExecutor else {
      preconditionFailure("the executor of a model actor runs one thing at a time")
    }
    return unsafe executor.asUnownedSerialExecutor()
  }

  /// The actor's context.
  public var modelContext: ModelContext { modelExecutor.modelContext }

  /// The object with an identifier; `nil` if there is none of this class.
  public subscript<T: PersistentModel>(id: PersistentIdentifier, as as: T.Type) -> T? {
    modelContext.existing(id) as? T
  }
}

/// An executor of code that uses a context.
public protocol ModelExecutor: Executor {
  /// The context.
  var modelContext: ModelContext { get }
}

/// An executor of code that uses a context, one job at a time.
public protocol SerialModelExecutor: ModelExecutor, SerialExecutor {}

/// Runs an actor's code on a queue of its own.
public final class DefaultSerialModelExecutor: @unchecked Sendable, SerialModelExecutor {
  // The context is used on the queue only, as an actor's state is.

  /// The context.
  public let modelContext: ModelContext
  private let queue = DispatchQueue(label: "ModelActor", qos: .userInitiated)

  /// Makes an executor that holds a context, which saves by itself unless its
  /// ``ModelContext/autosaveEnabled`` was set before.
  public init(modelContext: ModelContext) {
    self.modelContext = modelContext
    modelContext.autosaving.begin(on: .actor(queue))
  }

  /// Runs a job after those before it.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = unsafe asUnownedSerialExecutor()
    queue.async { unsafe job.runSynchronously(on: executor) }
  }

  /// The executor as the runtime names it.
  public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    unsafe UnownedSerialExecutor(ordinary: self)
  }
}
