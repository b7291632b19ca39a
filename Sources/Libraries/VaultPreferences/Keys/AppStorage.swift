/// A property that is a preference, with SwiftUI's spelling and rules, and without a UI.
///
/// ```swift
/// struct Editor {
///   @AppStorage("theme") var theme = "system"
///   @AppStorage("lastFile") var lastFile: URL?
/// }
/// ```
///
/// The default is neither registered nor written: others see no value. A stored value of another
/// type yields the default. Writing `nil` removes the key.
@propertyWrapper
public struct AppStorage<Value: Sendable>: Sendable {
  private let key: PreferenceKey<Value>
  private let store: PreferenceStore

  private init(_ key: PreferenceKey<Value>, _ store: PreferenceStore?) {
    self.key = key
    self.store = store ?? .standard
  }

  /// The value.
  public var wrappedValue: Value {
    get { store[key] }
    nonmutating set { store[key] = newValue }
  }

  /// The preference itself: its values as a stream.
  public var projectedValue: Projection { Projection(key: key, store: store) }

  /// The key and the store, as `$name`.
  public struct Projection: Sendable {
    /// The key, with its default.
    public let key: PreferenceKey<Value>
    /// The store that it is read from.
    public let store: PreferenceStore

    /// The value now and after each change, by this process or another.
    public var values: AsyncStream<Value> { store.values(of: key) }
  }

  /// A property of a property-list type.
  ///
  /// - Parameters:
  ///   - wrappedValue: The default.
  ///   - key: The key.
  ///   - store: Where; `nil` for ``PreferenceStore/standard``.
  public init(wrappedValue: Value, _ key: String, store: PreferenceStore? = nil)
  where Value: PreferenceConvertible {
    self.init(PreferenceKey(key, default: wrappedValue), store)
  }

  /// A property that is stored as its raw value.
  ///
  /// - Parameters:
  ///   - wrappedValue: The default.
  ///   - key: The key.
  ///   - store: Where; `nil` for ``PreferenceStore/standard``.
  public init(wrappedValue: Value, _ key: String, store: PreferenceStore? = nil)
  where Value: RawRepresentable, Value.RawValue: PreferenceConvertible {
    self.init(PreferenceKey(key, default: wrappedValue), store)
  }

  /// An optional property of a property-list type.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - store: Where; `nil` for ``PreferenceStore/standard``.
  public init<Wrapped: PreferenceConvertible>(_ key: String, store: PreferenceStore? = nil)
  where Value == Wrapped? {
    self.init(PreferenceKey(key), store)
  }

  /// An optional property that is stored as its raw value.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - store: Where; `nil` for ``PreferenceStore/standard``.
  public init<Wrapped: RawRepresentable>(_ key: String, store: PreferenceStore? = nil)
  where Value == Wrapped?, Wrapped.RawValue: PreferenceConvertible {
    self.init(PreferenceKey(key), store)
  }
}
