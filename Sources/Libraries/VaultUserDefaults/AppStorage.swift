import Foundation
public import VaultPreferences

/// A property that is a preference, with SwiftUI's spelling and rules, and without a UI.
///
/// ```swift
/// struct Settings {
///   @AppStorage("theme") var theme = "system"
///   @AppStorage("lastFile", store: UserDefaults(suiteName: "com.example.shared")) var file: URL?
/// }
/// ```
///
/// The default is neither registered nor written: others see no value. A stored value of another
/// type yields the default. Writing `nil` removes the key.
@propertyWrapper
public struct AppStorage<Value: Sendable>: Sendable {
  private let defaults: UserDefaults
  private let stored: VaultPreferences.AppStorage<Value>

  /// The value.
  public var wrappedValue: Value {
    get { stored.wrappedValue }
    nonmutating set {
      stored.wrappedValue = newValue
      defaults.postChange()
    }
  }

  /// The preference itself: its values as a stream.
  public var projectedValue: VaultPreferences.AppStorage<Value>.Projection {
    stored.projectedValue
  }

  /// A property of a property-list type.
  ///
  /// - Parameters:
  ///   - wrappedValue: The default.
  ///   - key: The key.
  ///   - store: Where; `nil` for ``UserDefaults/standard``.
  public init(wrappedValue: Value, _ key: String, store: UserDefaults? = nil)
  where Value: PreferenceConvertible {
    defaults = store ?? .standard
    stored = VaultPreferences.AppStorage(wrappedValue: wrappedValue, key, store: defaults.store)
  }

  /// A property that is stored as its raw value.
  ///
  /// - Parameters:
  ///   - wrappedValue: The default.
  ///   - key: The key.
  ///   - store: Where; `nil` for ``UserDefaults/standard``.
  public init(wrappedValue: Value, _ key: String, store: UserDefaults? = nil)
  where Value: RawRepresentable, Value.RawValue: PreferenceConvertible {
    defaults = store ?? .standard
    stored = VaultPreferences.AppStorage(wrappedValue: wrappedValue, key, store: defaults.store)
  }

  /// An optional property of a property-list type.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - store: Where; `nil` for ``UserDefaults/standard``.
  public init<Wrapped: PreferenceConvertible>(_ key: String, store: UserDefaults? = nil)
  where Value == Wrapped? {
    defaults = store ?? .standard
    stored = VaultPreferences.AppStorage(key, store: defaults.store)
  }

  /// An optional property that is stored as its raw value.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - store: Where; `nil` for ``UserDefaults/standard``.
  public init<Wrapped: RawRepresentable>(_ key: String, store: UserDefaults? = nil)
  where Value == Wrapped?, Wrapped.RawValue: PreferenceConvertible {
    defaults = store ?? .standard
    stored = VaultPreferences.AppStorage(key, store: defaults.store)
  }
}
