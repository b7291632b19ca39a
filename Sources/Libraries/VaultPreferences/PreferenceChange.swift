public import FoundationEssentials

/// One change of a preference, as the journal recorded it.
public struct PreferenceChange: Sendable, Equatable {
  /// The change's number, which grows with each change; a reader continues after the last one it
  /// saw.
  ///
  /// 0 for a change of the text file, which the journal does not have.
  public let sequence: Int64
  /// The number of its transaction: changes with the same number were made together.
  public let transaction: Int64
  /// The moment of the change.
  public let date: Date
  /// The program that made it.
  public let process: String
  /// The domain that was changed.
  public let domain: PreferenceDomain
  /// The key; `nil` if the domain itself was changed, or if the key is sealed and the domain's key
  /// is not available.
  public let key: String?
  /// The value before; `nil` if there was none, or it is sealed.
  public let old: PreferenceValue?
  /// The value after; `nil` if the key was removed, or it is sealed.
  public let new: PreferenceValue?
  /// The kind of change.
  public let kind: Kind
  /// The transaction that this one undid.
  public let undoes: Int64?

  /// The kind of a change.
  public enum Kind: String, Sendable {
    /// The key got a value.
    case set
    /// The key was removed.
    case remove
    /// The domain was created.
    case makeDomain = "make-domain"
    /// The domain was removed.
    case removeDomain = "remove-domain"
    /// The domain's keys and values were sealed; its earlier journal was deleted.
    case protect
    /// The domain's keys and values were stored in plain text again; its earlier journal was
    /// deleted.
    case unprotect
  }

  /// Seconds since 1970.
  @available(*, deprecated, message: "use date, which is a Date as in the rest of the API")
  public var time: Double { date.timeIntervalSince1970 }
}
