import Glibc
public import VaultSealing

/// A way to make passwords, with the exact number of passwords that it can make.
///
/// There are three ways to say what you want: characters of some classes, words, or a pattern.
/// Every password of a recipe is equally likely, so ``bits`` is exact.
///
/// ```swift
/// let recipe = try PasswordRecipe(length: 24, classes: [.lower, .upper, .digits])
/// let password = try recipe.makePassword()
/// password.withBytes { bytes in print(bytes.byteCount) }                // 24
/// print(try PasswordRecipe(words: 6).bits)                              // 77.5…
/// print(try PasswordRecipe(pattern: "Wd{2}-l{4}").isWeak)               // true
/// ```
///
/// A recipe is a value without a password in it; make as many passwords of it as you like.
public struct PasswordRecipe: Equatable, Sendable {
  /// A piece of a password.
  enum Piece: Equatable, Sendable {
    /// Always the same.
    case literal([UInt8])
    /// One of these, equally likely; none is a prefix of another.
    case choice([[UInt8]])
    /// One word of the list.
    case word(isCapitalized: Bool)
  }

  let pieces: [Piece]
  /// For each kind that must be there, its characters; no character is of two kinds.
  let required: [Set<[UInt8]>]
  /// A description for a person, such as "6 words of 7776".
  public let summary: String

  /// The bits that a password needs to resist an attacker with its hash and fast machines.
  public static let recommendedBits = 64.0
  /// The lengths that a recipe of characters accepts, and the most pieces of a pattern.
  public static let lengths = 1...4096
  /// The numbers of words that a recipe of words accepts.
  public static let wordCounts = 1...100
  /// Bytes of UTF-8.
  static let longestSeparator = 64

  /// The base-2 logarithm of the number of passwords, each of which is equally likely.
  public var bits: Double {
    let all = pieces.reduce(0.0) { sum, piece in
      switch piece {
      case .literal: sum
      case .choice(let values): sum + log2(Double(values.count))
      case .word: sum + log2(Double(LongWordList.count))
      }
    }
    return all + log2(shareWithAllKinds)
  }

  /// Whether ``bits`` is below ``recommendedBits``.
  public var isWeak: Bool { bits < Self.recommendedBits }

  /// The share of all sequences that have every required kind, by inclusion and exclusion.
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

  /// Makes a new password in locked memory.
  ///
  /// Each choice is an unbiased random number: libsodium `randombytes_uniform`.
  ///
  /// - Returns: The password as UTF-8, without a newline.
  /// - Throws: `SealingError` with code `.outOfMemory` if there is no locked memory left.
  public func makePassword() throws -> SecretBytes {
    // A draw that lacks a class is dropped whole. Repairing it would make some passwords likelier
    // than others, and `bits` would be wrong.
    while true {
      if let password = try drawn() { return password }
    }
  }

  /// One draw, or `nil` if a required kind is missing from it.
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
  /// Makes a recipe of characters, with at least one of each class.
  ///
  /// - Parameters:
  ///   - length: The number of characters, from ``lengths``.
  ///   - classes: The classes to draw from; naming one twice changes nothing.
  ///   - excluded: Characters to leave out, such as ``CharacterClass/lookAlikes``.
  /// - Throws: ``PasswordError`` with code `.invalidLength`, `.noCharacters` if there is no class
  ///   or nothing is left of one, or `.tooShort` if there are more classes than characters.
  public init(
    length: Int = 20, classes: [CharacterClass] = CharacterClass.allCases,
    excluding excluded: Set<Unicode.Scalar> = []
  ) throws(PasswordError) {
    guard Self.lengths.contains(length) else { throw PasswordError(.length) }
    guard !classes.isEmpty else { throw PasswordError(.noClasses) }
    // A class that is named twice would be counted twice.
    let classes = classes.enumerated().filter { !classes[..<$0].contains($1) }.map(\.element)
    let kinds = classes.map { kind in
      Set(kind.characters.filter { !excluded.contains($0) }.map { Array(String($0).utf8) })
    }
    for (kind, values) in zip(classes, kinds) where values.isEmpty {
      throw PasswordError(.nothingLeft(of: kind))
    }
    guard length >= kinds.count else {
      throw PasswordError(.tooShort(length: length, classes: kinds.count))
    }
    let values = kinds.flatMap { $0 }.sorted { $0.lexicographicallyPrecedes($1) }
    pieces = Array(repeating: .choice(values), count: length)
    required = kinds.count > 1 ? kinds : []
    let names = classes.map(\.rawValue).joined(separator: ", ")
    summary =
      "\(length) \(length == 1 ? "character" : "characters") of \(values.count)"
      + (kinds.count > 1 ? ", at least one of each: \(names)" : ": \(names)")
  }

  /// Makes a recipe of random words from the EFF's large word list.
  ///
  /// Each word adds 12.9 bits; six are a good choice for a passphrase.
  ///
  /// - Parameters:
  ///   - words: The number of words, from ``wordCounts``.
  ///   - separator: The text between two words, at most 64 bytes of UTF-8.
  ///   - isCapitalized: Whether each word starts with a capital, which adds no bits.
  /// - Throws: ``PasswordError`` with code `.invalidWordCount` or `.separatorTooLong`.
  public init(
    words: Int, separator: String = "-", isCapitalized: Bool = false
  ) throws(PasswordError) {
    guard Self.wordCounts.contains(words) else { throw PasswordError(.wordCount) }
    guard separator.utf8.count <= Self.longestSeparator else { throw PasswordError(.separator) }
    let between = Piece.literal(Array(separator.utf8))
    pieces = (0..<words).flatMap { number -> [Piece] in
      number == 0
        ? [.word(isCapitalized: isCapitalized)] : [between, .word(isCapitalized: isCapitalized)]
    }
    required = []
    summary = "\(words) \(words == 1 ? "word" : "words") of \(LongWordList.count)"
  }

  /// Makes a recipe from a pattern, whose letters are placeholders, as in KeePass.
  ///
  /// | In the pattern | Stands for |
  /// | --- | --- |
  /// | `l` `u` `L` | a lowercase letter, a capital, either |
  /// | `d` | a digit |
  /// | `a` `U` `A` | like `l`, `u`, `L`, or a digit |
  /// | `h` `H` | a hexadecimal digit, with lowercase letters or capitals |
  /// | `v` `Z` `V` | a vowel: lowercase, capital, either |
  /// | `c` `z` `C` | a consonant: lowercase, capital, either |
  /// | `s` `S` | a symbol, any printable character |
  /// | `p` `b` | one of `,.;:`, a bracket |
  /// | `w` `W` | a word, a capitalized word |
  /// | `[a-z_]` | one character of the set |
  /// | `{3}` | repeats what precedes it; the number counts it, too |
  /// | `\x` | the character `x` itself |
  ///
  /// Everything that is not a letter stands for itself.
  ///
  /// - Parameters:
  ///   - pattern: The pattern, with at most 4096 pieces after repetition.
  ///   - excluded: Characters to leave out of placeholders and sets. What stands for itself and
  ///     words keep theirs.
  /// - Throws: ``PasswordError`` with code `.invalidPattern`.
  public init(
    pattern: String, excluding excluded: Set<Unicode.Scalar> = []
  ) throws(PasswordError) {
    var reader = PatternReader(Array(pattern.unicodeScalars), excluding: excluded)
    pieces = try reader.read()
    required = []
    summary = "after the pattern"
  }
}
