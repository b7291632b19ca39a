import VaultSealing

/// Files that were merged into a vault: it descends from them, too.
///
/// Documentation/design/file-format.md, section 4, the setting `merged`. The list of ancestors has
/// one file for each generation, so those of a second branch stand here. A machine that last saw
/// one of them accepts the merged file.
struct MergedBranches {
  static let setting = "merged"
  /// The newest ones are kept.
  static let maximumCount = 256
  private static let length = 24

  private(set) var all: [VaultIndex.Ancestor]

  /// The files that an index names; what makes no sense is none.
  init(of index: VaultIndex) {
    let bytes = index.settings[Self.setting].flatMap(Hexadecimal.bytes) ?? []
    guard bytes.count.isMultiple(of: Self.length) else {
      all = []
      return
    }
    all = stride(from: 0, to: bytes.count, by: Self.length).map { start in
      let tag = start + 8
      return bytes.withRawSpan { span in
        VaultIndex.Ancestor(
          generation: span.littleEndian(UInt64.self, at: start), tag: Bytes16(of: span, at: tag))
      }
    }
  }

  /// Adds files that are not in the list.
  mutating func add(_ files: [VaultIndex.Ancestor]) {
    for file in files where !all.contains(file) { all.append(file) }
    all.sort { ($0.generation, $0.tag) < ($1.generation, $1.tag) }
    all.removeFirst(max(0, all.count - Self.maximumCount))
  }

  /// Hex digits; `nil` without a file.
  var text: String? {
    guard !all.isEmpty else { return nil }
    var writer = ByteWriter()
    for file in all {
      writer.put(file.generation)
      writer.put(file.tag)
    }
    return Hexadecimal.text(writer.bytes)
  }
}

extension VaultIndex {
  /// Whether the file of this index was written after another one, and knows of it.
  func descends(from file: Ancestor) -> Bool {
    if MergedBranches(of: self).all.contains(file) { return true }
    guard let oldest = ancestors.first, oldest.generation <= file.generation else {
      return Lineage(of: self)?.contains(generation: file.generation, tag: file.tag) ?? false
    }
    return ancestors.contains(file)
  }
}
