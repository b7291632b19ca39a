import CVaultSwiftRuntime
import Glibc

/// Tells whether anyone observes what the calling thread reads.
///
/// A registrar hears of a read, and does not tell whether anybody wanted to know. An observer keeps
/// the key paths that were read: so a registrar of the thread's own hears of a key path that nobody
/// else has, and if that has been kept, somebody observes. The slow path is to assume it of every
/// read.
@safe @usableFromInline final class ReadProbe: Observable {
  private let registrar = ObservationRegistrar()
  @safe @exclusivity(unchecked) private var path: KeyPath<ReadProbe, Int>
  // The same, for a use that must not count.
  private let uncounted: Unmanaged<KeyPath<ReadProbe, Int>>

  private init(_ number: Int) {
    path = \ReadProbe[number]
    unsafe uncounted = Unmanaged.passUnretained(path)
  }

  // A captured value makes the key path a separate object.
  private subscript(number: Int) -> Int { number }

  @usableFromInline static var isObserved: Bool {
    guard let pointer = unsafe place().pointee else {
      return isObservedAtFirst()
    }
    let probe = unsafe Unmanaged<ReadProbe>.fromOpaque(pointer)
    let isKept = unsafe probe._withUnsafeGuaranteedRef { $0.isKept() }
    // The key path is known to an observer now; the next check needs a fresh probe.
    if isKept { unsafe drop(pointer) }
    return isKept
  }

  /// Looks with a new probe.
  ///
  /// Not inlined: every read of a property passes its caller.
  @inline(never) private static func isObservedAtFirst() -> Bool {
    guard RuntimeTricks.isOn(.readProbe), works else { return true }
    make()
    return isObserved
  }

  private func isKept() -> Bool {
    unsafe uncounted._withUnsafeGuaranteedRef { registrar.access(self, keyPath: $0) }
    return !isKnownUniquelyReferenced(&path)
  }

  /// Whether an observer keeps key paths.
  ///
  /// The opposite mistake would only cost time, and cannot be checked here: the
  /// caller may be observed.
  static let works: Bool = {
    let probe = ReadProbe(0)
    return withObservationTracking {
      probe.isKept()
    } onChange: {
    }
  }()

  /// Drops the calling thread's probe.
  static func forget() {
    if let probe = unsafe place().pointee { unsafe drop(probe) }
  }

  // MARK: One for each thread

  // Never inlined: another object file would have another value.
  @inline(never) private static func place() -> UnsafeMutablePointer<UnsafeMutableRawPointer?> {
    unsafe cvault_thread_probe()
  }

  /// Drops the probe of a thread when the thread ends; the value itself is quicker to reach
  /// elsewhere.
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
