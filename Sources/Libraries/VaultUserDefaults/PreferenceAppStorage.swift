import Foundation
public import VaultPreferences

/// Preferences behind another framework's app storage, such as SwiftCrossUI's.
///
/// Its methods are those that SwiftCrossUI's `AppStorageProvider` asks for, of all its versions, so
/// one line of the program makes it one; nothing here depends on that framework.
///
/// ```swift
/// extension PreferenceAppStorage: @retroactive AppStorageProvider {}
///
/// @main struct Editor: App {
///   static var appStorageProvider: PreferenceAppStorage { PreferenceAppStorage() }
/// }
/// ```
///
/// Values are stored as their types code themselves: numbers, texts, arrays and dictionaries that
/// every other program reads.
public struct PreferenceAppStorage: Sendable {
  private let store: PreferenceStore

  /// Uses a store's preferences.
  ///
  /// - Parameter store: The store.
  public init(_ store: PreferenceStore = .standard) { self.store = store }

  /// Stores a value; `nil` removes the key.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - key: The key.
  /// - Throws: ``/VaultPreferences/PreferenceError`` with code `.managed` if the administrator has
  ///   fixed the key, `.notAllowed` if the schema in use does not allow the value; an error of the
  ///   value's encoder.
  public func persistValue<Value: Codable>(_ value: Value, forKey key: String) throws {
    let mirror = Mirror(reflecting: value)
    let isNone = mirror.displayStyle == .optional && mirror.children.isEmpty
    try store.setValue(isNone ? nil : CodedPreference.encode(value), forKey: key)
  }

  /// The value of a key.
  ///
  /// - Parameters:
  ///   - type: The type that it should have.
  ///   - key: The key.
  /// - Returns: The value of the strongest layer that has the key; `nil` if none has, or of another
  ///   type.
  public func retrieveValue<Value: Codable>(
    ofType type: Value.Type, forKey key: String
  ) -> Value? {
    store.value(forKey: key).flatMap { try? CodedPreference.decode(type, $0, key) }
  }

  /// Calls `action` with the key of each change, by this process or another, as long as the store is
  /// there.
  ///
  /// - Parameter action: What is called.
  public func listenToChanges(_ action: @MainActor @Sendable @escaping (String) -> Void) {
    let changes = store.changes()
    Task {
      for await transaction in changes {
        for case let key? in transaction.map(\.key) { await action(key) }
      }
    }
  }

  /// Stores a value, by the name that earlier versions have for ``persistValue(_:forKey:)``.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - key: The key.
  /// - Throws: As ``persistValue(_:forKey:)``.
  public func persist<Value: Codable>(value: Value, forKey key: String) throws {
    try persistValue(value, forKey: key)
  }

  /// The value of a key, by the name that earlier versions have for
  /// ``retrieveValue(ofType:forKey:)``.
  ///
  /// - Parameters:
  ///   - type: The type that it should have.
  ///   - key: The key.
  /// - Returns: As ``retrieveValue(ofType:forKey:)``.
  public func retrieve<Value: Codable>(type: Value.Type, forKey key: String) -> Value? {
    retrieveValue(ofType: type, forKey: key)
  }
}
