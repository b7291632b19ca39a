import CVaultSwiftRuntime
import Glibc

extension _AppData {
  /// Who observes an object: the standard library's registrar, made when somebody observes.
  ///
  /// A registrar is two allocations, and most objects of a fetch or an import are never observed. Where nobody
  /// observes, there is nobody to tell of a change either.
  public struct Registrar: Sendable {
    /// A reference, so that a model's layout is known when it is compiled.
    @usableFromInline final class Made: Sendable {
      @usableFromInline let registrar = ObservationRegistrar()

      @usableFromInline init() {}
    }

    @usableFromInline var made: Made?

    /// Makes one without observers.
    @inlinable public init() {}

    /// Notes that a property is read.
    @inlinable public mutating func access<Subject: Observable, Member>(
      _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Member>
    ) {
      if let made { return made.registrar.access(subject, keyPath: keyPath()) }
      guard ReadProbe.isObserved else { return }
      let new = Made()
      made = new
      new.registrar.access(subject, keyPath: keyPath())
    }

    /// Tells observers of a property, before and after it is changed by `mutation`.
    @inlinable public func withMutation<Subject: Observable, Member, Result>(
      of subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Member>,
      _ mutation: () throws -> Result
    ) rethrows -> Result {
      guard let made else { return try mutation() }
      return try made.registrar.withMutation(of: subject, keyPath: keyPath(), mutation)
    }
  }
}

/// Tells whether somebody observes what the calling thread reads.
///
/// A registrar is told of a read, and does not tell whether anybody wanted to know. Who observes keeps the key
/// paths that were read: so a registrar of the thread's own is told of a key path that nobody else has, and if
/// that has been kept, somebody observes.
@safe @usableFromInline final class ReadProbe: Observable {
  private let registrar = ObservationRegistrar()
  @safe @exclusivity(unchecked) private var path: KeyPath<ReadProbe, Int>
  // The same, for a use that must not count.
  private let uncounted: Unmanaged<KeyPath<ReadProbe, Int>>

  private init(_ number: Int) {
    path = \ReadProbe[number]
    unsafe uncounted = Unmanaged.passUnretained(path)
  }

  // What a key path captures makes it an object of its own.
  private subscript(number: Int) -> Int { number }

  @usableFromInline static var isObserved: Bool {
    guard let pointer = unsafe place().pointee else {
      make()
      return Self.isObserved
    }
    let probe = unsafe Unmanaged<ReadProbe>.fromOpaque(pointer)
    let isKept = unsafe probe._withUnsafeGuaranteedRef { $0.isKept() }
    // Observers are kept by what they have read: the next one needs a probe that nobody knows.
    if isKept { unsafe drop(pointer) }
    return isKept
  }

  private func isKept() -> Bool {
    unsafe uncounted._withUnsafeGuaranteedRef { registrar.access(self, keyPath: $0) }
    return !isKnownUniquelyReferenced(&path)
  }

  // MARK: One for each thread

  // Never inlined: another object file would have another value.
  @inline(never) private static func place() -> UnsafeMutablePointer<UnsafeMutableRawPointer?> {
    unsafe cvault_thread_probe()
  }

  /// Drops the probe of a thread when the thread ends; the value itself is quicker to reach elsewhere.
  private static let atThreadEnd: pthread_key_t = {
    var key = pthread_key_t()
    let status = unsafe pthread_key_create(&key) { pointer in
      if let pointer = unsafe pointer { unsafe ReadProbe.drop(pointer) }
    }
    precondition(status == 0, "no key for a value of a thread")
    return key
  }()

  private static func make() {
    let made = unsafe Unmanaged.passRetained(ReadProbe(0)).toOpaque()
    unsafe place().pointee = made
    unsafe pthread_setspecific(atThreadEnd, made)
  }

  private static func drop(_ probe: UnsafeMutableRawPointer) {
    unsafe place().pointee = nil
    pthread_setspecific(atThreadEnd, nil)
    unsafe Unmanaged<ReadProbe>.fromOpaque(probe).release()
  }
}
