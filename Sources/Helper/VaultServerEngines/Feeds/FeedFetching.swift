import VaultStorage
import VaultSync
import VaultSyncEngines

/// Fetches the files of a mirror from a web server: RFC 9110 and 9111.
///
/// TLS is verified. It is led elsewhere five times at most, and only to https, or to another place of
/// the same server. Nothing is sent but what a file is asked for by.
struct FeedFetching {
  /// What a server answers.
  enum Found {
    /// The file, and its tag; empty for none.
    case file([UInt8], tag: [UInt8])
    /// The one of the tag.
    case same
    /// None.
    case none

    /// The answer to the program that asks.
    var fields: [[UInt8]] {
      switch self {
      case .file(let bytes, let tag): [Array("file".utf8), bytes, tag]
      case .same: [Array("same".utf8)]
      case .none: [Array("none".utf8)]
      }
    }
  }

  private let connection: CurlConnection

  /// Most bytes of the head of an answer.
  private static let headLength = 64 << 10
  private static let mostHops = 5
  private static let longestTag = 256

  init(seconds: Int) throws {
    let library = try CurlLibrary.open()
    do {
      connection = try CurlConnection(library, TLSFiles(), patience: max(2, seconds / 2))
    } catch {
      throw SyncError(.unavailable, "libcurl cannot be used: \(error.message)")
    }
  }

  /// Fetches a file.
  ///
  /// - Parameters:
  ///   - address: `https://…`, or http of this machine.
  ///   - tag: What the server said of the one that is known; empty for none.
  ///   - limit: Most bytes of it.
  /// - Returns: What the server answers.
  /// - Throws: `SyncError` with code `.unavailable`, `.notAllowed`.
  func file(at address: String, unless tag: [UInt8], limit: Int) throws -> Found {
    var address = try FeedAddress.checkedWeb(address)
    let limit = min(max(0, limit), SyncFeed.maximumFileLength)
    // A tag as a server may give one, and nothing that would be another line.
    let headers = Self.isTag(tag) ? ["If-None-Match: \(String(decoding: tag, as: UTF8.self))"] : []
    for _ in 0...Self.mostHops {
      let answer = try get(address, headers, limit)
      switch answer.status {
      case 200:
        return .file(answer.bytes, tag: answer.header("etag").flatMap(Self.tag) ?? [])
      case 304 where !headers.isEmpty: return .same
      case 404, 410: return .none
      case 301, 302, 303, 307, 308:
        address = try Self.next(answer.header("location"), from: address)
      default:
        throw SyncError(
          .unavailable, "the server answers \(answer.status) to \(Quoting.visible(address))",
          hint: "see what it says in a browser; the files of a mirror are for everybody")
      }
    }
    throw SyncError(
      .unavailable, "the server leads from one address to the next",
      hint: "see where it leads in a browser; its administrator has to correct that")
  }

  private static func tag(_ text: String) -> [UInt8]? {
    isTag(Array(text.utf8)) ? Array(text.utf8) : nil
  }

  private static func isTag(_ bytes: [UInt8]) -> Bool {
    !bytes.isEmpty && bytes.count <= longestTag && bytes.allSatisfy { (0x20...0x7E).contains($0) }
  }

  /// Where a server leads.
  private static func next(_ location: String?, from address: String) throws -> String {
    guard let location, !location.isEmpty else {
      throw SyncError(
        .unavailable, "the server leads elsewhere, and does not say where",
        hint: "its administrator has to correct that")
    }
    if location.hasPrefix("/"), !location.hasPrefix("//") {
      let start = address.hasPrefix("https://") ? 8 : 7
      let host = address.dropFirst(start).prefix { $0 != "/" }
      return try FeedAddress.checkedWeb(address.prefix(start) + host + location)
    }
    guard location.hasPrefix("https://") else {
      throw SyncError(
        .notAllowed, "the server leads to an address that is not https",
        hint: "its administrator has to correct that")
    }
    return try FeedAddress.checkedWeb(location)
  }

  // MARK: - One request

  private struct Answer {
    let status: Int
    let lines: [String]
    let bytes: [UInt8]

    /// The last line of a name, without it.
    func header(_ name: String) -> String? {
      lines.last { $0.lowercased().hasPrefix("\(name):") }.map { line in
        let value = line.utf8.drop { $0 != UInt8(ascii: ":") }.dropFirst()
        let start = value.drop { $0 == 0x20 || $0 == 0x09 }
        let end =
          start.lastIndex { $0 != 0x20 && $0 != 0x09 }.map { start[...$0] } ?? start.prefix(0)
        return String(Substring(end))
      }
    }
  }

  private func get(_ address: String, _ headers: [String], _ limit: Int) throws -> Answer {
    let answer: CurlConnection.Answer
    do {
      answer = try connection.get(address, headers: headers, limit: limit + Self.headLength)
    } catch {
      guard error.code != CurlConnection.tooLong else { throw Self.tooLong(address) }
      throw SyncError(
        .unavailable,
        "\(Quoting.visible(address)) cannot be reached: \(Quoting.visible(error.message))",
        hint: error.isOfCertificate
          ? "look whose certificate it is: somebody may be in between; if it is right, its root has to be "
            + "among those of this machine" : "try again later")
    }
    var (start, lines): (Int, [String]) = (0, [])
    // Lines of an answer that only says that another one comes stand before it.
    while answer.body[start...].starts(with: Array("HTTP/".utf8)) {
      guard let end = Self.end(ofHead: answer.body, from: start), end - start <= Self.headLength
      else { break }
      lines = answer.body[start..<end].split(separator: 0x0A).map { line in
        String(decoding: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self)
      }
      start = end
      guard lines.first?.split(separator: " ").dropFirst().first?.hasPrefix("1") == true else {
        break
      }
    }
    let bytes = Array(answer.body[start...])
    guard bytes.count <= limit else { throw Self.tooLong(address) }
    return Answer(status: answer.status, lines: lines, bytes: bytes)
  }

  private static func tooLong(_ address: String) -> SyncError {
    SyncError(
      .unavailable, "what lies at \(Quoting.visible(address)) is too long for a file of a mirror",
      hint: "check the address")
  }

  /// The place behind the empty line that ends a head.
  private static func end(ofHead bytes: [UInt8], from start: Int) -> Int? {
    var place = start
    while place < bytes.count {
      guard let newline = bytes[place...].firstIndex(of: 0x0A) else { return nil }
      let line = bytes[place..<newline]
      if line.isEmpty || Array(line) == [0x0D] { return newline + 1 }
      place = newline + 1
    }
    return nil
  }
}
