import VaultPreferences

/// What a line sets on the desktop, with what was there before.
final class DesktopPush {
  let source: any DesktopSource
  let wanted: [DesktopChange]
  /// What the desktop had; `nil` until it was asked.
  private var before: [String: [String: PreferenceValue]]?

  init(_ source: any DesktopSource, _ wanted: [DesktopChange]) {
    self.source = source
    self.wanted = wanted
  }

  /// Asks the desktop what it has, before something is set.
  func prepare() throws { before = try current() }

  /// Sets it: at once, or key by key.
  ///
  /// - Parameter check: Is called before each key, and throws where no more is to be set.
  /// - Throws: ``DefaultsRefusal``; what `check` throws.
  func set(_ check: () throws -> Void) throws {
    guard !type(of: source).setsAtOnce else { return try source.push(wanted) }
    for change in wanted {
      try check()
      try source.push([change])
    }
  }

  private func current() throws -> [String: [String: PreferenceValue]] {
    try source.current(beside: Set(wanted.map(\.domain)))
  }

  /// Sets what was there before again.
  ///
  /// - Returns: Whether the desktop has it.
  func putBack() -> Bool {
    guard before != nil else { return true }
    let all = different() ?? []
    if type(of: source).setsAtOnce, (try? source.push(all)) != nil {
      return different()?.isEmpty == true
    }
    for former in all { try? source.push([former]) }
    return different()?.isEmpty == true
  }

  /// What the desktop had where it has something else now; `nil` if that cannot be read.
  private func different() -> [DesktopChange]? {
    guard let before, let now = try? current() else { return nil }
    return wanted.compactMap { change in
      let (old, new) = (before[change.domain]?[change.key], now[change.domain]?[change.key])
      guard !source.isSame(old, new, of: change.key, in: change.domain) else { return nil }
      return DesktopChange(domain: change.domain, key: change.key, value: old)
    }
  }
}
