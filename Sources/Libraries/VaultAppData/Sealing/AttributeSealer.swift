import Synchronization
import VaultSealing
import VaultStorage

/// Seals and opens the values of a store's attributes with `.encrypt`.
///
/// In the column, or in a large value's file: `01` ‖ the key's identifier (16 bytes) ‖ nonce ‖
/// ciphertext ‖ tag. Authenticated with it: the store, the entity, the row and the property. The
/// plaintext is a byte for the kind of value, the value, and padding that hides its length.
final class AttributeSealer: Sendable {
  /// Where a sealed value belongs; it opens nowhere else.
  struct Place {
    let entity: String
    let row: Int64
    let property: String
  }

  /// A value that does not open.
  enum Failure: Error {
    case noKey
    case otherKey
    case damaged
  }

  private static let version: UInt8 = 1

  private let sealingKey: SealingKey?
  private let store: String
  /// The store's own keys, by the identifier of what they are derived from.
  private let keys = Mutex<[[UInt8]: SecretBytes]>([:])

  init(_ key: SealingKey?, store: String) {
    sealingKey = key
    self.store = store
  }

  /// The sealed form of a value.
  ///
  /// - Throws: ``Failure``, a `SealingError`, what the key's provider throws.
  func seal(_ value: SQLiteValue, at place: Place) throws -> [UInt8] {
    guard let sealingKey else { throw Failure.noKey }
    let (id, source) = try sealingKey.current()
    guard id.count == SealingKey.identifierLength else { throw Failure.otherKey }
    let head = [Self.version] + id
    let sealed = try Self.plaintext(value).withRawSpan { plaintext in
      try AuthenticatedEncryption.seal(
        plaintext, key: try key(id, from: source), context: context(head, place))
    }
    return head + sealed
  }

  /// The value of a sealed form.
  ///
  /// - Throws: ``Failure``, what the key's provider throws.
  func open(_ bytes: [UInt8], at place: Place) throws -> _AppData.Slot {
    guard let sealingKey else { throw Failure.noKey }
    let length = 1 + SealingKey.identifierLength
    guard bytes.count > length, bytes[0] == Self.version else { throw Failure.damaged }
    let head = Array(bytes[..<length])
    let id = Array(head[1...])
    guard let source = try sealingKey.key(id) else { throw Failure.otherKey }
    let opened: SecretBytes
    do {
      opened = try AuthenticatedEncryption.open(
        Array(bytes[length...]), key: try key(id, from: source), context: context(head, place))
    } catch let error as SealingError where error.code == .authenticationFailed {
      throw Failure.damaged
    }
    guard let slot = opened.withBytes(Self.value) else { throw Failure.damaged }
    return slot
  }

  private func key(_ id: [UInt8], from source: SecretBytes) throws -> SecretBytes {
    if let known = keys.withLock({ $0[id] }) { return known }
    let label = "vault app data: attributes of store \(store)"
    let made = try KeyDerivation.key(from: source, message: Array(label.utf8))
    keys.withLock { $0[id] = made }
    return made
  }

  /// What is authenticated: every part after its length, so that no two places are alike.
  private func context(_ head: [UInt8], _ place: Place) -> [UInt8] {
    var context = head
    for part in [store, place.entity, place.property] {
      context.append(littleEndian: UInt64(part.utf8.count))
      context.append(contentsOf: part.utf8)
    }
    context.append(littleEndian: place.row)
    return context
  }

  // MARK: Plaintext

  private enum Kind: UInt8 {
    case integer = 1
    case real = 2
    case text = 3
    case data = 4
  }

  private static func plaintext(_ value: SQLiteValue) -> [UInt8] {
    var bytes: [UInt8]
    switch value {
    case .integer(let number):
      bytes = [Kind.integer.rawValue]
      bytes.append(littleEndian: number)
    case .real(let number):
      bytes = [Kind.real.rawValue]
      bytes.append(littleEndian: number.bitPattern)
    case .text(let text): bytes = [Kind.text.rawValue] + Array(text.utf8)
    case .blob(let data): bytes = [Kind.data.rawValue] + data
    // NULL is stored as NULL.
    case .null: bytes = []
    }
    let count = bytes.count
    bytes.append(0x80)
    bytes.append(contentsOf: repeatElement(0, count: Padding.itemLength(count) - count - 1))
    return bytes
  }

  private static func value(_ bytes: RawSpan) -> _AppData.Slot? {
    guard let count = Padding.unpaddedLength(bytes), count > 0,
      let kind = Kind(rawValue: bytes.byte(at: 0))
    else { return nil }
    switch kind {
    case .integer:
      return count == 9 ? .integer(bytes.littleEndian(Int64.self, at: 1)) : nil
    case .real:
      return count == 9
        ? .real(Double(bitPattern: bytes.littleEndian(UInt64.self, at: 1))) : nil
    case .text: return bytes.text(1..<count).map { .text($0) }
    case .data: return .data(Data(bytes.array(1..<count)))
    }
  }
}
