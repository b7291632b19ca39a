import Foundation
import TestSupport
import Testing
import VaultDataImport

/// DEFLATE, against what zlib wrote.
struct InflateTests {
  /// Base64 of `zlib.compressobj(9, DEFLATED, -15)` in Python, and what went in.
  private static let vectors: [(compressed: String, bytes: [UInt8])] = [
    ("S0yEgaREBBMA", Array("aaaaaaaaaabaaaaaaaaaab".utf8)),
    (
      """
      c84vSlVwSSxJVMhOTS0oVkhUyM1PSc1RyMxTKMlIVSguAcrrKTiPqhpVNapqVNWoqiGuioGRiZmFlY2dg5OLm4eXj19AUEhYRFRMXEJS\
      SlpGVk5eQVFJWUVVTV1DU0tbR1dP38DQyNjE1MzcwtLK2sbWzt7B0cnZxdXN3cPTy9vH188/IDAoOCQ0LDwiMio6JjYuPiExKTklNS09\
      IzMrOyc3L7+gsKi4pLSsvKKyqrqmtq6+obGpuaW1rb2js6u7p7evf8LESZOnTJ02fcbMWbPnzJ03f8HCRYuXLF22fMXKVavXrF23fsPG\
      TZu3bN22fcfOXbv37N23/8DBQ4ePHD12/MTJU6fPnD13/sLFS5evXL12/cbNW7fv3L13/8HDR4+fPH32/MXLV6/fvH33/sPHT5+/fP32\
      /cfPX7///P33f6T7HwA=
      """,
      Array(String(repeating: "Core Data keeps a model in the store. ", count: 40).utf8)
        + (0...255) + (0...255)
    ),
    ("AQ4A8f9ub3QgY29tcHJlc3NlZA==", Array("not compressed".utf8)),
    ("AwA=", []),
  ]

  private func decoded(_ text: String) throws -> [UInt8] {
    Array(try #require(Data(base64Encoded: text)))
  }

  @Test func whatZlibWroteIsRead() throws {
    for (text, bytes) in Self.vectors {
      #expect(try Inflate.decompress(try decoded(text), limit: 5_000) == bytes)
    }
  }

  @Test func partsAndLimitsAreRefused() throws {
    for (text, bytes) in Self.vectors {
      let compressed = try decoded(text)
      for count in 0..<compressed.count {
        #expect(throws: Inflate.Failure.truncated) {
          try Inflate.decompress(Array(compressed.prefix(count)), limit: 5_000)
        }
      }
      guard !bytes.isEmpty else { continue }
      #expect(throws: Inflate.Failure.tooLarge) {
        try Inflate.decompress(compressed, limit: bytes.count - 1)
      }
    }
    // A block of no kind; a distance before the beginning.
    for bytes: [UInt8] in [[0x07], [0x4b, 0x04, 0x12, 0x00]] {
      #expect(throws: Inflate.Failure.self) { try Inflate.decompress(bytes, limit: 5_000) }
    }
  }

  @Test func changedBytesNeverEndTheProgram() throws {
    var mutations = Mutations(
      "Inflate", corpus: try Self.vectors.map { try decoded($0.compressed) })
    var refused = 0
    for _ in 0..<(3_000 * Mutations.rounds) {
      do {
        let bytes = try Inflate.decompress(mutations.input(), limit: 100_000)
        #expect(bytes.count <= 100_000)
      } catch {
        refused += 1
      }
    }
    #expect(refused > 0)
  }
}
