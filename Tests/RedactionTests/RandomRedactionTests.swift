import Testing
import VaultRedaction
import VaultSealing

/// Random secrets in random texts, in random pieces: the stream does what the reference does.
struct RandomRedactionTests {
  static func redacted(
    _ pieces: [ArraySlice<UInt8>], _ redactor: Redactor, pauses: Bool = false
  ) throws -> [UInt8] {
    let stream = try RedactingStream(redactor, capacity: 64)
    var output: [UInt8] = []
    for piece in pieces {
      try piece.withRawSpan { try stream.append($0) }
      stream.take(into: &output)
      if pauses { stream.takeAfterPause(&output) }
    }
    stream.takeAll(into: &output)
    return output
  }

  /// Without what may be kept between two characters of a secret: there the reference keeps
  /// nothing.
  static func withoutGaps(_ text: [UInt8]) -> [UInt8] {
    let gaps = Set(RandomText.sequences.flatMap { $0 } + [10, 13, 32])
    return text.split(separator: Redactor.replacement, omittingEmptySubsequences: false)
      .map { $0.filter { !gaps.contains($0) } }.joined(separator: [0]).map { $0 }
  }

  @Test(arguments: 0..<8)
  func theStreamDoesWhatTheReferenceDoes(_ part: UInt64) throws {
    var found = 0
    for seed in part * 12..<(part + 1) * 12 {
      var random = RandomText(seed: seed)
      let redactor = try Redactor(try random.secrets.map { try SecretBytes(copying: $0) })
      let reference = ReferenceMasker(random.secrets)
      for _ in 0..<2 {
        let text = random.text()
        let expected = reference.masked(text)
        let pieces = random.pieces(of: text)
        let output = try Self.redacted(pieces, redactor)
        #expect(
          Self.withoutGaps(output) == Self.withoutGaps(expected),
          """
          seed \(seed): \(random.secrets.map { String(decoding: $0, as: UTF8.self).debugDescription })
          text \(String(decoding: text, as: UTF8.self).debugDescription)
          expected \(String(decoding: expected, as: UTF8.self).debugDescription)
          output \(String(decoding: output, as: UTF8.self).debugDescription)
          """)
        // Gaps and all, the pieces make no difference.
        #expect(try Self.redacted([text[...]], redactor) == output, "seed \(seed)")
        if output != text { found += 1 }
      }
    }
    // Otherwise nothing was tried.
    #expect(found > 12)
  }
}
