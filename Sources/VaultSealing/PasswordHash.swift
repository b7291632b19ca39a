import CVaultSodium
import Glibc

/// Argon2id, version 1.3: turns a passphrase into key material, slowly.
///
/// Source: RFC 9106; libsodium `crypto_pwhash`, which has one lane (p = 1).
public enum PasswordHash {
  /// Bytes of the salt: 16.
  public static let saltLength = 16

  /// What one derivation costs.
  public struct Cost: Hashable, Sendable {
    /// Memory in KiB.
    public var memoryKiB: UInt32
    /// Passes over the memory.
    public var passes: UInt32

    /// Makes a cost; whether it is accepted is decided where it is used.
    ///
    /// - Parameters:
    ///   - memoryKiB: Memory in KiB.
    ///   - passes: Passes over the memory.
    public init(memoryKiB: UInt32, passes: UInt32) {
      self.memoryKiB = memoryKiB
      self.passes = passes
    }

    /// The least that is accepted: 64 MiB, 3 passes (RFC 9106's second choice, with one lane).
    public static let floor = Cost(memoryKiB: 64 << 10, passes: 3)
    /// The most that is accepted: 1 GiB, 16 passes.
    public static let cap = Cost(memoryKiB: 1 << 20, passes: 16)
    /// What a new slot costs where memory allows: 256 MiB, 3 passes.
    public static let standard = Cost(memoryKiB: 256 << 10, passes: 3)

    /// At or above ``floor`` in both parts.
    public var isAboveFloor: Bool {
      memoryKiB >= Self.floor.memoryKiB && passes >= Self.floor.passes
    }

    /// At or below ``cap`` in both parts.
    public var isBelowCap: Bool {
      memoryKiB <= Self.cap.memoryKiB && passes <= Self.cap.passes
    }
  }

  /// Derives 32 bytes from a passphrase.
  ///
  /// - Parameters:
  ///   - passphrase: Its bytes, normalised by the caller.
  ///   - salt: 16 bytes.
  ///   - cost: Between ``Cost/floor`` and ``Cost/cap``; anything else is refused before memory
  ///     is taken.
  /// - Returns: 32 bytes, in locked memory.
  /// - Throws: ``SealingError`` with code `.invalidParameter`, or `.outOfMemory` if `cost` asks for
  ///   more memory than there is.
  public static func derive(
    from passphrase: SecretBytes, salt: [UInt8], cost: Cost
  ) throws(SealingError) -> SecretBytes {
    guard cost.isAboveFloor, cost.isBelowCap else {
      throw SealingError(.invalidParameter, "the Argon2id cost lies outside what is accepted")
    }
    return try hash(passphrase, salt: salt, cost: cost, count: 32)
  }

  /// Chooses the cost of a new slot: 250 to 1,000 ms on this machine, never below the floor.
  ///
  /// Takes 64 MiB where less than 1 GiB is available, with more passes instead. Three derivations at the floor
  /// are timed to find out how fast the machine is; the fastest counts, since what else runs at the moment makes
  /// the others slow, and a cost that is too low stays for good.
  ///
  /// - Returns: The cost.
  /// - Throws: ``SealingError`` with code `.outOfMemory` if even the floor cannot be had.
  public static func calibrate() throws(SealingError) -> Cost {
    let salt = RandomBytes.bytes(count: saltLength)
    let probe = try SecretBytes.random(count: 16)
    return try calibrate(availableMiB: availableMemoryMiB()) { () throws(SealingError) in
      let start = ContinuousClock.now
      _ = try derive(from: probe, salt: salt, cost: .floor)
      return (ContinuousClock.now - start) / .milliseconds(1)
    }
  }

  /// The same, with the time of a derivation at the floor, in milliseconds, as `measure` says it.
  package static func calibrate(
    availableMiB: Int, measure: () throws(SealingError) -> Double
  ) throws(SealingError) -> Cost {
    var fastest = try measure()
    for _ in 1..<samples { fastest = min(fastest, try measure()) }
    return cost(floorMilliseconds: max(0.001, fastest), availableMiB: availableMiB)
  }

  private static let samples = 3

  /// The rule behind ``calibrate()``, apart from the machine.
  package static func cost(floorMilliseconds: Double, availableMiB: Int) -> Cost {
    // Time grows with memory × passes; measured: 64 MiB, 3 takes 57 ms where 256 MiB, 3 takes 387.
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
        .outOfMemory, "Argon2id needs \(cost.memoryKiB >> 10) MiB, which could not be had")
    }
    return hash
  }
}
