/// The reason why bytes are not a message, and where.
package struct MarshallingError: Error, Equatable {
  /// What is wrong.
  package enum Reason: Equatable, Sendable {
    /// The bytes end too early.
    case truncated
    /// A length is above the specification's limit, or the receiver's.
    case tooLong
    /// Values lie too deep in each other.
    case tooDeep
    /// The bytes that align a value are not zero.
    case padding
    /// A text is not UTF-8, holds a NUL, or lacks the one that ends it.
    case text
    /// A text is not a name, path or signature of the kind that is wanted.
    case name
    /// A Boolean value is neither 0 nor 1.
    case boolean
    /// The byte order, version or type of a message is unknown.
    case header
    /// A header field is missing, twice there, or has another type than it must have.
    case field
    /// There are bytes behind the last value.
    case excess
    /// There is no locked memory left.
    case memory
  }

  /// What is wrong.
  package let reason: Reason
  /// The offset in the message or its body.
  package let offset: Int

  init(_ reason: Reason, at offset: Int) {
    self.reason = reason
    self.offset = offset
  }
}
