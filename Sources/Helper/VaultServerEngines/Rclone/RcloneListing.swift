import VaultStorage
import VaultSync
import VaultSyncEngines

/// What a remote says that it has of a space: names alone, and of sizes only what fits together.
struct RcloneListing {
  /// Where the records of a stream lie.
  struct Places {
    /// Those that lie alone, with the sizes that the remote tells.
    var single: [UInt64: Int] = [:]
    /// Several in a file.
    var packs: [ClosedRange<UInt64>: Int] = [:]

    /// Whether a record is there.
    func has(_ number: UInt64) -> Bool { single[number] != nil || pack(of: number) != nil }

    /// The pack of a record.
    func pack(of number: UInt64) -> ClosedRange<UInt64>? {
      packs.keys.filter { $0.contains(number) }
        .max { ($0.lowerBound, $1.upperBound) > ($1.lowerBound, $0.upperBound) }
    }

    /// The number of the first record.
    var oldest: UInt64? { (packs.keys.map(\.lowerBound) + single.keys).min() }

    /// The number of the last record behind one, where there is none missing between.
    ///
    /// As with a folder, records may be missing before: a snapshot stands in for them.
    func last(behind number: UInt64) -> UInt64? {
      guard var last = first(behind: number) else { return nil }
      if let pack = pack(of: last) { last = pack.upperBound }
      while has(last + 1) { last = pack(of: last + 1)?.upperBound ?? last + 1 }
      return last
    }

    private func first(behind number: UInt64) -> UInt64? {
      let next = number + 1
      if has(next) { return next }
      if let first = packs.keys.map(\.lowerBound).filter({ $0 >= next }).min() { return first }
      guard !has(number) else { return nil }
      return single.keys.filter { $0 >= next }.min()
    }
  }

  /// The streams that have heads.
  var heads: [StreamID] = []
  /// The streams that have records.
  var streams: [StreamID: Places] = [:]

  /// Reads lines of `path TAB size`; names that are none of ours are passed over.
  init(_ lines: [UInt8]) {
    for line in lines.split(separator: 10) {
      let parts = line.split(separator: 9)
      guard let path = parts.first.flatMap({ String(validating: $0, as: UTF8.self) }) else {
        continue
      }
      let size = parts.count == 2 ? Int(String(decoding: parts[1], as: UTF8.self)) ?? 0 : 0
      let names = path.split(separator: "/", omittingEmptySubsequences: false)
      guard names.count > 1, let stream = StreamID(text: String(names[1])) else { continue }
      switch (names[0], names.count) {
      case ("h", 2): heads.append(stream)
      case ("s", 3):
        if let number = FolderNames.number(names[2]) {
          streams[stream, default: Places()].single[number] = max(0, size)
        }
      case ("p", 3):
        if let range = FolderNames.range(names[2]) {
          streams[stream, default: Places()].packs[range] = max(0, size)
        }
      default: continue
      }
    }
    heads.sort()
  }
}
