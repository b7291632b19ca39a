import CVaultLinux
import Glibc
package import VaultSealing

/// Calls on Unix sockets: unix(7).
///
/// Each returns at once.
@safe package enum LocalSocket {
  /// The process and the user at the other end, as the kernel knows them.
  package struct Peer: Sendable {
    package let process: Int32
    package let user: UInt32
    /// The program that the process was when it was first seen; `nil` if the kernel does not say.
    package let program: Program?

    package init(process: Int32, user: UInt32) {
      self.process = process
      self.user = user
      program = Program(of: process)
    }

    /// The program that the process is now; `nil` if the kernel does not say.
    package var currentProgram: Program? { Program(of: process) }

    /// Whether the process is still the program that it was when it was first seen: it has neither
    /// ended nor run another one.
    package var isSameProgram: Bool { program != nil && program == currentProgram }
  }

  /// A program that a process runs: its file, and when the process was started.
  ///
  /// A question to a person is about one: what has run another program by the time of the answer is
  /// not meant by it.
  package struct Program: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64
    /// In ticks since the machine was started: proc_pid_stat(5), field 22.
    let started: String

    init?(of process: Int32) {
      var status = stat()
      guard unsafe stat("/proc/\(process)/exe", &status) == 0,
        let line = LocalSocket.contents(of: "/proc/\(process)/stat", limit: 1024),
        // The name, which may hold anything, ends at the last parenthesis.
        let end = line.lastIndex(of: UInt8(ascii: ")"))
      else { return nil }
      let fields = line[(end + 1)...].split(separator: UInt8(ascii: " "))
      guard fields.count > 19 else { return nil }
      device = UInt64(status.st_dev)
      inode = UInt64(status.st_ino)
      started = String(decoding: fields[19], as: UTF8.self)
    }
  }

  /// What became of reading or writing.
  package enum Outcome: Equatable {
    /// So many bytes were moved, at least one.
    case moved(Int)
    /// Nothing can be moved now.
    case later
    /// The connection has ended.
    case ended
  }

  /// Listens at a path that does not exist yet; `nil` with `errno` if that fails.
  package static func listen(at path: String) -> Int32? {
    guard !path.utf8.contains(0), var address = address(path) else {
      errno = ENAMETOOLONG
      return nil
    }
    let type = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
    let socket = Glibc.socket(AF_UNIX, Int32(type), 0)
    guard socket >= 0 else { return nil }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let isBound = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(socket, $0, size) == 0
      }
    }
    // Who connects faster than clients are taken in must not keep others from waiting.
    guard isBound, Glibc.listen(socket, 4096) == 0 else {
      close(socket)
      return nil
    }
    return socket
  }

  private static func address(_ path: String) -> sockaddr_un? { address(Array(path.utf8)) }

  private static func address(_ bytes: [UInt8]) -> sockaddr_un? {
    var address = sockaddr_un()
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path),
      !bytes.dropFirst().contains(0)
    else { return nil }
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    return address
  }

  /// Whether somebody listens at a path.
  package static func isServed(_ path: String) -> Bool {
    guard let socket = connect(to: Array(path.utf8), milliseconds: 200) else {
      // A queue that is full is somebody's.
      return errno == EAGAIN
    }
    close(socket)
    return true
  }

  /// Connects to a path, or to an abstract name, which begins with a NUL; `nil` if nothing listens,
  /// or lets nobody in within so many milliseconds.
  package static func connect(to path: [UInt8], milliseconds: Int) -> Int32? {
    guard !path.isEmpty, var address = address(path) else { return nil }
    let type = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue
    let socket = Glibc.socket(AF_UNIX, Int32(type), 0)
    guard socket >= 0 else { return nil }
    // unix(7): a connection waits while the queue is full, as long as sending would.
    var limit = timeval(tv_sec: milliseconds / 1000, tv_usec: milliseconds % 1000 * 1000)
    let length = socklen_t(MemoryLayout<timeval>.size)
    _ = unsafe setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, length)
    // The length ends an abstract name; a path ends with a NUL, which the kernel does not need.
    let size = socklen_t(MemoryLayout<sa_family_t>.size + path.count)
    let isConnected = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe Glibc.connect(socket, $0, size) == 0
      }
    }
    guard isConnected, fcntl(socket, F_SETFL, O_NONBLOCK) == 0 else {
      close(socket)
      return nil
    }
    return socket
  }

  /// The next connection; `nil` with `errno` if there is none.
  package static func accept(_ listening: Int32) -> Int32? {
    let socket = cvault_accept(listening)
    return socket >= 0 ? socket : nil
  }

  /// Who is at the other end; `nil` if the kernel does not say.
  package static func peer(of socket: Int32) -> Peer? {
    let process = cvault_peer_process(socket)
    let user = cvault_peer_user(socket)
    guard process >= 0, user >= 0 else { return nil }
    return Peer(process: Int32(truncatingIfNeeded: process), user: UInt32(user))
  }

  /// Reads into locked memory.
  package static func receive(
    _ socket: Int32, into buffer: LockedBuffer, atMost limit: Int
  ) throws -> Outcome {
    var failure: Int32 = 0
    let count = try buffer.fill(atMost: limit) { span in
      let count = unsafe span.withUnsafeMutableBytes { bytes in
        unsafe recv(socket, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT))
      }
      failure = count < 0 ? errno : 0
      return max(count, 0)
    }
    if count > 0 { return .moved(count) }
    return failure == EAGAIN || failure == EINTR ? .later : .ended
  }

  /// Reads into locked memory, and takes the descriptors that come along: unix(7), `SCM_RIGHTS`.
  static func receive(
    _ socket: Int32, into buffer: LockedBuffer, atMost limit: Int, descriptors: inout [Int32]
  ) throws -> Outcome {
    var failure: Int32 = 0
    var taken: [Int32] = []
    let count = try buffer.fill(atMost: limit) { span in
      let count = unsafe span.withUnsafeMutableBytes { bytes in
        unsafe receive(socket, into: bytes, &taken)
      }
      failure = count < 0 ? errno : 0
      return max(count, 0)
    }
    descriptors += taken
    if count > 0 { return .moved(count) }
    return failure == EAGAIN || failure == EINTR ? .later : .ended
  }

  @unsafe private static func receive(
    _ socket: Int32, into bytes: UnsafeMutableRawBufferPointer, _ descriptors: inout [Int32]
  ) -> Int {
    // The header of a control message, and four descriptors: the kernel closes what has no room.
    let header = MemoryLayout<cmsghdr>.size
    var control = [UInt64](repeating: 0, count: 4)
    var vector = unsafe iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
    return unsafe control.withUnsafeMutableBytes { control in
      unsafe withUnsafeMutablePointer(to: &vector) { vector in
        var message = unsafe msghdr()
        unsafe message.msg_iov = vector
        unsafe message.msg_iovlen = 1
        unsafe message.msg_control = control.baseAddress
        unsafe message.msg_controllen = control.count
        let flags = Int32(MSG_DONTWAIT) | Int32(MSG_CMSG_CLOEXEC)
        let count = unsafe recvmsg(socket, &message, flags)
        guard count >= 0, unsafe message.msg_controllen >= header else { return count }
        let found = unsafe control.load(as: cmsghdr.self)
        guard found.cmsg_level == SOL_SOCKET, found.cmsg_type == Int32(SCM_RIGHTS) else {
          return count
        }
        let end = unsafe min(Int(found.cmsg_len), Int(message.msg_controllen))
        for offset in stride(from: header, to: end - 3, by: 4) {
          descriptors.append(unsafe control.load(fromByteOffset: offset, as: Int32.self))
        }
        return count
      }
    }
  }

  /// Writes bytes from an offset on.
  package static func send(_ socket: Int32, _ bytes: SecretBytes, from offset: Int) -> Outcome {
    bytes.withBytes { send(socket, $0.extracting(offset..<$0.byteCount)) }
  }

  /// Writes bytes.
  package static func send(_ socket: Int32, _ bytes: RawSpan) -> Outcome {
    let count = unsafe bytes.withUnsafeBytes { bytes in
      unsafe Glibc.send(
        socket, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
    }
    if count > 0 { return .moved(count) }
    return count < 0 && (errno == EAGAIN || errno == EINTR) ? .later : .ended
  }

  /// Waits until one of the descriptors is ready.
  ///
  /// - Parameters:
  ///   - waits: Descriptors, and whether to wait for room to write besides bytes to read.
  ///   - milliseconds: The longest wait; `nil` for as long as it takes.
  /// - Returns: For each one, whether it can be read (or has ended) and written.
  package static func wait(
    for waits: [(descriptor: Int32, reads: Bool, writes: Bool)], milliseconds: Int?
  ) -> [(reads: Bool, writes: Bool)] {
    var polled = waits.map {
      pollfd(
        fd: $0.descriptor,
        events: Int16($0.reads ? POLLIN : 0) | Int16($0.writes ? POLLOUT : 0), revents: 0)
    }
    let count = unsafe poll(&polled, nfds_t(polled.count), Int32(clamping: milliseconds ?? -1))
    guard count > 0 else { return waits.map { _ in (false, false) } }
    return polled.map { entry in
      let events = Int32(entry.revents)
      let hasEnded = events & (POLLHUP | POLLERR | POLLNVAL) != 0
      return (events & POLLIN != 0 || hasEnded, events & POLLOUT != 0)
    }
  }

  /// Writes one byte to a pipe, if it takes one.
  static func writeByte(to descriptor: Int32) {
    var byte: UInt8 = 1
    _ = unsafe write(descriptor, &byte, 1)
  }

  /// Takes everything out of a pipe.
  static func drain(_ descriptor: Int32) {
    var bytes = [UInt8](repeating: 0, count: 256)
    while unsafe read(descriptor, &bytes, bytes.count) > 0 {}
  }

  /// The first bytes of a small file; `nil` if it cannot be read.
  static func contents(of path: String, limit: Int) -> [UInt8]? {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: limit)
    let count = unsafe read(file, &bytes, limit)
    return count > 0 ? Array(bytes.prefix(count)) : nil
  }
}

extension LocalSocket.Peer {
  /// This process.
  static var current: LocalSocket.Peer { LocalSocket.Peer(process: getpid(), user: geteuid()) }
}
