import CVaultLinux
import Glibc
import VaultSealing

/// gnome-keyring's control socket, by which the login unlocks it.
///
/// The protocol is that of gnome-keyring's daemon/control/gkd-control-server.c.
enum ControlSocket {
  enum Answer: UInt32 {
    case done = 0
    case denied = 1
    case failed = 2
    case noDaemon = 3
  }

  private static let unlockOperation: UInt32 = 1

  /// Sends the password; `nil` if there is no socket of this user's.
  static func unlock(
    with password: SecretBytes, environment: KeyringEnvironment, until deadline: Deadline
  ) throws -> Answer? {
    for folder in folders(environment) {
      guard let descriptor = connect("\(folder)/control") else { continue }
      defer { close(descriptor) }
      guard belongsToThisUser(descriptor) else { continue }
      // One zero byte first: with it the daemon learns who is at the other end.
      let request = try request(password)
      guard send(request, to: descriptor) else { continue }
      guard let answer = receive(from: descriptor, until: deadline) else { continue }
      return answer
    }
    return nil
  }

  private static func folders(_ environment: KeyringEnvironment) -> [String] {
    let standard = environment.runtimeDirectory.map { "\($0)/keyring" }
    return [environment.controlDirectory, standard].compactMap { $0 }.filter { $0.hasPrefix("/") }
  }

  /// zero byte ‖ total length ‖ operation ‖ password's length ‖ password; numbers are big-endian.
  private static func request(_ password: SecretBytes) throws -> SecretBytes {
    let length = 12 + password.count
    return try SecretBytes(capacity: 1 + length) { output in
      output.write(byte: 0, at: 0)
      write(UInt32(length), at: 1, to: &output)
      write(unlockOperation, at: 5, to: &output)
      write(UInt32(password.count), at: 9, to: &output)
      password.withBytes { output.write($0, at: 13) }
      return 1 + length
    }
  }

  private static func write(_ number: UInt32, at offset: Int, to output: inout MutableRawSpan) {
    for index in 0..<4 {
      output.write(byte: UInt8(truncatingIfNeeded: number >> (24 - 8 * index)), at: offset + index)
    }
  }

  private static func connect(_ path: String) -> Int32? {
    var address = sockaddr_un()
    let bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { field in
      unsafe field.copyBytes(from: bytes)
    }
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(AF_UNIX, kind, 0)
    guard descriptor >= 0 else { return nil }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let status = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe Glibc.connect(descriptor, address, size)
      }
    }
    guard status == 0 else {
      close(descriptor)
      return nil
    }
    return descriptor
  }

  /// The kernel's word for who listens, before the password is sent.
  private static func belongsToThisUser(_ descriptor: Int32) -> Bool {
    cvault_peer_user(descriptor) == Int64(geteuid())
  }

  private static func send(_ request: SecretBytes, to descriptor: Int32) -> Bool {
    request.withBytes { bytes in
      unsafe bytes.withUnsafeBytes { buffer in
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        // A password fits into a socket's buffer: what does not is no password.
        return unsafe Glibc.send(descriptor, buffer.baseAddress, buffer.count, flags)
          == buffer.count
      }
    }
  }

  private static func receive(from descriptor: Int32, until deadline: Deadline) -> Answer? {
    var answer: [UInt8] = []
    while answer.count < 8 {
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let ready = unsafe poll(&waiting, 1, deadline.remainingMilliseconds)
      if ready < 0, errno == EINTR { continue }
      guard ready > 0 else { return nil }
      var chunk = [UInt8](repeating: 0, count: 8 - answer.count)
      let count = unsafe recv(descriptor, &chunk, chunk.count, 0)
      guard count > 0 else { return nil }
      answer += chunk.prefix(count)
    }
    let numbers = [0, 4].map { start in
      answer[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    }
    return numbers[0] == 8 ? Answer(rawValue: numbers[1]) : nil
  }
}
