import CVaultSodium
import Glibc

/// Argon2id, version 1.3: derives a key from a passphrase, slowly.
///
/// Source: RFC 9106; libsodium `crypto_pwhash`, which has one lane (p = 1).
public enum PasswordHash {
  /// Bytes of the salt: 16.
  public static let saltLength = 16

  /// The cost of a derivation.
  public struct Cost: Hashable, Sendable {
    /// Memory in KiB.
    public var memoryKiB: UInt32
    /// Passes over the memory.
    public var passes: UInt32

    /// Creates a cost; it is validated where it is used.
    ///
    /// - Parameters:
    ///   - memoryKiB: Memory in KiB.
    ///   - passes: Passes over the memory.
    public init(memoryKiB: UInt32, passes: UInt32) {
      self.memoryKiB = memoryKiB
      self.passes = passes
    }

    /// The minimum: 64 MiB, 3 passes (RFC 9106's second choice, with one lane).
    public static let floor = Cost(memoryKiB: 64 << 10, passes: 3)
    /// The maximum: 1 GiB, 16 passes.
    public static let cap = Cost(memoryKiB: 1 << 20, passes: 16)
    /// The cost of a new slot if memory permits: 256 MiB, 3 passes.
    public static let standard = Cost(memoryKiB: 256 << 10, passes: 3)

    /// Whether both parts are at or above ``floor``.
    public var isAboveFloor: Bool {
      memoryKiB >= Self.floor.memoryKiB && passes >= Self.floor.passes
    }

    /// Whether both parts are at or below ``cap``.
    public var isBelowCap: Bool {
      memoryKiB <= Self.cap.memoryKiB && passes <= Self.cap.passes
    }
  }

  /// Derives 32 bytes from a passphrase.
  ///
  /// - Parameters:
  ///   - passphrase: Its bytes, normalized by the caller.
  ///   - salt: 16 bytes.
  ///   - cost: Between ``Cost/floor`` and ``Cost/cap``; anything else is refused before memory is
  ///     allocated.
  /// - Returns: 32 bytes, in locked memory.
  /// - Throws: ``SealingError`` with code `.invalidParameter`, or `.outOfMemory` if `cost` needs
  ///   more memory than is available.
  public static func derive(
    from passphrase: SecretBytes, salt: [UInt8], cost: Cost
  ) throws(SealingError) -> SecretBytes {
    guard cost.isAboveFloor, cost.isBelowCap else {
      throw SealingError(.invalidParameter, "the Argon2id cost is out of range")
    }
    return try hash(passphrase, salt: salt, cost: cost, count: 32)
  }

  /// Returns a cost for a new slot: 250 to 1,000 ms on this machine, never below the floor.
  ///
  /// Uses 64 MiB with more passes if less than 1 GiB is available. It times three derivations at
  /// the floor and takes the fastest: other programs may slow the others down, and a cost that is
  /// too low would stay for good.
  ///
  /// - Returns: The cost.
  /// - Throws: ``SealingError`` with code `.outOfMemory` if there is not enough memory even for the
  ///   floor.
  public static func calibrate() throws(SealingError) -> Cost {
    let salt = RandomBytes.bytes(count: saltLength)
    let probe = try SecretBytes.random(count: 16)
    return try calibrate(availableMiB: availableMemoryMiB()) { () throws(SealingError) in
      let start = ContinuousClock.now
      _ = try derive(from: probe, salt: salt, cost: .floor)
      return (ContinuousClock.now - start) / .milliseconds(1)
    }
  }

  /// The same, with `measure` returning the time of a derivation at the floor in milliseconds.
  package static func calibrate(
    availableMiB: Int, measure: () throws(SealingError) -> Double
  ) throws(SealingError) -> Cost {
    var fastest = try measure()
    for _ in 1..<samples { fastest = min(fastest, try measure()) }
    return cost(floorMilliseconds: max(0.001, fastest), availableMiB: availableMiB)
  }

  private static let samples = 3

  /// The rule of ``calibrate()``, independent of the machine.
  package static func cost(floorMilliseconds: Double, availableMiB: Int) -> Cost {
    // Time grows with memory × passes. Measured with 3 passes: 57 ms for 64 MiB, 387 ms for 256
    // MiB.
    let perUnit = floorMilliseconds / 3.0
    var cost = Cost.standard
    if availableMiB < 1024 { cost.memoryKiB = Cost.floor.memoryKiB }
    let units = Double(cost.memoryKiB) / Double(Cost.floor.memoryKiB)
    while cost.passes < Cost.cap.passes, perUnit * units * Double(cost.passes) < 250 {
      cost.passes += 1
    }
    if perUnit * units * Double(cost.passes) > 1000 {
      cost.memoryKiB = max(Cost.floor.memoryKiB, cost.memoryKiB / 2)
    }
    return cost
  }

  private static func availableMemoryMiB() -> Int {
    let file = unsafe fopen("/proc/meminfo", "re")
    guard let file = unsafe file else { return 0 }
    defer { unsafe fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while unsafe fgets(&line, 256, file) != nil {
      let text = line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      guard text.starts(with: "MemAvailable:".utf8) else { continue }
      let digits = text.filter { (0x30...0x39).contains($0) }
      return (Int(String(decoding: digits, as: UTF8.self)) ?? 0) / 1024
    }
    return 0
  }

  /// Argon2id without the floor, for known-answer tests.
  package static func hash(
    _ passphrase: SecretBytes, salt: [UInt8], cost: Cost, count: Int
  ) throws(SealingError) -> SecretBytes {
    try Sodium.initialize()
    guard salt.count == saltLength else {
      throw SealingError(.invalidParameter, "an Argon2id salt has 16 bytes")
    }
    let hash = unsafe try SecretBytes.filled(count: count) { output in
      unsafe passphrase.withPointer { pointer in
        unsafe crypto_pwhash(
          output, UInt64(count), UnsafeRawPointer(pointer).assumingMemoryBound(to: CChar.self),
          UInt64(passphrase.count), salt, UInt64(cost.passes), Int(cost.memoryKiB) << 10,
          crypto_pwhash_alg_argon2id13())
      }
    }
    guard let hash else {
      throw SealingError(
        .outOfMemory, "Argon2id needs \(cost.memoryKiB >> 10) MiB, which are not available")
    }
    return hash
  }
}
