/// A program on the bus: what answers calls.
///
/// All calls come on the thread of the server or connection that has it.
package protocol BusService: AnyObject {
  /// Answers a call.
  ///
  /// - Parameters:
  ///   - call: The call; `sender` is its caller's unique name.
  ///   - caller: The caller's process, as the kernel knows it.
  /// - Returns: The reply or error if the caller wants one, and signals in any order; a signal
  ///   without a destination goes to everyone who wants it.
  func answer(_ call: DBusMessage, from caller: LocalSocket.Peer) -> [DBusMessage]

  /// A client has left the bus.
  ///
  /// - Parameter name: Its unique name.
  /// - Returns: Signals.
  func clientLeft(_ name: String) -> [DBusMessage]

  /// Does what has become due, after a wake-up.
  ///
  /// - Returns: Signals.
  func catchUp() -> [DBusMessage]
}

/// Names of errors that every object on a bus may answer with.
package enum BusErrorName {
  package static let failed = "org.freedesktop.DBus.Error.Failed"
  package static let accessDenied = "org.freedesktop.DBus.Error.AccessDenied"
  package static let invalidArguments = "org.freedesktop.DBus.Error.InvalidArgs"
  package static let limitsExceeded = "org.freedesktop.DBus.Error.LimitsExceeded"
  package static let matchRuleInvalid = "org.freedesktop.DBus.Error.MatchRuleInvalid"
  package static let matchRuleNotFound = "org.freedesktop.DBus.Error.MatchRuleNotFound"
  package static let nameHasNoOwner = "org.freedesktop.DBus.Error.NameHasNoOwner"
  package static let noReply = "org.freedesktop.DBus.Error.NoReply"
  package static let notSupported = "org.freedesktop.DBus.Error.NotSupported"
  package static let propertyReadOnly = "org.freedesktop.DBus.Error.PropertyReadOnly"
  package static let serviceUnknown = "org.freedesktop.DBus.Error.ServiceUnknown"
  package static let unknownInterface = "org.freedesktop.DBus.Error.UnknownInterface"
  package static let unknownMethod = "org.freedesktop.DBus.Error.UnknownMethod"
  package static let unknownObject = "org.freedesktop.DBus.Error.UnknownObject"
  package static let unknownProperty = "org.freedesktop.DBus.Error.UnknownProperty"
}

/// An error as the answer to a call.
package struct BusError: Error {
  /// The error's name, such as `org.freedesktop.DBus.Error.InvalidArgs`.
  package let name: String
  /// A sentence for people, without a secret.
  package let words: String

  package init(_ name: String, _ words: String) {
    self.name = name
    self.words = words
  }
}
