import Foundation

/// The socket of a service manager: sd_notify(3).
struct ServiceManager {
  let path: String
  private let descriptor: Int32

  init(_ path: String) throws {
    self.path = path
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { bytes in
      for (index, byte) in path.utf8.prefix(bytes.count - 1).enumerated() {
        unsafe bytes[index] = byte
      }
    }
    let status = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    if status != 0 { throw POSIXError(.EADDRNOTAVAIL) }
  }

  /// Reads what has come: the kernel keeps ten messages for a socket, and drops those behind them.
  func drain() {
    var buffer = [UInt8](repeating: 0, count: 1024)
    while unsafe recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT)) > 0 {}
  }

  /// Whether a message with a line comes in two minutes; those before it are passed over.
  func waits(for line: String) -> Bool {
    let end = ContinuousClock.now + .seconds(120)
    while ContinuousClock.now < end {
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard unsafe poll(&waiting, 1, 1000) > 0 else { continue }
      var buffer = [UInt8](repeating: 0, count: 1024)
      let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
      let text = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
      if text.split(separator: "\n").contains(Substring(line)) { return true }
    }
    return false
  }
}

/// Who asks at a Unix socket.
enum UnixClient {
  /// What comes back, until the other side closes; empty where nobody listens.
  static func answer(to text: String, at path: String) -> String {
    let client = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { close(client) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { bytes in
      for (index, byte) in path.utf8.prefix(bytes.count - 1).enumerated() {
        unsafe bytes[index] = byte
      }
    }
    let status = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(client, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    let words = Array(text.utf8)
    guard status == 0, unsafe write(client, words, words.count) == words.count else { return "" }
    var (all, buffer): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: 4096))
    while true {
      let count = unsafe read(client, &buffer, buffer.count)
      guard count > 0 else { return String(decoding: all, as: UTF8.self) }
      all += buffer.prefix(count)
    }
  }
}
