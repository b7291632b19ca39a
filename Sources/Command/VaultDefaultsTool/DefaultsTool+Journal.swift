import CVaultLinux
import FoundationEssentials
import Glibc
import VaultPreferences
import VaultStorage

/// The verbs that use the journal: `history`, `undo`, `snapshot`, `diff`, `protect`, `watch`.
extension DefaultsTool {
  func history(_ arguments: ArraySlice<String>) throws {
    var words = arguments
    let options = try DefaultsOptions.takeAll(
      &words, flags: ["--json"], values: ["--limit", "--since"])
    let (domain, key) = try domainAndKey(&words)
    let limit = try Self.count(options.value("--limit") ?? "50", "--limit")
    var changes = try reading()?.changes(in: domain, key: key) ?? []
    if domain == nil, desktop != nil { changes.removeAll { !isMeant($0.domain.name) } }
    if let text = options.value("--since") {
      let start = try since(text)
      changes.removeAll { $0.date < start }
    }
    for change in changes.suffix(limit) {
      print(options.has("--json") ? ChangeText.json(change) : ChangeText.line(change))
    }
  }

  /// A number from 1.
  static func count(_ text: String, _ name: String) throws -> Int {
    guard let count = Int(text), count > 0 else {
      throw DefaultsUsage(reason: "\(name) is a number from 1, and not '\(text)'")
    }
    return count
  }

  private func domainAndKey(
    _ words: inout ArraySlice<String>
  ) throws -> (PreferenceDomain?, String?) {
    guard !words.isEmpty else { return (nil, nil) }
    guard case .stored(let domain) = try take(&words) else {
      throw DefaultsRefusal("A file has no journal.")
    }
    let key = words.popFirst()
    guard words.isEmpty else { throw DefaultsUsage() }
    return (domain, key)
  }

  /// A moment: a date, or how long ago it was: `90s`, `10m`, `2h`, `3d`.
  private func since(_ text: String) throws -> Date {
    let units: [Unicode.Scalar: Double] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
    if let unit = text.unicodeScalars.last, let length = units[unit],
      let count = Double(text.dropLast())
    {
      return Date(timeIntervalSinceNow: -count * length)
    }
    guard let date = DefaultsNumber.date(text, now: Date()) else {
      throw DefaultsUsage(reason: "'\(text)' is neither a date nor a time such as 90s, 10m, 2h, 3d")
    }
    return date
  }

  func undo(_ arguments: ArraySlice<String>) throws {
    var words = arguments
    let options = try DefaultsOptions.takeAll(
      &words, flags: ["--force", "--dry-run"], values: ["--since", "--transaction"])
    if options.value("--transaction") != nil, options.value("--since") != nil {
      throw DefaultsUsage(reason: "--since and --transaction each say what is meant: write one")
    }
    let nothing = DefaultsRefusal("There is nothing to undo.")
    guard try reading() != nil else { throw nothing }
    try catchUpCopies()
    let undoing: PreferenceDatabase.Undoing
    if let text = options.value("--transaction") {
      guard words.isEmpty else { throw DefaultsUsage() }
      guard let number = Int64(text), number > 0 else {
        throw DefaultsUsage(
          reason: "--transaction is a number that history shows, and not '\(text)'")
      }
      undoing = .transactions([number])
    } else if let text = options.value("--since") {
      guard words.isEmpty else { throw DefaultsUsage() }
      undoing = .since(try since(text))
    } else {
      let count = try Self.count(words.popFirst() ?? "1", "the count")
      guard words.isEmpty else { throw DefaultsUsage() }
      undoing = .latest(count)
    }
    let isDryRun = options.has("--dry-run")
    let (changes, count, left): ([PreferenceChange], Int, [String])
    do {
      func undo(_ database: PreferenceDatabase) throws -> ([PreferenceChange], Int, [String]) {
        let (changes, count) = try database.undo(
          undoing, isForced: options.has("--force"), isDryRun: isDryRun,
          where: desktop == nil ? nil : { self.isMeant($0.name) })
        return (changes, count, database.leftByUndo)
      }
      (changes, count, left) = try isDryRun ? trying(undo) : undo(writing())
    } catch let error as PreferenceError where error.code == .notFound {
      throw DefaultsRefusal(
        "\(error.message)\nNothing was taken back. history shows what is left; undo --transaction "
          + "takes back one of it that is whole.")
    } catch let error as PreferenceError where error.code == .conflict {
      throw DefaultsRefusal(
        "\(error.message)\nNothing was taken back. With --force, what was changed since is lost.")
    }
    guard count > 0 else { throw nothing }
    for reason in left { warn("\(reason); it was left as it is") }
    // What the desktop refuses is not taken back, and must not be said.
    if !isDryRun { try pushToDesktop() }
    for change in changes { print(ChangeText.line(change)) }
    print(
      "\(isDryRun ? "Would take back" : "Took back") \(changes.count) "
        + "change\(changes.count == 1 ? "" : "s") of \(count) "
        + "transaction\(count == 1 ? "" : "s").")
  }

