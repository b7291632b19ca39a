import VaultPreferences
import VaultSealing
import VaultStorage

/// References between KeePass entries: `{REF:P@I:46C9B1FFBD4ABC4BBB260C6190BAD20C}`.
///
/// keepass.info/help/base/fieldrefs.html. References by ID are resolved, which are the ones that
/// KeePass writes itself; a search by another field is not.
struct KeePassReferences {
  struct Failure: Error { let reason: String }

  private static let openingText = "{REF:"
  private static let opening = Array(openingText.utf8)
  private static let closing = UInt8(ascii: "}")
  /// The maximum length of a chain of references.
  private static let deepest = 8
  /// The maximum length of a text with its references resolved, against texts that double at every
  /// step.
  private static let longest = 1 << 20
  private static let mostSteps = 1000
  private static let keys: [UInt8: String] = [
    UInt8(ascii: "T"): "Title", UInt8(ascii: "U"): "UserName", UInt8(ascii: "P"): "Password",
    UInt8(ascii: "A"): "URL", UInt8(ascii: "N"): "Notes",
  ]

  /// The texts of entries, by their IDs in uppercase hex.
  private var entries: [String: [String: String]] = [:]

  init(_ root: XMLTree) {
    var waiting = [root]
    while let element = waiting.popLast() {
      guard element.name == "Entry" else {
        waiting += element.children
        continue
      }
      guard let id = element.text(of: "UUID").flatMap({ try? Base64.decoded($0.trimmingBlanks) })
      else { continue }
      var texts: [String: String] = [:]
      for string in element.children where string.name == "String" {
        texts[string.text(of: "Key") ?? ""] = string.text(of: "Value") ?? ""
      }
      entries[Hexadecimal.uppercaseText(id.withBytes { $0.array(0..<$0.byteCount) })] = texts
    }
  }

  /// Returns the text with its references resolved, or the reason why that fails.
  func resolved(_ text: String) -> Result<String, Failure> {
    do {
      var steps = Self.mostSteps
      return .success(try resolved(text, depth: 0, &steps))
    } catch {
      return .failure(error)
    }
  }

  private func resolved(
    _ text: String, depth: Int, _ steps: inout Int
  ) throws(Failure) -> String {
    // KeePass also accepts lowercase letters.
    guard text.uppercased().contains(bytes: Self.openingText) else { return text }
    guard depth < Self.deepest else {
      throw Failure(
        reason: "it refers to another entry, and that one on, more than \(Self.deepest) times")
    }
    let bytes = Array(text.utf8)
    var output: [UInt8] = []
    var index = 0
    while index < bytes.count {
      let head = bytes[index..<min(index + Self.opening.count, bytes.count)]
      guard head.map({ (0x61...0x7A).contains($0) ? $0 & 0xDF : $0 }) == Self.opening,
        let end = bytes[index...].firstIndex(of: Self.closing)
      else {
        output.append(bytes[index])
        index += 1
        continue
      }
      let inner = bytes[(index + Self.opening.count)..<end]
      steps -= 1
      output += try resolved(target(of: inner), depth: depth + 1, &steps).utf8
      guard output.count <= Self.longest, steps > 0 else {
        throw Failure(reason: "its references are nested too deeply")
      }
      index = end + 1
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// Returns the text that `P@I:ID` refers to.
  private func target(of reference: ArraySlice<UInt8>) throws(Failure) -> String {
    let text = String(decoding: reference, as: UTF8.self).uppercased()
    let bytes = Array(text.utf8)
    guard bytes.count > 4, bytes[1...3].elementsEqual("@I:".utf8) else {
      throw Failure(reason: "it refers to another entry by something other than its id")
    }
    let id = String(decoding: bytes[4...], as: UTF8.self)
    guard let texts = entries[id] else {
      throw Failure(reason: "it refers to an entry that does not exist")
    }
    if bytes[0] == UInt8(ascii: "I") { return id }
    guard let key = Self.keys[bytes[0]] else {
      throw Failure(reason: "it refers to an unknown field of another entry")
    }
    return texts[key] ?? ""
  }
}
