import Glibc
import VaultSealing

/// One end of a connection on which lines go both ways, none of them a secret.
///
/// It belongs to one thread, and nothing here waits: what cannot be written yet is kept, up to a
/// limit, beyond which the other end is one that does not read.
package final class LineConnection {
  /// The longest line, with its end.
  private static let maximumLine = 64 << 10
  private static let maximumQueue = 4 << 20
  private static let portion = 16 << 10

  package let socket: Int32
  private let input: LockedBuffer
  private var output: [UInt8] = []
  private var sent = 0
  /// Whether nothing comes or goes any more.
  package private(set) var hasEnded = false

  /// A connection, which closes the socket when it goes.
  ///
  /// - Throws: `SealingError` with code `.outOfMemory`.
  package init(socket: Int32) throws {
    self.socket = socket
    do {
      input = try LockedBuffer(capacity: 1024)
    } catch {
      close(socket)
      throw error
    }
  }

  deinit { close(socket) }

  /// Whether something is to be written.
  package var wantsToWrite: Bool { sent < output.count && !hasEnded }

  /// Takes in what has come.
  package func read() {
    guard !hasEnded else { return }
    switch try? LocalSocket.receive(socket, into: input, atMost: Self.portion) {
    case .moved?, .later?: break
    case .ended?, nil: hasEnded = true
    }
  }

  /// The next whole line, without its end; `nil` while there is none.
  ///
  /// A line that is too long ends the connection.
  package func next() -> [UInt8]? {
    let length = input.withBytes { bytes in
      (0..<bytes.byteCount).first { bytes.byte(at: $0) == 0x0A }
    }
    guard let length else {
      if input.count >= Self.maximumLine { hasEnded = true }
      return nil
    }
    let line = input.withBytes { bytes in (0..<length).map { bytes.byte(at: $0) } }
    input.removeFirst(length + 1)
    return line
  }

  /// Sends a line, at once or as soon as the other end reads.
  ///
  /// - Parameter line: The line without its end; no line break is in it.
  package func send(_ line: [UInt8]) {
    guard !hasEnded else { return }
    guard output.count - sent + line.count < Self.maximumQueue else { return end() }
    output += line + [0x0A]
    write()
  }

  /// Writes what is left.
  package func write() {
    while wantsToWrite {
      switch output.withRawSpan({ LocalSocket.send(socket, $0.extracting(sent..<$0.byteCount)) }) {
      case .moved(let count): sent += count
      case .later: return
      case .ended: end()
      }
    }
    (output, sent) = ([], 0)
  }

  /// Ends the connection.
  package func end() { hasEnded = true }
}
