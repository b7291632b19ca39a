import Glibc
import VaultProtocols
import VaultSealing
import VaultStorage
import VaultTerminal

/// The reason that a program has in its environment, where its protocol has no place for one.
enum StatedReason {
  private static let limit = 1 << 20

  /// The reason that a process was started with; `nil` if it has none, or lets nobody look.
  ///
  /// The rest of the environment may have secrets: it is read into locked memory.
  ///
  /// - Parameter process: Its number.
  /// - Returns: What it says, as long as it may be.
  static func of(_ process: Int32) -> String? {
    guard
      let file = try? System.open("/proc/\(process)/environ", in: AT_FDCWD, flags: O_RDONLY)
    else { return nil }
    defer { System.close(file) }
    guard let environment = try? SecretInput.read(file, limit: limit) else { return nil }
    let mark = Array("\(ApprovalQuestion.reasonVariable)=".utf8)
    let value = environment.withBytes { bytes -> [UInt8]? in
      var start = 0
      while start < bytes.byteCount {
        let end = (start..<bytes.byteCount).first { bytes.byte(at: $0) == 0 } ?? bytes.byteCount
        if end - start > mark.count,
          (0..<mark.count).allSatisfy({ bytes.byte(at: start + $0) == mark[$0] })
        {
          return bytes.array(start + mark.count..<min(end, start + mark.count + 4096))
        }
        start = end + 1
      }
      return nil
    }
    return value.flatMap { ApprovalQuestion.bounded(String(decoding: $0, as: UTF8.self)) }
  }
}
