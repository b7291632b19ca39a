import Foundation
import Testing
import VaultSealing

struct LockedMemoryTests {
  /// Asks the kernel itself, by syscall(2), past our own call of it.
  private static let kernelHasSecretMemory: Bool = {
    typealias SystemCall = @convention(c) (Int, UInt) -> Int
    // The same number on every architecture: linux/unistd.h.
    let memfdSecret = 447
    guard let symbol = unsafe dlsym(nil, "syscall") else { return false }
    let descriptor = unsafe unsafeBitCast(symbol, to: SystemCall.self)(memfdSecret, UInt(O_CLOEXEC))
    guard descriptor >= 0 else { return false }
    close(Int32(descriptor))
    return true
  }()

  @Test func secretsLieInSecretMemoryWhereTheKernelHasIt() throws {
    #expect(try LockedMemory.protection().isSecretMemory == Self.kernelHasSecretMemory)
  }

  @Test(.enabled(if: kernelHasSecretMemory, "this kernel has no memfd_secret"))
  func theArenaIsMappedFromSecretMemoryAndNotInherited() throws {
    let secret = try SecretBytes.random(count: 32)
    // In one go, Foundation reads one page of a file in /proc.
    let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/smaps"))
    let text = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
    var isArena = false
    var count = 0
    for line in text.split(separator: "\n") {
      if line.contains("secretmem") { isArena = true }
      guard isArena, line.hasPrefix("VmFlags:") else { continue }
      isArena = false
      count += 1
      let flags = Set(line.split(separator: " ").map(String.init))
      #expect(
        flags.isSuperset(of: ["lo", "dc", "dd"]), "locked, not for a fork, not dumped: \(line)")
    }
    #expect(count > 0)
    #expect(secret.count == 32)
  }

  @Test func aBusyMomentDoesNotMakeTheCostLow() throws {
    func cost(_ samples: [Double]) throws -> PasswordHash.Cost {
      var rest = samples[...]
      return try PasswordHash.calibrate(availableMiB: 8000) { () throws(SealingError) in
        guard let next = rest.popFirst() else { throw SealingError.unexpectedSample }
        return next
      }
    }
    let quiet = PasswordHash.cost(floorMilliseconds: 57, availableMiB: 8000)
    #expect(quiet.memoryKiB == 256 << 10)
    #expect(PasswordHash.cost(floorMilliseconds: 900, availableMiB: 8000).memoryKiB == 128 << 10)
    #expect(try cost([900, 57, 400]) == quiet)
    #expect(try cost([57, 900, 900]) == quiet)
    #expect(try cost([900, 900, 57]) == quiet)
  }
}

extension SealingError {
  /// More samples than three were asked for.
  fileprivate static var unexpectedSample: SealingError {
    do {
      _ = try PasswordHash.derive(from: SecretBytes(copying: [1]), salt: [], cost: .floor)
    } catch { return error }
    fatalError("a salt of no bytes was accepted")
  }
}
