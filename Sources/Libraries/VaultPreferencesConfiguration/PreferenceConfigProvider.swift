#if Configuration
public import Configuration
public import VaultPreferences

/// Preferences for programs that read their configuration with swift-configuration.
///
/// A key is looked up by its components, joined with dots: `http.timeout` is the preference
/// `http.timeout`. Values come from all layers of the store, and a watcher sees the changes of every
/// process.
///
/// ```swift
/// let preferences = try PreferenceStore(domain: "com.example.server")
/// let config = ConfigReader(providers: [
///   EnvironmentVariablesProvider(), PreferenceConfigProvider(preferences),
/// ])
/// let timeout = config.int(forKey: "http.timeout", default: 30)
/// ```
///
/// Numbers convert where nothing is lost. A value that swift-configuration has no type for, such as
/// a date, and one of another type than the one that is asked for, is an error.
public struct PreferenceConfigProvider: ConfigProvider, CustomStringConvertible {
  /// The store that values are read from.
  public let store: PreferenceStore
  private let isSecret: Bool

  /// Makes a store's preferences a provider.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - isSecret: Whether the values are kept out of access logs, such as those of a protected
  ///     domain.
  public init(_ store: PreferenceStore, isSecret: Bool = false) {
    self.store = store
    self.isSecret = isSecret
  }

  /// The provider's name in access logs.
  public var providerName: String { "PreferenceConfigProvider[\(store.domain.name)]" }

  /// The provider's name; no values.
  public var description: String { providerName }

  /// The value of a key.
  public func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
    let name = Self.name(of: key)
    return try Self.result(store.value(forKey: name), name, type, isSecret)
  }

  /// The value of a key; other processes' changes are read first.
  public func fetchValue(
    forKey key: AbsoluteConfigKey, type: ConfigType
  ) async throws -> LookupResult {
    try value(forKey: key, type: type)
  }

  /// Watches the value of a key.
  public func watchValue<Return: ~Copyable>(
    forKey key: AbsoluteConfigKey, type: ConfigType,
    updatesHandler: (
      _ updates: ConfigUpdatesAsyncSequence<Result<LookupResult, any Error>, Never>
    ) async throws -> Return
  ) async throws -> Return {
    let name = Self.name(of: key)
    let isSecret = isSecret
    let values = store.values(of: PreferenceKey<PreferenceValue?>(name))
    return try await updatesHandler(
      ConfigUpdatesAsyncSequence(
        values.map { value -> Result<LookupResult, any Error> in
          Result { try Self.result(value, name, type, isSecret) }
        }))
  }

  /// All values of this moment.
  public func snapshot() -> any ConfigSnapshot {
    Snapshot(
      providerName: providerName, values: store.effectiveValues, isSecret: isSecret)
  }

  /// Watches all values.
  public func watchSnapshot<Return: ~Copyable>(
    updatesHandler: (
      _ updates: ConfigUpdatesAsyncSequence<any ConfigSnapshot, Never>
    ) async throws -> Return
  ) async throws -> Return {
    let (stream, continuation) = AsyncStream<any ConfigSnapshot>.makeStream(
      bufferingPolicy: .bufferingNewest(1))
    let changes = store.changes()
    continuation.yield(snapshot())
    let provider = self
    let task = Task {
      for await _ in changes { continuation.yield(provider.snapshot()) }
      continuation.finish()
    }
    defer { task.cancel() }
    return try await updatesHandler(ConfigUpdatesAsyncSequence(stream))
  }

  // MARK: Values

  private struct Snapshot: ConfigSnapshot {
    let providerName: String
    let values: [String: PreferenceValue]
    let isSecret: Bool

    func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
      let name = PreferenceConfigProvider.name(of: key)
      return try PreferenceConfigProvider.result(values[name], name, type, isSecret)
    }
  }

  fileprivate static func name(of key: AbsoluteConfigKey) -> String {
    key.components.joined(separator: ".")
  }

  fileprivate static func result(
    _ value: PreferenceValue?, _ name: String, _ type: ConfigType, _ isSecret: Bool
  ) throws -> LookupResult {
    guard let value else { return LookupResult(encodedKey: name, value: nil) }
    guard let content = content(value, type) else {
      throw PreferenceError(
        .typeMismatch,
        "the value of \(name) is of type \(value.kind.rawValue), not \(type.rawValue)")
    }
    return LookupResult(encodedKey: name, value: ConfigValue(content, isSecret: isSecret))
  }

  private static func content(_ value: PreferenceValue, _ type: ConfigType) -> ConfigContent? {
    switch type {
    case .string: String(preferenceValue: value).map { .string($0) }
    case .int: Int(preferenceValue: value).map { .int($0) }
    case .double: Double(preferenceValue: value).map { .double($0) }
    case .bool: Bool(preferenceValue: value).map { .bool($0) }
    case .bytes: bytes(value).map { .bytes($0) }
    case .stringArray: [String](preferenceValue: value).map { .stringArray($0) }
    case .intArray: [Int](preferenceValue: value).map { .intArray($0) }
    case .doubleArray: [Double](preferenceValue: value).map { .doubleArray($0) }
    case .boolArray: [Bool](preferenceValue: value).map { .boolArray($0) }
    case .byteChunkArray: chunks(value).map { .byteChunkArray($0) }
    }
  }

  private static func bytes(_ value: PreferenceValue) -> [UInt8]? {
    if case .data(let bytes) = value { bytes } else { nil }
  }

  private static func chunks(_ value: PreferenceValue) -> [[UInt8]]? {
    guard case .array(let elements) = value else { return nil }
    let chunks = elements.compactMap(bytes)
    return chunks.count == elements.count ? chunks : nil
  }
}
#endif
