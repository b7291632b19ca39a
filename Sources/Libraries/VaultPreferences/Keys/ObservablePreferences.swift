public import Observation
import Synchronization

/// Preferences for code that uses Observation: a model, a view, `withObservationTracking`.
///
/// Reading a key inside `withObservationTracking` tracks that key alone. A change of its value in
/// any layer is reported, be it by this object, the store, another store of this process, or
/// another process.
///
/// ```swift
/// let preferences = ObservablePreferences(.standard)
/// withObservationTracking {
///   print(preferences[.theme])
/// } onChange: {
///   print("the theme changes")
/// }
/// ```
///
/// `onChange` is called on the thread that made the change, or found that of another process: as
/// with any observable object, read the new value from a task of your own, not in `onChange`.
public final class ObservablePreferences: Observable, Sendable {
  /// The store that values are read from.
  public let store: PreferenceStore

  private enum Seen {
    /// Being read for the first time: any change counts.
    case reading
    case value(PreferenceValue?)
  }

  private let registrar = ObservationRegistrar()
  /// The keys that were read here, with the values that they had.
  private let seen = Mutex<[String: Seen]>([:])
  private let stop = Mutex<(@Sendable () -> Void)?>(nil)

  /// Makes a store's preferences observable.
  ///
  /// - Parameter store: The store.
  public init(_ store: PreferenceStore = .standard) {
    self.store = store
    let stop = store.core.listen { [weak self] in self?.compare() }
    self.stop.withLock { $0 = stop }
  }

  deinit { stop.withLock { $0 }?() }

  /// The value of a typed key; its default also if the stored value has another type.
  public subscript<Value>(key: PreferenceKey<Value>) -> Value {
    get {
      guard let value = self[tracked: key.name] else { return key.defaultValue }
      return (try? key.decode(value)) ?? key.defaultValue
    }
    set { store[key] = newValue }
  }

  /// The key's value in the strongest layer that has it; `nil` if none has.
  public func value(forKey key: String) -> PreferenceValue? { self[tracked: key] }

  /// Removes a typed key from the application's domain: it has its default again, or what another
  /// layer holds.
  ///
  /// - Parameter key: The key.
  /// - Throws: ``PreferenceError`` with code `.managed` if the administrator has fixed the key.
  public func reset<Value>(_ key: PreferenceKey<Value>) throws(PreferenceError) {
    try store.reset(key)
  }

  /// A value, tracked; the key path with the key's name is what the registrar knows it by.
  private subscript(tracked name: String) -> PreferenceValue? {
    // Before the value is read: a change from now on is reported.
    seen.withLock { if $0[name] == nil { $0[name] = .reading } }
    registrar.access(self, keyPath: \.[tracked: name])
    let value = store.value(forKey: name)
    seen.withLock { $0[name] = .value(value) }
    return value
  }

  /// Reports the keys whose values differ from those that were read.
  private func compare() {
    for name in seen.withLock({ Array($0.keys) }) {
      let value = store.value(forKey: name)
      let isChanged = seen.withLock { seen in
        defer { seen[name] = .value(value) }
        if case .value(let old)? = seen[name] { return old != value }
        return true
      }
      if isChanged { registrar.withMutation(of: self, keyPath: \.[tracked: name]) {} }
    }
  }
}
