import Synchronization

/// The name of a registered ``ValueTransformer``.
public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
  /// The name.
  public let rawValue: String

  /// Makes a name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Makes a name.
  public init(_ rawValue: String) { self.rawValue = rawValue }

  /// The name of ``NSSecureUnarchiveFromDataTransformer``, which is always there.
  public static let secureUnarchiveFromDataTransformerName = Self("NSSecureUnarchiveFromData")
}

/// Makes one value of another, and back: Foundation's class, which Linux has not.
///
/// An attribute with `.transformable(by:)` is kept as the data that its transformer makes.
///
/// ```swift
/// final class ColorTransformer: ValueTransformer {
///   override class func transformedValueClass() -> AnyClass { NSData.self }
///   override func transformedValue(_ value: Any?) -> Any? { (value as? Color)?.bytes }
///   override func reverseTransformedValue(_ value: Any?) -> Any? {
///     (value as? Data).flatMap(Color.init)
///   }
/// }
///
/// ValueTransformer.setValueTransformer(ColorTransformer(), forName: .init("ColorTransformer"))
/// ```
///
/// developer.apple.com/documentation/foundation/valuetransformer.
open class ValueTransformer: NSObject {
  /// Makes a transformer.
  public required override init() {}

  /// The class of what ``transformedValue(_:)`` makes.
  open class func transformedValueClass() -> AnyClass { NSData.self }

  /// Whether ``reverseTransformedValue(_:)`` gives the value back; true unless overridden.
  open class func allowsReverseTransformation() -> Bool { true }

  /// The transformed value; the value itself unless overridden.
  open func transformedValue(_ value: Any?) -> Any? { value }

  /// The value of which ``transformedValue(_:)`` made another; the other itself unless overridden.
  open func reverseTransformedValue(_ value: Any?) -> Any? { transformedValue(value) }

  // Called by several threads at once, as Foundation's are; the table is guarded.
  private struct Entry: @unchecked Sendable {
    let transformer: ValueTransformer
  }

  private static let entries = Mutex<[NSValueTransformerName: Entry]>([
    .secureUnarchiveFromDataTransformerName: Entry(
      transformer: NSSecureUnarchiveFromDataTransformer())
  ])

  /// Registers a transformer under a name, or takes the name away.
  open class func setValueTransformer(
    _ transformer: ValueTransformer?, forName name: NSValueTransformerName
  ) {
    let entry = transformer.map { Entry(transformer: $0) }
    entries.withLock { $0[name] = entry }
  }

  /// The names under which transformers are registered.
  open class func valueTransformerNames() -> [NSValueTransformerName] {
    entries.withLock { Array($0.keys) }.sorted { $0.rawValue < $1.rawValue }
  }

  static func registered(_ name: NSValueTransformerName) -> ValueTransformer? {
    entries.withLock { $0[name] }?.transformer
  }

  /// Registers a class under its own name, unless that is taken.
  static func register(_ type: ValueTransformer.Type) -> NSValueTransformerName {
    let name = NSValueTransformerName(String(reflecting: type))
    if registered(name) == nil {
      let entry = Entry(transformer: type.init())
      entries.withLock { $0[name] = $0[name] ?? entry }
    }
    return name
  }
}

/// Returns an existing object from ``ValueTransformer/init(forName:)``.
public protocol _RegisteredTransformer {}

extension ValueTransformer: _RegisteredTransformer {}

extension _RegisteredTransformer {
  /// The transformer that is registered under a name; `nil` if there is none.
  public init?(forName name: NSValueTransformerName) {
    guard let found = ValueTransformer.registered(name) as? Self else { return nil }
    self = found
  }
}

/// Makes objects of archives, and archives of objects, of the classes that it allows.
///
/// Registered as `NSSecureUnarchiveFromData`. Used by an attribute, it works the other way round
/// than other transformers, as with Core Data: the archive is what ``reverseTransformedValue(_:)``
/// makes.
open class NSSecureUnarchiveFromDataTransformer: ValueTransformer {
  /// The classes that an archive may hold at its top.
  open class var allowedTopLevelClasses: [AnyClass] {
    [
      NSArray.self, NSDictionary.self, NSSet.self, NSString.self, NSNumber.self, NSDate.self,
      NSData.self, NSURL.self, NSUUID.self, NSNull.self,
    ]
  }

  /// The class of what an archive holds.
  open override class func transformedValueClass() -> AnyClass { NSObject.self }

  /// The object in an archive; `nil` if the data is not an archive or holds another class.
  open override func transformedValue(_ value: Any?) -> Any? {
    guard let data = value as? Data else { return nil }
    let classes = Self.allowedTopLevelClasses.compactMap { $0 as? NSObject.Type }
    return try? NSKeyedUnarchiver.unarchivedObject(ofClasses: classes, from: data)
  }

  /// An archive of an object; `nil` for what cannot be archived.
  open override func reverseTransformedValue(_ value: Any?) -> Any? {
    guard let value else { return nil }
    return try? NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
  }
}
