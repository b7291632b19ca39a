import Glibc
package import VaultSealing

/// How a password is made, and exactly how many there are of its kind.
///
/// Every password of a recipe is equally likely: each choice is one of libsodium's unbiased numbers, and one that
/// lacks a kind of character is thrown away whole instead of being mended.
package struct PasswordRecipe: Sendable {
  /// A piece of a password.
  enum Piece: Sendable {
    /// Always the same.
    case literal([UInt8])
    /// One of these, equally likely; no one begins with another.
    case choice([[UInt8]])
    /// One word of the list.
    case word(isCapitalized: Bool)
  }

  let pieces: [Piece]
  /// For each kind that must be there, its characters; no character is of two kinds.
  let required: [Set<[UInt8]>]
  /// What it is, in words.
  package let summary: String

  /// Below this a password does not stand against somebody who has a hash of it and fast machines.
  static let weakBelow = 64.0

  /// The logarithm of the number of passwords, to base 2; each is equally likely.
  package var bits: Double {
    let all = pieces.reduce(0.0) { sum, piece in
      switch piece {
      case .literal: sum
      case .choice(let values): sum + log2(Double(values.count))
      case .word: sum + log2(Double(LongWordList.count))
      }
    }
    return all + log2(shareWithAllKinds)
  }

  package var isWeak: Bool { bits < Self.weakBelow }

  /// The share of all sequences that have every required kind: inclusion and exclusion over the kinds.
  private var shareWithAllKinds: Double {
    guard !required.isEmpty, case .choice(let values)? = pieces.first else { return 1 }
    let total = Double(values.count)
    var share = 0.0
    for subset in 0..<(1 << required.count) {
      let missing = required.indices.filter { subset >> $0 & 1 == 1 }
      let left = total - Double(missing.reduce(0) { $0 + required[$1].count })
      share += (missing.count % 2 == 0 ? 1 : -1) * pow(left / total, Double(pieces.count))
    }
    return share
  }

  /// A new password, in locked memory.
  package func make() throws -> SecretBytes {
    while true {
      if let password = try drawn() { return password }
    }
  }

  /// One draw; `nil` where a required kind is missing.
  private func drawn() throws -> SecretBytes? {
    var missing = required
    let words = LongWordList.shared
    let capacity = pieces.reduce(0) { sum, piece in
      switch piece {
      case .literal(let bytes): sum + bytes.count
      case .choice(let values): sum + (values.map(\.count).max() ?? 0)
      case .word: sum + LongWordList.longest
      }
    }
    let password = try SecretBytes(capacity: capacity) { output in
      var position = 0
      func put(_ byte: UInt8) {
        output.write(byte: byte, at: position)
        position += 1
      }
      for piece in pieces {
        switch piece {
        case .literal(let bytes): bytes.forEach(put)
        case .choice(let values):
          let value = values[Int(RandomBytes.uniform(below: UInt32(values.count)))]
          missing.removeAll { $0.contains(value) }
          value.forEach(put)
        case .word(let isCapitalized):
          let word = words[Int(RandomBytes.uniform(below: UInt32(LongWordList.count)))]
          for (number, byte) in word.enumerated() {
            // All words begin with a small letter.
            put(isCapitalized && number == 0 ? byte - 0x20 : byte)
          }
        }
      }
      return position
    }
    return missing.isEmpty ? password : nil
  }
}

extension PasswordRecipe {
  /// The lengths that are made.
  package static let lengths = 1...4096
  /// The numbers of words that are made.
  package static let wordCounts = 1...100

  /// Characters of some kinds, at least one of each.
  ///
  /// - Throws: ``CommandError`` with code `usage` where nothing is left of a kind, or it is too short for all.
  package init(
    length: Int, classes: [CharacterClass], excluding excluded: Set<Unicode.Scalar> = []
  ) throws {
    guard Self.lengths.contains(length) else {
      throw CommandError.usage(
        "--length is not a number from \(Self.lengths.lowerBound) to \(Self.lengths.upperBound)")
    }
    guard !classes.isEmpty else {
      throw CommandError.usage(
        "no kind of character is left", hint: "such as: vault generate --lower --digits")
    }
    let kinds = classes.map { kind in
      Set(kind.characters.filter { !excluded.contains($0) }.map { Array(String($0).utf8) })
    }
    for (kind, values) in zip(classes, kinds) where values.isEmpty {
      throw CommandError.usage(
        "--exclude leaves nothing of the \(kind.rawValue)", hint: "add --no-\(kind.rawValue)")
    }
    guard length >= kinds.count else {
      throw CommandError.usage(
        "--length \(length) has no room for one of each of \(kinds.count) kinds",
        hint: "leave kinds out, such as: --no-symbols")
    }
    let values = kinds.flatMap { $0 }.sorted { $0.lexicographicallyPrecedes($1) }
    pieces = Array(repeating: .choice(values), count: length)
    required = kinds.count > 1 ? kinds : []
    let names = classes.map(\.rawValue).joined(separator: ", ")
    summary =
      "\(length) characters of \(values.count)"
      + (kinds.count > 1 ? ", at least one of each: \(names)" : ": \(names)")
  }

  /// Words of the list.
  ///
  /// - Throws: ``CommandError`` with code `usage`.
  package init(words: Int, separator: String, isCapitalized: Bool) throws {
    guard Self.wordCounts.contains(words) else {
      throw CommandError.usage(
        "--words is not a number from \(Self.wordCounts.lowerBound) to \(Self.wordCounts.upperBound)"
      )
    }
    guard separator.utf8.count <= 64 else {
      throw CommandError.usage("--separator has at most 64 bytes")
    }
    let between = Piece.literal(Array(separator.utf8))
    pieces = (0..<words).flatMap { number -> [Piece] in
      number == 0
        ? [.word(isCapitalized: isCapitalized)] : [between, .word(isCapitalized: isCapitalized)]
    }
    required = []
    summary = "\(words) words of \(LongWordList.count)"
  }
}
