import Synchronization
import VaultPreferences

/// The stores of this process, one for each suite, and the defaults that all of them have.
///
/// Programs make objects as they need them, `UserDefaults(suiteName: …)` in a getter perhaps. A
/// store costs a connection to the database, so objects of one suite share theirs.
enum SharedStores {
  fileprivate struct WeakStore {
    weak let store: PreferenceStore?
  }

  fileprivate struct State {
    var registered: [String: PreferenceValue] = [:]
    var stores: [String: WeakStore] = [:]
    /// The stores that were asked for last, which stay open.
    var recent: [(name: String, store: PreferenceStore)] = []
  }

  private static let state = Mutex(State())
  fileprivate static let recentLimit = 8

  /// The program's own.
  static let standard: PreferenceStore = {
    let store = PreferenceStore.standard
    state.withLock { state in
      state.stores[""] = WeakStore(store: store)
      store.setRegistered(state.registered)
    }
    return store
  }()

  /// The store of a suite.
  ///
  /// - Parameter name: Its name; `nil` for the program's own.
  /// - Returns: The store; `nil` for a name that no suite may have.
  static func store(_ name: String?) -> PreferenceStore? {
    guard let name else { return standard }
    if let known = state.withLock({ $0.known(name) }) { return known }
    guard let made = PreferenceStore(suiteName: name) else { return nil }
    // As for the program's own: what its arguments say comes first.
    made.setVolatileDomain(
      standard.volatileDomain(forName: PreferenceStore.argumentDomain),
      forName: PreferenceStore.argumentDomain)
    return state.withLock { state in
      // Another thread may have been quicker.
      if let known = state.known(name) { return known }
      made.setRegistered(state.registered)
      state.stores = state.stores.filter { $0.value.store != nil }
      state.stores[name] = WeakStore(store: made)
      state.keep(made, name)
      return made
    }
  }

  /// Takes in a store that somebody else has opened: it gets what is registered, too.
  static func add(_ store: PreferenceStore) {
    state.withLock { state in
      // No suite has such a name.
      state.stores["\0\(ObjectIdentifier(store).hashValue)"] = WeakStore(store: store)
      store.setRegistered(state.registered)
    }
  }

  /// Adds registered defaults, to all stores.
  static func register(_ defaults: [String: Any]) {
    let values = defaults.compactMapValues { PreferenceValue(foundation: $0) }
    setRegistered { $0.merge(values) { _, new in new } }
  }

  /// Replaces the registered defaults, of all stores.
  static func setRegistered(_ defaults: [String: Any]) {
    let values = defaults.compactMapValues { PreferenceValue(foundation: $0) }
    setRegistered { $0 = values }
  }

  private static func setRegistered(_ change: (inout [String: PreferenceValue]) -> Void) {
    let (values, stores) = state.withLock { state in
      change(&state.registered)
      return (state.registered, state.stores.values.compactMap(\.store))
    }
    // Outside of the lock: whoever listens to a store may come back here.
    for store in stores { store.setRegistered(values) }
  }
}

extension SharedStores.State {
  fileprivate mutating func known(_ name: String) -> PreferenceStore? {
    guard let store = stores[name]?.store else { return nil }
    keep(store, name)
    return store
  }

  fileprivate mutating func keep(_ store: PreferenceStore, _ name: String) {
    recent.removeAll { $0.name == name }
    recent.append((name, store))
    if recent.count > SharedStores.recentLimit { recent.removeFirst() }
  }
}

extension PreferenceStore {
  fileprivate func setRegistered(_ values: [String: PreferenceValue]) {
    setVolatileDomain(values, forName: PreferenceStore.registrationDomain)
  }
}
