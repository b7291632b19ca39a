/// How far a long command is, on a line of stderr that is written over; on a terminal only.
///
/// Nothing appears in the first half second, so that a quick command leaves no trace.
final class ProgressLine {
  let isShown: Bool
  private let start = ContinuousClock.now
  private var next: ContinuousClock.Instant
  private var isOnScreen = false
  private static let pause: Duration = .milliseconds(100)
  // "Erase in line": ECMA-48, 8.3.41.
  private static let erase = "\r\u{1B}[K"

  init(isShown: Bool = StandardError.isTerminal) {
    self.isShown = isShown
    next = start + .milliseconds(500)
  }

  /// Shows `text` if it is time; cheap otherwise.
  func show(_ text: @autoclosure () -> String) {
    guard isShown, case let now = ContinuousClock.now, now >= next else { return }
    next = now + Self.pause
    isOnScreen = true
    StandardError.write(Self.erase + Sanitizer.visible(text()) + "…")
  }

  /// Takes the line away.
  func end() {
    guard isOnScreen else { return }
    isOnScreen = false
    StandardError.write(Self.erase)
  }
}
