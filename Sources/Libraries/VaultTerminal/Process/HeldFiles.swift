import CVaultLinux
import Glibc
import VaultStorage

/// Open files in another process, whose paths stay while the files behind them are replaced.
///
/// `/proc/PID/fd/N` needs a process that others of the user may look into. This program is not one,
/// since keys are in its memory: a process of the helper, which has nothing but the files, holds
/// them, and ends with this one. Whoever opens a path has the file before, or the one after, never
/// a part of both: dup2(2) replaces one by the other in one step.
@safe package final class HeldFiles: Sendable {
  /// The helper's first argument.
  package static let verb = "hold-files"
  /// The numbers that the helper holds files at begin here.
  private static let firstNumber: Int32 = 64

  private let socket: Int32
  /// The process that holds the files.
  private let process: Int32

  /// Starts the process.
  ///
  /// - Throws: ``TerminalError`` with code `.programMissing` or `.inputOutput`.
  package init() throws {
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)
    guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw Self.failure }
    socket = ends[0]
    defer { close(ends[1]) }
    let answer = try HelperProgram.start(
      Self.verb, keys: [], order: Array(String(ends[1]).utf8), keeping: [ends[1]])
    let lines = String(decoding: answer, as: UTF8.self).parts(at: "\n")
    guard lines.count == 2, lines[0] == HelperProgram.readyAnswer, let process = Int32(lines[1])
    else {
      close(socket)
      throw Self.failure
    }
    self.process = process
  }

  deinit { close(socket) }

  /// The path of a file.
  ///
  /// - Parameter index: Which of the files, from 0 on.
  /// - Returns: The path, for as long as the process lives.
  package func path(_ index: Int) -> String {
    "/proc/\(process)/fd/\(Self.firstNumber + Int32(index))"
  }

  /// Puts a file behind a path, in place of the one before.
  ///
  /// - Parameters:
  ///   - file: The file, which the caller closes.
  ///   - index: Which of the files, from 0 on.
  /// - Throws: ``TerminalError`` with code `.inputOutput`.
  package func put(_ file: Int32, at index: Int) throws {
    guard DescriptorMessage.send(file, as: Self.firstNumber + Int32(index), to: socket),
      DescriptorMessage.waitForAnswer(socket)
    else { throw Self.failure }
  }

  private static let failure = TerminalError(
    .inputOutput, "the files of the command cannot be held in memory")

  // MARK: - The other process

  /// Holds what comes through a socket until its other end is closed, and ends the process.
  ///
  /// - Parameter socket: The socket.
  package static func hold(from socket: Int32) -> Never {
    // There is nothing in this memory, and the files are what others of the user may open.
    _ = cvault_prctl(PR_SET_DUMPABLE, 1)
    while let (file, number) = DescriptorMessage.receive(from: socket) {
      guard file >= 0, number >= firstNumber, dup2(file, number) == number else { exit(1) }
      _ = fcntl(number, F_SETFD, FD_CLOEXEC)
      close(file)
      DescriptorMessage.answer(socket)
    }
    exit(0)
  }
}

/// Descriptors on their way between two processes: unix(7), `SCM_RIGHTS`.
@safe private enum DescriptorMessage {
  /// Sends a descriptor, and the number that it is to have.
  static func send(_ file: Int32, as number: Int32, to socket: Int32) -> Bool {
    var number = number
    // The header of a control message, and one descriptor.
    let length = MemoryLayout<cmsghdr>.size + MemoryLayout<Int32>.size
    var control = [UInt64](repeating: 0, count: 3)
    return unsafe control.withUnsafeMutableBytes { control in
      var header = cmsghdr()
      header.cmsg_len = length
      header.cmsg_level = SOL_SOCKET
      header.cmsg_type = Int32(SCM_RIGHTS)
      unsafe control.storeBytes(of: header, as: cmsghdr.self)
      unsafe control.storeBytes(
        of: file, toByteOffset: MemoryLayout<cmsghdr>.size, as: Int32.self)
      return unsafe withUnsafeMutableBytes(of: &number) { bytes in
        var vector = unsafe iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
        return unsafe withUnsafeMutablePointer(to: &vector) { vector in
          var message = unsafe msghdr()
          unsafe message.msg_iov = vector
          unsafe message.msg_iovlen = 1
          unsafe message.msg_control = control.baseAddress
          unsafe message.msg_controllen = control.count
          var count = -1
          repeat {
            count = unsafe sendmsg(socket, &message, Int32(MSG_NOSIGNAL))
          } while count < 0 && errno == EINTR
          return count == 4
        }
      }
    }
  }

  /// Waits for the next descriptor and its number; `nil` when nobody sends any more.
  static func receive(from socket: Int32) -> (file: Int32, number: Int32)? {
    var (number, file): (Int32, Int32) = (-1, -1)
    var control = [UInt64](repeating: 0, count: 3)
    let count = unsafe control.withUnsafeMutableBytes { control in
      unsafe withUnsafeMutableBytes(of: &number) { bytes in
        var vector = unsafe iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
        return unsafe withUnsafeMutablePointer(to: &vector) { vector in
          var message = unsafe msghdr()
          unsafe message.msg_iov = vector
          unsafe message.msg_iovlen = 1
          unsafe message.msg_control = control.baseAddress
          unsafe message.msg_controllen = control.count
          var count = -1
          repeat {
            count = unsafe recvmsg(socket, &message, Int32(MSG_CMSG_CLOEXEC))
          } while count < 0 && errno == EINTR
          let size = MemoryLayout<cmsghdr>.size
          guard count == 4, unsafe Int(message.msg_controllen) >= size + 4 else { return count }
          let header = unsafe control.load(as: cmsghdr.self)
          if header.cmsg_level == SOL_SOCKET, header.cmsg_type == Int32(SCM_RIGHTS) {
            file = unsafe control.load(fromByteOffset: size, as: Int32.self)
          }
          return count
        }
      }
    }
    return count == 4 ? (file, number) : nil
  }

  /// Says that a descriptor is in its place.
  static func answer(_ socket: Int32) {
    var byte: UInt8 = 1
    _ = unsafe Glibc.send(socket, &byte, 1, Int32(MSG_NOSIGNAL))
  }

  /// Waits until the other side says so; false when it has ended.
  static func waitForAnswer(_ socket: Int32) -> Bool {
    var byte: UInt8 = 0
    var count = -1
    repeat { count = unsafe recv(socket, &byte, 1, 0) } while count < 0 && errno == EINTR
    return count == 1
  }
}
