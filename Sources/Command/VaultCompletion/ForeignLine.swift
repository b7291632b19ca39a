import VaultCredentials
import VaultStorage

/// The attributes on a line of `security` or `secret-tool`, as options of this command.
///
/// Of such a line only the values are repeated that name something: of `-s`, `-a` and the pairs of
/// secret-tool; never that of `-w`, which is the secret itself.
struct ForeignLine {
  private let pairs: [(name: String, value: String)]
  /// The name that the line gives the item.
  private let label: String?

  /// Reads the words behind the one in the verb's place.
  ///
  /// - Parameters:
  ///   - verb: The word, which says whose line it is.
  ///   - words: What follows.
  init(_ verb: String, _ words: [String]) {
    let pairs =
      verb.contains(bytes: "-password") || verb.contains(bytes: "-certificate")
      ? Self.ofSecurity(words, isInternet: verb.contains(bytes: "internet"))
      : Self.ofSecretTool(words)
    let named = pairs.filter { $0.name != Self.labelName }
    // As people say it, whichever came first.
    self.pairs =
      named.filter { ["service", "server"].contains($0.name) }
      + named.filter { !["service", "server"].contains($0.name) }
    label =
      pairs.first { $0.name == Self.labelName }?.value
      ?? words.first { $0.begins(with: "--label=") }.map { String($0.dropFirst(8)) }
  }

  private static let labelName = "label"

  /// `-s api -a me`: security(1), "find-generic-password".
  private static func ofSecurity(
    _ words: [String], isInternet: Bool
  ) -> [(name: String, value: String)] {
    var pairs: [(name: String, value: String)] = []
    var rest = words[...]
    while let typed = rest.popFirst() {
      // `-wa me`: an option without a value before one that has it.
      let flags = typed.unicodeScalars.dropFirst().dropLast()
      let word =
        typed.begins(with: "-") && !flags.isEmpty
          && flags.allSatisfy({ "gwUA".unicodeScalars.contains($0) })
        ? "-\(typed.unicodeScalars.suffix(1).map(String.init).joined())" : typed
      let name: String? =
        switch word {
        case "-s": isInternet ? "server" : "service"
        case "-a": "account"
        case "-l": Self.labelName
        case "-r": "protocol"
        default: nil
        }
      guard let value = rest.first, !value.begins(with: "-") else { continue }
      if let name {
        pairs.append((name, value))
        rest.removeFirst()
      } else if ["-w", "-p", "-G", "-j", "-D", "-X", "-C", "-d", "-t", "-T"].contains(word) {
        // A value that is nobody's business here.
        rest.removeFirst()
      }
    }
    return pairs
  }

  /// `server example.com user bob`: secret-tool(1).
  private static func ofSecretTool(_ words: [String]) -> [(name: String, value: String)] {
    let plain = words.filter { !$0.begins(with: "-") }
    guard plain.count >= 2, plain.count.isMultiple(of: 2) else { return [] }
    return stride(from: 0, to: plain.count, by: 2).map { (plain[$0], plain[$0 + 1]) }
      .filter { !$0.0.isEmpty && !$0.0.unicodeScalars.contains("=") }
  }

  /// The options that name the attributes.
  var attributes: String {
    pairs.isEmpty
      ? "--attribute service=NAME"
      : pairs.map { "--attribute \(Quoting.typed("\($0.name)=\($0.value)"))" }
        .joined(separator: " ")
  }

  /// A name for the item: `api/me`.
  var item: String {
    let parts = ["service", "server", "account", "user", "username"].compactMap { name in
      pairs.first { $0.name == name }?.value
    }
    let name = label ?? (parts.isEmpty ? pairs.map(\.value) : parts).joined(separator: "/")
    return (try? ItemName(name)).map { Quoting.typed($0.text) } ?? "NAME"
  }
}
