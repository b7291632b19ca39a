import Glibc
import VaultSealing
import VaultStorage

/// The name of this host in by-host domains.
///
/// It is a hash of the machine's id. machine-id(5) asks not to expose the id itself, so that data
/// of different programs cannot be matched by it.
package enum HostIdentity {
  /// The name, in the form of the hardware UUID that macOS uses.
  package static let current: String = {
    let seed = MachineIdentity.digits ?? hostName()
    let text = Array("vault preferences host\0".utf8) + Array(seed.utf8)
    guard let hash = try? Hash.blake2b(text, count: 16) else { return seed }
    let digits = Array(Hexadecimal.uppercaseText(hash).utf8)
    return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32]
      .map { String(decoding: digits[$0], as: UTF8.self) }.joined(separator: "-")
  }()

  /// The host's name: gethostname(2).
  package static func hostName() -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    unsafe gethostname(&buffer, 255)
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
