import VaultRedaction

/// A masker that anybody can check: it holds the whole text, tries every secret at every place, and
/// writes each character of a secret in all ways instead of reading what is there.
struct ReferenceMasker {
  /// What one step of a secret can look like, and how many steps that is.
  private typealias Step = [(text: [UInt8], count: Int)]
  /// The steps of a secret in one encoding.
  private struct Pattern {
    var steps: [Step]
    var separators: Set<Int> = []
    var padding = 0
  }

  private var patterns: [Pattern] = []

  init(_ secrets: [[UInt8]]) {
    for secret in secrets.flatMap(Self.entries) {
      patterns.append(Pattern(steps: secret.indices.map { Self.texts(secret, $0) }))
      patterns.append(Self.hex(secret))
      for unknown in [0, 2, 4] { patterns.append(Self.base64(secret, unknown: unknown)) }
    }
  }

  func masked(_ text: [UInt8]) -> [UInt8] {
    var output: [UInt8] = []
    var covered = 0
    for place in 0...text.count {
      if let end = patterns.compactMap({ Search(text: text, pattern: $0).end(from: place) }).max() {
        if place >= covered { output += Redactor.replacement }
        covered = max(covered, end)
      }
      if place >= covered, place < text.count { output.append(text[place]) }
    }
    return output
  }

  // MARK: - What is looked for

  private static func entries(_ secret: [UInt8]) -> [[UInt8]] {
    var secret = secret
    while let last = secret.last, [10, 13].contains(last) { secret.removeLast() }
    guard secret.count >= 6 else { return [] }
    var entries = [secret]
    guard secret.contains(10) else { return entries }
    for line in secret.split(separator: 10) {
      let trimmed = line.drop { $0 <= 32 }.reversed().drop { $0 <= 32 }.reversed()
      if trimmed.count >= 16, !trimmed.starts(with: Array("-----".utf8)) {
        entries.append(Array(trimmed))
      }
    }
    entries.append(
      secret.indices.filter {
        !(secret[$0] == 13 && secret.indices.contains($0 + 1) && secret[$0 + 1] == 10)
      }.map { secret[$0] })
    return entries
  }

  private static func digits(_ value: Int, _ radix: Int, _ width: Int) -> [[UInt8]] {
    let text = String(value, radix: radix)
    let padded = String(repeating: "0", count: max(0, width - text.count)) + text
    // Each digit in both cases.
    return padded.reduce([[]]) { all, digit in
      Set([digit.lowercased(), digit.uppercased()]).flatMap { form in
        all.map { $0 + Array(form.utf8) }
      }
    }
  }

  private static func texts(_ secret: [UInt8], _ index: Int) -> Step {
    let byte = secret[index]
    let value = Int(byte)
    var forms: [[UInt8]] = [[byte]]
    forms += digits(value, 16, 2).map { Array("%".utf8) + $0 }
    forms += digits(value, 16, 2).map { Array("\\x".utf8) + $0 }
    if value < 16 { forms += digits(value, 16, 1).map { Array("\\x".utf8) + $0 } }
    forms += digits(value, 8, 3).map { Array("\\".utf8) + $0 }
    if value < 64 { forms += digits(value, 8, 2).map { Array("\\".utf8) + $0 } }
    if value < 8 { forms += digits(value, 8, 1).map { Array("\\".utf8) + $0 } }
    let special: [UInt8: [String]] = [
      10: ["\\n", "\r\n"], 9: ["\\t"], 13: ["\\r"], 8: ["\\b"], 12: ["\\f"], 7: ["\\a"],
      11: ["\\v"], 27: ["\\e", "\\E"], 32: ["+"], 34: ["\"\"", "&quot;"],
      38: ["&amp;"], 60: ["&lt;"], 62: ["&gt;"], 39: ["''", "'\\''", "'\"'\"'", "&apos;"],
    ]
    forms += (special[byte] ?? []).map { Array($0.utf8) }
    let scalar = Unicode.Scalar(byte)
    if byte >= 128 || !(scalar.properties.isAlphabetic || (48...57).contains(byte)) {
      forms.append([92, byte])
    }
    var step: Step = forms.map { ($0, 1) }
    for length in 1...4 where index + length <= secret.count {
      guard let text = String(validating: secret[index..<index + length], as: UTF8.self),
        text.unicodeScalars.count == 1, let scalar = text.unicodeScalars.first
      else { continue }
      let value = Int(scalar.value)
      var whole = digits(value, 16, 1).map { Array("\\u{".utf8) + $0 + [125] }
      whole += digits(value, 16, 8).map { Array("\\U".utf8) + $0 }
      whole += digits(value, 10, 1).map { Array("&#".utf8) + $0 + [59] }
      for mark in ["x", "X"] {
        whole += digits(value, 16, 1).map { Array("&#\(mark)".utf8) + $0 + [59] }
      }
      let units = text.utf16.map { unit in digits(Int(unit), 16, 4) }
      whole += units.reduce([[]]) { all, unit in
        all.flatMap { start in unit.map { start + Array("\\u".utf8) + $0 } }
      }
      step += whole.map { ($0, length) }
    }
    return step
  }

