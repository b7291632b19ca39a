import VaultSealing

/// An unlocked vault key in the kernel's keyring, for a while.
///
/// A cache, never the store. The payload carries a deadline on the clock that counts since boot,
/// since the kernel measures its own timeout against the wall clock: keyctl(2).
struct Session: Sendable {
  /// How long a session lasts that nobody asked for.
  static let standardSeconds = VaultOptions.standardSessionSeconds
  /// The longest session: 30 days.
  static let maximumSeconds = 30 * 24 * 60 * 60

  private static let version: UInt8 = 1
  private static let fixedLength = 1 + 8 + 32 + 1
  private static let digestLength = 8

  let vaultKey: SecretBytes
  let secondsLeft: Int
  /// Digests of the slots as they were when the session began.
  ///
  /// One behind the other, ``digestLength`` bytes each.
  private let slotDigests: [UInt8]

  /// Whether `header` still has a slot of the epoch that this session's key belongs to.
  ///
  /// If not, the key was rotated elsewhere, and a failure to open says nothing about damage.
  func belongs(to header: VaultHeader) throws -> Bool {
    for slot in header.slots {
      let digest = try Self.digest(of: slot)
      for start in stride(from: 0, to: slotDigests.count, by: Self.digestLength)
      where slotDigests[start...].starts(with: digest) {
        return true
      }
    }
    return false
  }

  /// Puts the key of `header`'s vault into the kernel's keyring.
  static func begin(_ vaultKey: SecretBytes, header: VaultHeader, seconds: Int) throws {
    let seconds = min(max(1, seconds), maximumSeconds)
    var composer = SecretBuilder()
    composer.put([version])
    composer.put(KernelKeyring.bootTime() + UInt64(seconds) * 1_000_000_000)
    composer.put(vaultKey)
    composer.put([UInt8(header.slots.count)])
    for slot in header.slots { composer.put(try digest(of: slot)) }
    try KernelKeyring.store(
      try composer.joined(), description: try description(of: header.vaultID),
      seconds: UInt32(seconds))
  }

  /// The session of a vault, if there is one and its time is not over.
  static func current(vaultID: [UInt8]) throws -> Session? {
    let description = try description(of: vaultID)
    let capacity = fixedLength + VaultHeader.maximumSlots * digestLength
    guard let payload = try KernelKeyring.read(description: description, capacity: capacity),
      payload.count >= fixedLength
    else { return nil }
    let deadline = payload.withBytes { $0.littleEndian(UInt64.self, at: 1) }
    let isKnown = payload.withBytes { $0.byte(at: 0) } == version
    let now = KernelKeyring.bootTime()
    guard isKnown, now < deadline else {
      _ = try? KernelKeyring.revoke(description: description)
      return nil
    }
    let digests = payload.withBytes { bytes in
      let count = (bytes.byteCount - fixedLength) / digestLength
      return bytes.array(fixedLength..<fixedLength + count * digestLength)
    }
    return Session(
      vaultKey: try payload.slice(9..<41),
      secondsLeft: Int((deadline - now) / 1_000_000_000), slotDigests: digests)
  }

  /// Ends the session in every process; says whether there was one.
  static func end(vaultID: [UInt8]) throws -> Bool {
    try KernelKeyring.revoke(description: try description(of: vaultID))
  }

  /// Ends the sessions of all vaults in every process; says whether there was one.
  static func endAll() throws -> Bool {
    try KernelKeyring.revokeAll { text in
      let digits = text.utf8.dropFirst(descriptionPrefix.utf8.count)
      return text.utf8.starts(with: descriptionPrefix.utf8) && digits.count == 32
        && digits.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
  }

  private static let descriptionPrefix = "vault:"

  /// No name in it: `/proc/keys` shows it to the user's programs.
  private static func description(of vaultID: [UInt8]) throws -> String {
    let hash = try Hash.blake2b(Array("VLT1/session".utf8) + vaultID, count: 16)
    return descriptionPrefix + Hexadecimal.text(hash)
  }

  private static func digest(of slot: SlotRecord) throws -> [UInt8] {
    Array(try Hash.blake2b(slot.id + slot.nonce + slot.wrapped, count: 16).prefix(digestLength))
  }
}
