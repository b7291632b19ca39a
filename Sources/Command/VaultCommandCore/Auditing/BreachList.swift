import Glibc
import VaultSealing
import VaultStorage
import VaultTerminal

/// Where leaked passwords are looked up: the file or folder that HIBP's downloader makes, or a
/// service that answers ranges of digests.
///
/// https://haveibeenpwned.com/API/v3#SearchingPwnedPasswordsByRange
package enum BreachList {
  /// One file, sorted by digests.
  case file(String)
  /// A folder with a file for each range, `00000.txt` to `FFFFF.txt`.
  case folder(String)
  /// A service.
  case service(String)

  /// The service that everybody uses.
  package static let service = "https://api.pwnedpasswords.com"

  /// Reads what follows `--breaches`: `online`, an address, a file or a folder.
  ///
  /// - Parameter source: The text.
  /// - Throws: ``CommandError`` with code `.fileNotFound` or `.usage`.
  package init(_ source: String) throws {
    if source == "online" {
      self = .service(Self.service)
    } else if source.hasPrefix("https://") || source.hasPrefix("http://") {
      // Only what an address may hold: it becomes a line of curl's configuration.
      guard source.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C }) else {
        throw CommandError.usage("--breaches takes an address without blanks and quotes")
      }
      self = .service(source.hasSuffix("/") ? String(source.dropLast()) : source)
    } else if let status = try? System.targetStatus(of: source, in: AT_FDCWD) {
      self = status.isRegular ? .file(source) : .folder(source)
    } else {
      throw CommandError(
        .fileNotFound, "\(LineValue.shown(source)) does not exist",
        hint: "--breaches takes online, an address, or a file or folder of leaked passwords")
    }
  }

  /// How often each password was seen in leaks; 0 for one that was not.
  ///
  /// - Parameter hashes: The digests.
  /// - Returns: A number for each.
  /// - Throws: ``CommandError`` with code `.breachListUnavailable`, `.breachListUnreadable`.
  package func counts(of hashes: [BreachHash]) throws -> [Int] {
    switch self {
    case .file(let path):
      do {
        let file = try System.open(path, in: AT_FDCWD, flags: O_RDONLY)
        defer { System.close(file) }
        let size = try System.status(file).size
        return try hashes.map { try Self.count(of: $0, in: file, size, path) }
      } catch let error as System.Failure {
        throw Self.unavailable("\(Sanitizer.visible(path)) cannot be read: \(error.reason)")
      }
    case .folder(let path):
      return try hashes.map { hash in
        let range = "\(path)/\(hash.prefix).txt"
        guard let file = try? System.open(range, in: AT_FDCWD, flags: O_RDONLY),
          case let text? = try? System.readAll(file, expected: 1 << 16, limit: 16 << 20)
        else {
          throw Self.unavailable("\(Sanitizer.visible(range)) is missing, or cannot be read")
        }
        System.close(file)
        guard let count = BreachLine.count(of: hash, inRange: text[...]) else {
          throw Self.unreadable(range)
        }
        return count
      }
    case .service(let address):
      return try Self.counts(of: hashes, by: address)
    }
  }

  // MARK: - A sorted file

  /// The longest line is 40 digits, a colon, a number and an end of line.
  private static let longestLine = 64

  /// Finds a digest by halves: some thirty reads in a file of 40 GB.
  private static func count(
    of hash: BreachHash, in file: Int32, _ size: Int, _ path: String
  ) throws -> Int {
    var (low, high) = (0, size)
    var (before, after): (ArraySlice<UInt8>, ArraySlice<UInt8>) = ([], [])
    while low < high {
      let middle = (low + high) / 2
      let begin = max(low, middle - longestLine)
      var bytes = [UInt8](repeating: 0, count: min(high, middle + longestLine) - begin)
      var span = bytes.mutableSpan
      var raw = unsafe span.mutableBytes
      let read = try System.read(file, from: begin, into: &raw, at: 0..<raw.byteCount)
      let known = bytes[..<read]
      let newline = UInt8(ascii: "\n")
      let start =
        known[..<min(middle - begin, read)].lastIndex(of: newline).map { $0 + 1 } ?? 0
      let end = known[start...].firstIndex(of: newline) ?? read
      // A line that does not begin where one was expected is longer than any of such a list.
      guard start > 0 || begin == low, end < read || begin + read == size,
        let line = BreachLine(known[start..<end]), let order = hash.compared(with: line.digits)
      else { throw unreadable(path) }
      if order == 0 { return line.count }
      // What is read must lie between what was read before: else the file is sorted otherwise.
      guard before.isEmpty || before.lexicographicallyPrecedes(line.digits),
        after.isEmpty || line.digits.lexicographicallyPrecedes(after)
      else {
        throw CommandError(
          .breachListUnreadable, "\(Sanitizer.visible(path)) is not sorted by hash",
          hint: "take the list that is ordered by hash")
      }
      if order < 0 {
        (high, after) = (begin + start, line.digits)
      } else {
        (low, before) = (begin + end + 1, line.digits)
      }
    }
    return 0
  }

  // MARK: - A service

  /// Asks a service for the ranges, by the user's curl, in one run.
  private static func counts(of hashes: [BreachHash], by address: String) throws -> [Int] {
    guard !hashes.isEmpty else { return [] }
    let prefixes = Array(Set(hashes.map(\.prefix))).sorted()
    // What curl writes after each answer, which is a list of hex digits.
    let mark = ">status "
    // On curl's stdin: an argument would be seen by everybody on the machine.
    var configuration = """
      silent
      show-error
      location
      proto-redir = "=https"
      max-time = 300
      connect-timeout = 20
      user-agent = "vault-audit"
      header = "Add-Padding: true"
      write-out = "\\n\(mark)%{http_code}\\n"

      """
    for prefix in prefixes { configuration += "url = \"\(address)/range/\(prefix)\"\n" }
    let result = try ChildProgram.runInstalled(
      ["curl", "--disable", "--config", "-"], input: .bytes(try SecretBytes(text: configuration)))
    guard result.isSuccess else {
      throw unavailable("\(address) cannot be asked: curl ended with \(result.exitStatus)")
    }
    let text = result.output.withBytes { bytes in
      (0..<bytes.byteCount).map { bytes.byte(at: $0) }
    }
    var ranges: [String: ArraySlice<UInt8>] = [:]
    var begin = text.startIndex
    for line in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      guard line.starts(with: mark.utf8), ranges.count < prefixes.count else { continue }
      let status = String(decoding: line.dropFirst(mark.utf8.count), as: UTF8.self)
      guard status == "200" else { throw unavailable("\(address) answers with status \(status)") }
      ranges[prefixes[ranges.count]] = text[begin..<line.startIndex]
      begin = line.endIndex
    }
    return try hashes.map { hash in
      guard let range = ranges[hash.prefix],
        let count = BreachLine.count(of: hash, inRange: range)
      else { throw unreadable(address) }
      return count
    }
  }

  private static func unavailable(_ message: String) -> CommandError {
    CommandError(
      .breachListUnavailable, message, hint: "leave out --breaches to audit without it")
  }

  private static func unreadable(_ name: String) -> CommandError {
    CommandError(
      .breachListUnreadable,
      "\(Sanitizer.visible(name)) is not a list of leaked passwords by SHA-1 digests",
      hint: "its lines are HASH:COUNT")
  }
}
