/// Two records of one machine that cannot both belong to one history.
///
/// The machine's own signatures say so: nobody else can have made them. Either the machine was
/// copied or put back, or whoever has its key lies. It is kept on the machine that noticed it,
/// until that one leaves the space.
public struct SyncFork: Sendable, Equatable {
  /// A record as it lay in a store, with the public keys of the machine that signed it.
  public struct Proof: Sendable, Equatable {
    /// The machine's stream, 32 hex digits: a hash of the space and the two keys.
    public let machine: String
    /// The Ed25519 key that the record is signed with, 32 bytes.
    public let signingKey: [UInt8]
    /// The machine's X25519 key, 32 bytes.
    public let sealingKey: [UInt8]
    /// The record's number.
    public let number: UInt64
    /// The sealed and signed record.
    public let record: [UInt8]
    /// Its hash, 32 bytes.
    public let hash: [UInt8]
  }

  /// What the machine with two histories is called, as far as this machine knows.
  public let device: String
  /// The machine's stream, 32 hex digits.
  public let machine: String
  /// The number of the record that there is twice.
  public let number: UInt64
  /// First the record that this machine has under the number, then the one that contradicts it:
  /// another one with that number, one that follows another one, or one of a machine that has seen
  /// another one.
  public let proofs: [Proof]
}
