package import VaultSealing

/// A channel of a space: what its machines say of one thing, in streams of their own.
///
/// Machines fetch the channels that they added and no others. Who belongs to the space, and which
/// keys open what they say, is in the space's own streams.
///
/// Documentation/design/sync-format.md, section 10.
package struct ChannelID: Hashable, Sendable {
  /// Where its streams lie in a store: beside those of the space, as those of another one.
  package let place: SpaceID

  /// The channel of an application's store.
  package init(
    space: SpaceID, application: String, store: String
  ) throws(SealingError) {
    var name = Array("VSC1/channel".utf8) + space.bytes
    for text in [application, store] {
      name.append(littleEndian: UInt32(text.utf8.count))
      name += Array(text.utf8)
    }
    guard let place = SpaceID(try Hash.blake2b(name, count: 16)) else {
      throw SealingError(.invalidParameter, "a channel has 16 bytes")
    }
    self.place = place
  }

  /// 32 hex digits.
  package var text: String { place.text }
}
