import Glibc
import VaultSealing
import VaultTerminal

/// Holds the files of a command of `vault run --watch`.
enum FileHolding {
  /// Says which process this is, and holds what comes until the command ends.
  ///
  /// - Parameters:
  ///   - orders: The number of the socket.
  ///   - answers: Where the number of this process goes.
  static func run(orders: Int32, answers: Int32) -> Never {
    let order = try? SecretInput.read(orders, limit: 64)
    close(orders)
    // The first byte counts keys, of which there are none.
    let text = order?.withBytes { $0.array(0..<$0.byteCount).dropFirst() } ?? []
    guard let socket = Int32(String(decoding: text, as: UTF8.self)) else { exit(1) }
    HelperAnswer.write(HelperProgram.readyAnswer, String(getpid()), to: answers)
    HeldFiles.hold(from: socket)
  }
}