  private static func hex(_ secret: [UInt8]) -> Pattern {
    let nibbles = secret.flatMap { [Int($0 >> 4), Int($0 & 15)] }
    return Pattern(
      steps: nibbles.map { digits($0, 16, 1).map { ($0, 1) } },
      separators: Set(stride(from: 2, to: nibbles.count, by: 2)))
  }

  private static func base64(_ secret: [UInt8], unknown: Int) -> Pattern {
    var bits: [Bool?] = Array(repeating: nil, count: unknown)
    for byte in secret { bits += (0..<8).map { byte >> (7 - $0) & 1 == 1 } }
    let free = (6 - bits.count % 6) % 6
    bits += Array(repeating: nil, count: free)
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
    var steps: [Step] = []
    for start in stride(from: 0, to: bits.count, by: 6) {
      var step: Step = []
      for value in 0..<64 {
        let fits = (0..<6).allSatisfy { place in
          guard let bit = bits[start + place] else { return true }
          return bit == (value >> (5 - place) & 1 == 1)
        }
        guard fits else { continue }
        let forms: [String] =
          switch value {
          case 62: ["+", "-", "%2B", "%2b"]
          case 63: ["/", "_", "%2F", "%2f", "\\/"]
          default: [String(Unicode.Scalar(alphabet[value]))]
          }
        for form in forms { step.append((Array(form.utf8), 1)) }
      }
      steps.append(step)
    }
    return Pattern(steps: steps, padding: free / 2)
  }

  // MARK: - Looking

  private final class Search {
    let text: [UInt8]
    let pattern: Pattern
    var known: [Int: Int?] = [:]

    init(text: [UInt8], pattern: Pattern) {
      self.text = text
      self.pattern = pattern
    }

    /// The longest end of the pattern from `place` on.
    func end(from place: Int) -> Int? { end(0, place) }

    private func end(_ step: Int, _ place: Int) -> Int? {
      let key = step << 32 | place
      if let end = known[key] { return end }
      let end = longest(step, place)
      known[key] = .some(end)
      return end
    }

    private func longest(_ step: Int, _ place: Int) -> Int? {
      var ends: [Int] = []
      for form in pattern.steps[step] where has(form.text, at: place) {
        let next = place + form.text.count
        if step + form.count == pattern.steps.count {
          var padded = next
          while padded < text.count, padded - next < pattern.padding, text[padded] == 61 {
            padded += 1
          }
          ends.append(padded)
          continue
        }
        var places = gaps(next)
        if pattern.separators.contains(step + form.count), next < text.count,
          Array(" :-".utf8).contains(text[next])
        {
          places += gaps(next + 1)
        }
        ends += places.compactMap { end(step + form.count, $0) }
      }
      return ends.max()
    }

    private func has(_ form: [UInt8], at place: Int) -> Bool {
      guard place < text.count, text[place] == form[0] else { return false }
      return place + form.count <= text.count
        && text[place..<place + form.count].elementsEqual(form)
    }

    /// The places behind any number of line ends and escape sequences.
    private func gaps(_ place: Int) -> [Int] {
      var places = [place]
      var index = 0
      while index < places.count {
        let start = places[index]
        index += 1
        guard start < text.count else { continue }
        var ends: [Int] = []
        switch text[start] {
        case 10, 13: ends = [start + 1]
        case 32 where has([32, 13], at: start): ends = [start + 2]
        case 27:
          for sequence in RandomText.sequences where has(sequence, at: start) {
            ends.append(start + sequence.count)
          }
        default: break
        }
        for end in ends where !places.contains(end) { places.append(end) }
      }
      return places
    }
  }
}