  /// `protect`, `unprotect`: without `-currentHost` or `-host`, for all parts of a domain.
  func protect(_ arguments: ArraySlice<String>, isOn: Bool) throws {
    var words = arguments
    _ = try DefaultsOptions.takeAll(&words, flags: [])
    guard case .stored(let domain) = try take(&words), words.isEmpty else { throw DefaultsUsage() }
    if isOn, source(of: domain.name) != nil {
      throw DefaultsRefusal(
        "\(domain.name) is a copy of what the desktop has in plain text; to protect it would hide "
          + "nothing.\nDefaults have not been changed.")
    }
    let database = try writing()
    let domains = host == .any ? try database.parts(of: domain.name) : [domain]
    if isOn {
      // Also if it is protected already: last time another program may have prevented the
      // scrubbing.
      _ = try database.protect(domains)
      try database.scrub()
    } else {
      try database.unprotect(domains)
    }
  }

  /// `watch`: prints each change as it is committed, by any process, until it is stopped.
  func watch(_ arguments: ArraySlice<String>) throws {
    var words = arguments
    let options = try DefaultsOptions.takeAll(
      &words, flags: ["--json"], values: ["--since", "--count"])
    let (domain, key) = try domainAndKey(&words)
    var left = try options.value("--count").map { try Self.count($0, "--count") }
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe2(&ends, O_CLOEXEC | O_NONBLOCK) == 0 else {
      throw DefaultsRefusal("cannot make a pipe")
    }
    let (read, write) = (ends[0], ends[1])
    let signal = ChangeSignal(try location())
    defer { withExtendedLifetime(signal) {} }
    var isObserved = try observe(signal, waking: write)
    var sequence = try reading()?.latestSequence() ?? 0
    if let text = options.value("--since") {
      guard let number = Int64(text), number >= 0 else {
        throw DefaultsUsage(
          reason: "--since is the number of a change, and not '\(text)'")
      }
      if number <= sequence, let last = try reading()?.gap(after: number, in: domain) {
        if options.has("--json") {
          print(ChangeText.gap(after: number, to: last))
        } else {
          warn(
            "the journal lacks changes between \(number) and \(last + 1); "
              + "read the values again")
        }
      }
      sequence = number
    }
    while true {
      let latest = try reading()?.latestSequence() ?? 0
      if latest < sequence {
        if options.has("--json") {
          print(ChangeText.gap(after: sequence, to: latest))
        } else {
          warn(
            "the journal ends at \(latest), before \(sequence): it is another one; read the values "
              + "again")
        }
        sequence = latest
      }
      for change in try reading()?.changes(after: sequence) ?? [] {
        sequence = change.sequence
        guard domain == nil || change.domain == domain, key == nil || change.key == key else {
          continue
        }
        if change.kind == .makeDomain { continue }
        print(options.has("--json") ? ChangeText.json(change) : ChangeText.line(change))
        if let count = left {
          if count == 1 { return }
          left = count - 1
        }
      }
      var waiting = pollfd(fd: read, events: Int16(POLLIN), revents: 0)
      unsafe poll(&waiting, 1, isObserved ? -1 : Self.retry)
      var bytes = [UInt8](repeating: 0, count: 64)
      while unsafe Glibc.read(read, &bytes, 64) > 0 {}
      // The store may have been made anew meanwhile.
      close()
      if !isObserved { isObserved = try observe(signal, waking: write, isSilent: true) }
    }
  }

  /// Has each change of the store wake what waits.
  ///
  /// - Returns: False where the folder of the store is not there and cannot be made: then there is no
  ///   store, and what waits looks again.
  private func observe(
    _ signal: ChangeSignal, waking end: Int32, isSilent: Bool = false
  ) throws -> Bool {
    do throws(StorageError) {
      try signal.observe { Self.wake(end) }
    } catch {
      guard error.isOfNoPlaceToWrite else { throw error }
      if !isSilent { warn("there is no store yet, and none can be made: \(error.message)") }
      return false
    }
    return true
  }

  /// Wakes what waits at the other end of a pipe; if that is full, a wake-up is pending already.
  private static func wake(_ end: Int32) {
    var byte: UInt8 = 1
    _ = unsafe Glibc.write(end, &byte, 1)
  }
}
