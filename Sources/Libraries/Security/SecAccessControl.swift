// Names are Apple's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation

/// Under which conditions an item may be used: how accessible it is, and who must be present.
///
/// One without flags says no more than ``kSecAttrAccessible``, and is taken as that. With flags it
/// asks for a person at the device, which nothing here can promise: an item that has one is refused
/// with ``errSecUnimplemented``.
public final class SecAccessControl: Hashable, Sendable {
  let protection: String
  let flags: SecAccessControlCreateFlags

  init(protection: String, flags: SecAccessControlCreateFlags) {
    self.protection = protection
    self.flags = flags
  }

  /// Whether both ask for the same.
  public static func == (left: SecAccessControl, right: SecAccessControl) -> Bool {
    left.protection == right.protection && left.flags == right.flags
  }

  /// Feeds what equality compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(protection)
    hasher.combine(flags.rawValue)
  }
}

/// Who must be present where an item is used.
public struct SecAccessControlCreateFlags: OptionSet, Sendable {
  /// The flags as a number.
  public let rawValue: CFOptionFlags

  /// Flags from their number.
  public init(rawValue: CFOptionFlags) { self.rawValue = rawValue }

  /// A person, by biometry or passcode.
  public static let userPresence = Self(rawValue: 1 << 0)
  /// Any enrolled finger or face.
  public static let biometryAny = Self(rawValue: 1 << 1)
  /// The earlier name of ``biometryAny``.
  public static let touchIDAny = Self(rawValue: 1 << 1)
  /// A finger or face that was enrolled when the item was added.
  public static let biometryCurrentSet = Self(rawValue: 1 << 3)
  /// The earlier name of ``biometryCurrentSet``.
  public static let touchIDCurrentSet = Self(rawValue: 1 << 3)
  /// The device's passcode.
  public static let devicePasscode = Self(rawValue: 1 << 4)
  /// A paired watch.
  public static let watch = Self(rawValue: 1 << 5)
  /// Any one of the conditions.
  public static let or = Self(rawValue: 1 << 14)
  /// All of the conditions.
  public static let and = Self(rawValue: 1 << 15)
  /// The key does not leave the device's key store.
  public static let privateKeyUsage = Self(rawValue: 1 << 30)
  /// A password of the application.
  public static let applicationPassword = Self(rawValue: 1 << 31)
}

/// Makes an access control object.
///
/// - Parameters:
///   - allocator: Not used.
///   - protection: One of the values of ``kSecAttrAccessible``.
///   - flags: Who must be present.
///   - error: Why there is none: ``errSecParam`` for another protection.
/// - Returns: The object; `nil` for a protection that does not exist.
public func SecAccessControlCreateWithFlags(
  _ allocator: CFAllocator?, _ protection: CFTypeRef, _ flags: SecAccessControlCreateFlags,
  _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecAccessControl? {
  unsafe accessControl(protection as? String, flags, error)
}

/// Makes an access control object of a protection as Swift has it here, a text.
///
/// - Parameters:
///   - allocator: Not used.
///   - protection: One of the values of ``kSecAttrAccessible``.
///   - flags: Who must be present.
///   - error: Why there is none: ``errSecParam`` for another protection.
/// - Returns: The object; `nil` for a protection that does not exist.
public func SecAccessControlCreateWithFlags(
  _ allocator: CFAllocator?, _ protection: CFString, _ flags: SecAccessControlCreateFlags,
  _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecAccessControl? {
  unsafe accessControl(protection, flags, error)
}

private func accessControl(
  _ protection: String?, _ flags: SecAccessControlCreateFlags,
  _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecAccessControl? {
  if let protection, CodedNames.accessible.name(of: protection) != nil {
    return SecAccessControl(protection: protection, flags: flags)
  }
  unsafe error?.pointee = unsafe Unmanaged.passRetained(
    NSError(domain: NSOSStatusErrorDomain, code: Int(errSecParam)))
  return nil
}
