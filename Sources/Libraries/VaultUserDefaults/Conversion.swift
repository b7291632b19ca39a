import Foundation
import VaultPreferences

/// The conversions of the getters, on values that may come from a subclass.
enum Conversion {
  /// A number in any of Swift's types, or Foundation's.
  static func number(_ value: Any) -> NSNumber? {
    switch value {
    case let number as NSNumber: number
    case let flag as Bool: NSNumber(value: flag)
    case let number as Int: NSNumber(value: number)
    case let number as Double: NSNumber(value: number)
    case let number as Float: NSNumber(value: number)
    case let number as UInt64: NSNumber(value: number)
    default: nil
    }
  }

  static func integer(_ value: Any?) -> Int {
    switch value {
    case let number as Int: return number
    case let text as String: return NSString(string: text).integerValue
    case let value?:
      guard let number = number(value) else { return 0 }
      let real = number.doubleValue
      if real.isNaN { return 0 }
      if real >= 0x1p63 { return .max }
      return real < -0x1p63 ? .min : number.intValue
    case nil: return 0
    }
  }

  static func double(_ value: Any?) -> Double {
    switch value {
    case let number as Double: number
    case let text as String: NSString(string: text).doubleValue
    case let value?: number(value)?.doubleValue ?? 0
    case nil: 0
    }
  }

  static func bool(_ value: Any?) -> Bool {
    switch value {
    case let flag as Bool: flag
    case let text as String: NSString(string: text).boolValue
    case let value?: number(value).map { $0.doubleValue != 0 } ?? false
    case nil: false
    }
  }

  static func url(_ value: Any?) -> URL? {
    switch value {
    case let url as URL: url
    case let text as String: URL(preferenceValue: .string(text))
    case let data as Data:
      // What a Mac's UserDefaults stores of a URL, imported from a property list.
      (try? NSKeyedUnarchiver.unarchivedObject(ofClass: NSURL.self, from: data)) as URL?
    default: nil
    }
  }

  /// What is in an optional that was passed as `Any`; `nil` if there is nothing.
  static func unwrapped(_ value: Any) -> Any? {
    if case Optional<Any>.some(let wrapped) = value { return wrapped }
    return nil
  }
}
