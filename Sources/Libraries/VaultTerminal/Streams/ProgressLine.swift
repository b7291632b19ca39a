import Glibc
import Synchronization
import VaultStorage

/// The progress of a long operation, on a line of stderr that is rewritten; on a terminal only.
///
/// Nothing appears in the first half second, so quick operations leave no trace. The line uses
/// plain characters and carriage returns, which every terminal has, and fits into the window.
/// Output to stdout or stderr removes it first. Where no step is done for a second, it says that the
/// work goes on; not while another program runs, which may ask something.
package final class ProgressLine: Sendable {
  private static let delay: Duration = .milliseconds(500)
  private static let pause: Duration = .milliseconds(100)
  /// How long nothing may change before the line says that the work goes on.
  private static let silence: Duration = .seconds(1)

  /// What is on the screen.
  private struct Screen {
    /// The width in columns of the line.
    var columns = 0
    /// When work began that has not ended yet; `nil` for none.
    var begun: ContinuousClock.Instant?
    /// When something was written.
    var written = ContinuousClock.now
    /// Whether a thread looks at the time.
    var isWatched = false

    mutating func show(_ line: String) {
      let width = DisplayWidth.of(line)
      let rest = max(0, columns - width)
      columns = width
      written = ContinuousClock.now
      let blanks = String(repeating: " ", count: rest)
      StandardError.writeAsIs("\r" + line + blanks + String(repeating: "\u{8}", count: rest))
    }
  }

  private static let screen = Mutex(Screen())

  private let doing: String
  private let start = ContinuousClock.now
  private let next: Mutex<ContinuousClock.Instant>

  /// Makes a line, which does not appear yet.
  ///
  /// - Parameter doing: The operation, such as `importing`.
  package init(_ doing: String) {
    self.doing = doing
    next = Mutex(start + Self.delay)
    if Self.isShown { Self.watch(since: start) }
  }

  /// Has a thread say that the work goes on where nothing else does.
  private static func watch(since start: ContinuousClock.Instant) {
    let isNew = screen.withLock { screen in
      screen.begun = screen.begun ?? start
      defer { screen.isWatched = true }
      return !screen.isWatched
    }
    guard isNew else { return }
    BlockingThread.start(name: "vault-progress") {
      while true {
        usleep(useconds_t(silence.components.seconds * 500_000))
        screen.withLock { screen in
          let now = ContinuousClock.now
          guard let begun = screen.begun, now - max(screen.written, begun) >= silence,
            !ProcessState.hasChildren
          else { return }
          let time = TimeSpan.text(Int((now - begun).components.seconds))
          screen.show(fitted(["working", time], lineWidth))
        }
      }
    }
  }

  /// Whether progress would be visible.
  package static var isShown: Bool { StandardError.isTerminal && !OutputOptions.isQuiet }

  /// Shows how much is done, if it is time for an update; cheap otherwise.
  package func show(_ done: Int, of total: Int) {
    show { elapsed, columns in
      Self.text(doing, done, of: total, elapsed: elapsed, columns: columns)
    }
  }

  /// Shows a text, if it is time for an update.
  package func show(_ text: String) { show { _, columns in Self.fitted([text + "…"], columns) } }

  /// Removes the line that is on the screen, if there is one: the work has ended, or says something.
  package static func end() {
    screen.withLock { screen in
      screen.begun = nil
      guard screen.columns > 0 else { return }
      StandardError.writeAsIs("\r" + String(repeating: " ", count: screen.columns) + "\r")
      screen.columns = 0
    }
  }

  /// Writing to the last column would move some terminals to the next line.
  private static var lineWidth: Int { max(1, (ProcessState.columns(of: 2) ?? 80) - 1) }

  private func show(_ text: (Duration, Int) -> String) {
    let now = ContinuousClock.now
    let isTime = next.withLock { next in
      guard now >= next else { return false }
      next = now + Self.pause
      return true
    }
    guard isTime, Self.isShown else { return }
    let line = text(now - start, Self.lineWidth)
    Self.screen.withLock { screen in
      screen.begun = screen.begun ?? now
      screen.show(line)
    }
  }

  /// `importing 812 of 5000, 16 %, 1204/s, 3 s left`; parts that do not fit are left out.
  package static func text(
    _ doing: String, _ done: Int, of total: Int, elapsed: Duration, columns: Int
  ) -> String {
    let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
    var parts = ["\(doing) \(done) of \(total)"]
    if total > 0 { parts.append("\(done * 100 / total) %") }
    if done > 0, seconds > 0, done <= total {
      let rate = Double(done) / seconds
      let rounded = rate >= 10 ? "\(Int(rate))" : "\(Int(rate)).\(Int(rate * 10) % 10)"
      let left = TimeSpan.text(Int((Double(total - done) / rate).rounded(.up)))
      parts += ["\(left) left", "\(rounded)/s"]
    }
    return fitted(parts, columns)
  }

  private static func fitted(_ parts: [String], _ columns: Int) -> String {
    var line = DisplayWidth.cut(Sanitizer.visible(parts[0]), to: columns)
    for part in parts.dropFirst() {
      let longer = "\(line), \(part)"
      guard DisplayWidth.of(longer) <= columns else { break }
      line = longer
    }
    return line
  }
}
