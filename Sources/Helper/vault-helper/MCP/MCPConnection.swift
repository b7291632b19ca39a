import Glibc
import VaultDBus
import VaultSealing
import VaultStorage

/// stdin and stdout of this process: one JSON message a line, as MCP's stdio transport has it.
///
/// It belongs to one thread, and nothing here waits: what the client does not read yet is kept, up to
/// a limit, and nothing more is read from it meanwhile.
final class MCPConnection {
  /// The longest line that is read.
  static let maximumLine = 1 << 20
  /// More that waits to be written is more than all answers that may be under way come to.
  private static let maximumQueue = 16 << 20
  /// While so much waits to be written, nothing is read.
  private static let highMark = 1 << 20
  private static let portion = 64 << 10
  /// A pipe that can be written takes so much at once: pipe(7), `PIPE_BUF`.
  private static let piece = 4096

  /// What came.
  enum Line {
    case text([UInt8])
    case tooLong
  }

  private var input: [UInt8] = []
  /// Where the next line begins, and up to where there is no end of it.
  private var (start, scanned) = (0, 0)
  private var isSkipping = false
  private var output: [UInt8] = []
  private var written = 0
  private(set) var hasEnded = false

  var wantsToRead: Bool { !hasEnded && output.count - written < Self.highMark }
  var wantsToWrite: Bool { !hasEnded && written < output.count }

  /// Takes in what has come; to be called where stdin can be read.
  func read() {
    guard !hasEnded else { return }
    var bytes = [UInt8](repeating: 0, count: Self.portion)
    var span = bytes.mutableSpan
    var room = unsafe span.mutableBytes
    do {
      let count = try System.read(STDIN_FILENO, into: &room)
      guard count > 0 else { return end() }
      input += bytes[..<count]
    } catch {
      if error.errno != EAGAIN, error.errno != EINTR { end() }
    }
  }

  /// The next whole line, without its end; `nil` while there is none.
  func next() -> Line? {
    while let length = input[scanned...].firstIndex(of: 0x0A) {
      let line = input[start..<length]
      (start, scanned) = (length + 1, length + 1)
      if isSkipping {
        isSkipping = false
        return .tooLong
      }
      guard line.count <= Self.maximumLine else { return .tooLong }
      let text = line.last == 0x0D ? line.dropLast() : line
      if !text.isEmpty { return .text(Array(text)) }
    }
    input.removeFirst(start)
    start = 0
    if isSkipping || input.count > Self.maximumLine {
      isSkipping = true
      input = []
    }
    scanned = input.count
    return nil
  }

  /// Sends a message, at once or as soon as the client reads.
  func send(_ message: JSONValue) {
    guard !hasEnded else { return }
    let line = message.text().utf8
    guard output.count - written + line.count < Self.maximumQueue else { return end() }
    if written > 0, !wantsToWrite { (output, written) = ([], 0) }
    output += line
    output.append(0x0A)
    write()
  }

  /// Writes what stdout takes without waiting.
  func write() {
    while wantsToWrite {
      let ready = LocalSocket.wait(for: [(STDOUT_FILENO, false, true)], milliseconds: 0)[0]
      guard ready.writes else {
        // Nobody reads any more, which a full pipe says so.
        if ready.reads { self.end() }
        return
      }
      let end = min(output.count, written + Self.piece)
      do {
        try output[written..<end].withRawSpan { try System.writeAll(STDOUT_FILENO, $0) }
        written = end
      } catch {
        return self.end()
      }
    }
    (output, written) = ([], 0)
  }

  func end() { hasEnded = true }
}
