import CVaultLinux
import Glibc
import VaultSealing

/// The kernel's key service: keyrings(7), add_key(2), keyctl(2).
///
/// Keys lie in the user keyring `@u`, which every session of the user shares and which is gone at
/// reboot. A sandbox may refuse the calls; then there is no cache, and the error says why.
enum KernelKeyring {
  /// The kernel refused: the call's name and errno.
  struct Refusal: Error, Equatable {
    var call: String
    var errno: Int32

    /// The explanation for the user.
    var explanation: String {
      switch self.errno {
      case EPERM, ENOSYS, EACCES: "the kernel refuses its key service here (a container's filter?)"
      case EDQUOT: "the user's quota of kernel keys is used up"
      default: "\(call) failed (errno \(self.errno))"
      }
    }
  }

  private static let processKeyring: Int32 = -2
  private static let userKeyring: Int32 = -4

  /// Keeps `payload` under `description` for `seconds`.
  static func store(_ payload: SecretBytes, description: String, seconds: UInt32) throws(Refusal) {
    var key = add(payload, description)
    if key < 0, errno == EACCES {
      linkUserKeyring()
      key = add(payload, description)
    }
    guard key >= 0 else { throw Refusal(call: "add_key", errno: errno) }
    guard call(KEYCTL_SET_TIMEOUT, key, UInt(seconds)) >= 0 else {
      let refusal = Refusal(call: "keyctl_set_timeout", errno: errno)
      _ = call(KEYCTL_REVOKE, key, 0)
      throw refusal
    }
  }

  /// What was stored, or `nil` if there is nothing, or it has run out or was revoked.
  static func read(description: String, capacity: Int) throws(Refusal) -> SecretBytes? {
    var key = search(description)
    if key < 0, errno == EACCES || errno == ENOKEY {
      // In a session without a link to @u (su, cron, some units) the search or the read needs one.
      linkUserKeyring()
      key = search(description)
    }
    guard key >= 0 else { return try nothing("keyctl_search") }
    var length = -1
    func readPayload() throws -> SecretBytes {
      try SecretBytes(capacity: capacity) { output in
        length = unsafe output.withUnsafeMutableBytes { buffer in
          cvault_keyctl(
            KEYCTL_READ, UInt(bitPattern: Int(key)), UInt(bitPattern: buffer.baseAddress),
            UInt(buffer.count), 0)
        }
        return length < 0 || length > capacity ? 0 : length
      }
    }
    var payload = try? readPayload()
    if length < 0, errno == EACCES {
      linkUserKeyring()
      payload = try? readPayload()
    }
    guard length >= 0 else { return try nothing("keyctl_read") }
    return length > capacity ? nil : payload
  }

  /// Makes the key unusable in every process at once; says whether there was one.
  static func revoke(description: String) throws(Refusal) -> Bool {
    // To find a key takes less than to revoke it: only who possesses it may, and a session of su(1)
    // or cron(8) has no link to @u.
    linkUserKeyring()
    let key = search(description)
    guard key >= 0 else {
      _ = try nothing("keyctl_search") as SecretBytes?
      return false
    }
    guard call(KEYCTL_REVOKE, key, 0) >= 0 else {
      throw Refusal(call: revokeCall, errno: errno)
    }
    _ = call(KEYCTL_UNLINK, key, UInt(bitPattern: Int(userKeyring)))
    return true
  }

  /// Makes every key unusable whose description fits; says whether there was one.
  static func revokeAll(where fits: (String) -> Bool) throws(Refusal) -> Bool {
    linkUserKeyring()
    var found = false
    for key in try userKeys() {
      guard let text = description(of: key), fits(text) else { continue }
      // One that has run out meanwhile is as good as revoked.
      if call(KEYCTL_REVOKE, key, 0) < 0, ![ENOKEY, EKEYEXPIRED, EKEYREVOKED].contains(errno) {
        throw Refusal(call: revokeCall, errno: errno)
      }
      _ = call(KEYCTL_UNLINK, key, UInt(bitPattern: Int(userKeyring)))
      found = true
    }
    return found
  }

  /// The call of a refusal that leaves a key usable.
  static let revokeCall = "keyctl_revoke"

  /// The keys in the user keyring.
  private static func userKeys() throws(Refusal) -> [Int32] {
    var keys = [Int32](repeating: 0, count: 512)
    while true {
      let size = unsafe keys.withUnsafeMutableBytes { buffer in
        cvault_keyctl(
          KEYCTL_READ, UInt(bitPattern: Int(userKeyring)), UInt(bitPattern: buffer.baseAddress),
          UInt(buffer.count), 0)
      }
      guard size >= 0 else { throw Refusal(call: "keyctl_read", errno: errno) }
      let count = size / MemoryLayout<Int32>.size
      if count <= keys.count { return Array(keys[..<count]) }
      keys = [Int32](repeating: 0, count: count)
    }
  }

  /// A key's description behind type, owner and rights: keyctl(2), `KEYCTL_DESCRIBE`.
  private static func description(of key: Int32) -> String? {
    var text = [UInt8](repeating: 0, count: 4096 + 64)
    let size = unsafe text.withUnsafeMutableBytes { buffer in
      cvault_keyctl(
        KEYCTL_DESCRIBE, UInt(bitPattern: Int(key)), UInt(bitPattern: buffer.baseAddress),
        UInt(buffer.count), 0)
    }
    guard (1...text.count).contains(size) else { return nil }
    let parts = text[..<(size - 1)].split(
      separator: UInt8(ascii: ";"), maxSplits: 4, omittingEmptySubsequences: false)
    guard parts.count == 5, parts[0].elementsEqual("user".utf8) else { return nil }
    return String(decoding: parts[4], as: UTF8.self)
  }

  /// Nanoseconds since boot, suspend included: a clock that nobody sets back.
  static func bootTime() -> UInt64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_BOOTTIME, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  private static func nothing<Value>(_ call: String) throws(Refusal) -> Value? {
    switch errno {
    case ENOKEY, EKEYEXPIRED, EKEYREVOKED, EKEYREJECTED: return nil
    default: throw Refusal(call: call, errno: errno)
    }
  }

  private static func add(_ payload: SecretBytes, _ description: String) -> Int32 {
    payload.withBytes { payload in
      unsafe payload.withUnsafeBytes { buffer in
        unsafe cvault_add_key(
          "user", description, buffer.baseAddress, buffer.count, userKeyring)
      }
    }
  }

  private static func search(_ description: String) -> Int32 {
    unsafe description.withCString { text in
      unsafe "user".withCString { type in
        Int32(
          truncatingIfNeeded: cvault_keyctl(
            KEYCTL_SEARCH, UInt(bitPattern: Int(userKeyring)), UInt(bitPattern: type),
            UInt(bitPattern: text), 0))
      }
    }
  }

  private static func linkUserKeyring() {
    _ = cvault_keyctl(
      KEYCTL_LINK, UInt(bitPattern: Int(userKeyring)), UInt(bitPattern: Int(processKeyring)), 0, 0)
  }

  private static func call(_ operation: Int32, _ key: Int32, _ argument: UInt) -> Int {
    cvault_keyctl(operation, UInt(bitPattern: Int(key)), argument, 0, 0)
  }
}
