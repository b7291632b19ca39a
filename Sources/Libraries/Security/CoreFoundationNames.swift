// Names are Apple's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation

// The names of Core Foundation that queries are written with. Without Objective-C nothing is
// bridged: each stands for the type of Swift that the same code has in hand, so that
// `query as CFDictionary` and `kSecClass as String` compile.

/// The result of a call.
public typealias OSStatus = Int32
/// Any object.
public typealias CFTypeRef = AnyObject
/// A text.
public typealias CFString = String
/// Bytes.
public typealias CFData = Data
/// A moment.
public typealias CFDate = Date
/// Values by their names.
public typealias CFDictionary = [String: Any]
/// Values in order.
public typealias CFArray = [Any]
/// A number.
public typealias CFNumber = NSNumber
/// True or false.
public typealias CFBoolean = NSNumber
/// An error.
public typealias CFError = NSError
/// The number of something, or a code.
public typealias CFIndex = Int
/// Flags of a call.
public typealias CFOptionFlags = UInt
/// Where memory comes from: nothing here asks.
public final class CFAllocator: Sendable {}

/// No error: the older name of ``errSecSuccess``.
public let noErr: OSStatus = 0
/// The usual place for memory.
public let kCFAllocatorDefault: CFAllocator? = nil
// As Apple's headers have it: some code unwraps it, some does not.
// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
/// True.
public let kCFBooleanTrue: CFBoolean! = NSNumber(value: true)
// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
/// False.
public let kCFBooleanFalse: CFBoolean! = NSNumber(value: false)

/// The name of a bundle's identifier in its information.
public let kCFBundleIdentifierKey: CFString = "CFBundleIdentifier"

/// The domain of an error.
public func CFErrorGetDomain(_ error: CFError) -> CFString { error.domain }
/// The code of an error.
public func CFErrorGetCode(_ error: CFError) -> CFIndex { error.code }
/// What else an error says.
public func CFErrorCopyUserInfo(_ error: CFError) -> CFDictionary { error.userInfo }
/// An error in words.
public func CFErrorCopyDescription(_ error: CFError) -> CFString { error.localizedDescription }
