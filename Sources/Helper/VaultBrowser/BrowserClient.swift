import VaultSealing

/// One exchange of keys with the extension: what opens its messages, and what it has shown since.
///
/// It belongs to the host's thread.
final class BrowserClient {
  /// Nonces that are remembered: a message that comes again is none of the extension's.
  private static let maximumNonces = 4096

  /// The extension's key of this run.
  let publicKey: [UInt8]
  /// Ours, for this exchange alone.
  let ownPublicKey: [UInt8]
  private let key: BoxKey
  private var nonces: Set<[UInt8]> = []
  private var order: [[UInt8]] = []
  /// The item of the association whose key it has shown, since the vault was last locked.
  var association: String?
  /// The pages at which it was given items, by the items' ids, since the vault was last locked.
  var given: [String: SiteAddress] = [:]

  /// Makes a key pair for a public key of the extension's.
  init(publicKey: [UInt8]) throws(BrowserError) {
    do {
      let own = try BoxKeyPair()
      key = try own.shared(with: publicKey)
      ownPublicKey = own.publicKey
    } catch {
      throw .keyChangeFailed
    }
    self.publicKey = publicKey
  }

  /// Opens a message; one with a nonce that was there before is refused, and so is its answer's.
  func open(_ sealed: [UInt8], nonce: [UInt8]) throws(BrowserError) -> SecretBytes {
    guard !nonces.contains(nonce), !nonces.contains(Self.next(nonce)) else { throw .unreadable }
    let opened: SecretBytes
    do { opened = try key.open(sealed, nonce: nonce) } catch { throw .unreadable }
    // The answer uses the next one with the same key.
    remember(nonce)
    remember(Self.next(nonce))
    return opened
  }

  /// Takes the nonce of a message without contents, whose answer is sealed all the same.
  func use(_ nonce: [UInt8]) throws(BrowserError) {
    guard !nonces.contains(nonce), !nonces.contains(Self.next(nonce)) else { throw .unreadable }
    remember(nonce)
    remember(Self.next(nonce))
  }

  func seal(_ message: SecretBytes, nonce: [UInt8]) throws(BrowserError) -> [UInt8] {
    do { return try key.seal(message, nonce: nonce) } catch { throw .cannotSeal }
  }

  private func remember(_ nonce: [UInt8]) {
    guard nonces.insert(nonce).inserted else { return }
    order.append(nonce)
    guard order.count > 2 * Self.maximumNonces else { return }
    for old in order.prefix(Self.maximumNonces) { nonces.remove(old) }
    order.removeFirst(Self.maximumNonces)
  }

  /// The nonce of the answer: libsodium's `sodium_increment`, little-endian.
  static func next(_ nonce: [UInt8]) -> [UInt8] {
    var next = nonce
    for place in next.indices {
      next[place] &+= 1
      if next[place] != 0 { break }
    }
    return next
  }
}
