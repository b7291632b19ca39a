import VaultStorage

extension MarkedBlock {
  /// The block in git's configuration.
  ///
  /// - Parameter command: The words of the credential helper, beginning with its absolute path.
  /// - Returns: The block.
  /// - Throws: ``ProtocolError`` with code `.invalidRequest` if a word cannot be written there.
  public static func git(command: [String]) throws(ProtocolError) -> MarkedBlock {
    try git(command: command, isAlone: false, keeping: [])
  }

  /// A helper in git's configuration, of all addresses or of some.
  package struct GitHelper: Sendable, Equatable {
    /// The subsection: an address such as `https://github.com`; `nil` for all.
    package let address: String?
    /// The setting's value; empty to end the list before it.
    package let value: String

    package init(address: String?, value: String) {
      (self.address, self.value) = (address, value)
    }
  }

  /// The block in git's configuration, which may also end the list of helpers before it.
  ///
  /// An empty `helper` does that: gitcredentials(7). It ends helpers of single addresses, too.
  ///
  /// - Parameters:
  ///   - command: The words of the credential helper.
  ///   - isAlone: Whether to end the list.
  ///   - others: Helpers of that list that go on, in their order.
  /// - Returns: The block.
  /// - Throws: ``ProtocolError`` with code `.invalidRequest` if a word cannot be written there.
  package static func git(
    command: [String], isAlone: Bool, keeping others: [GitHelper]
  ) throws(ProtocolError) -> MarkedBlock {
    let line = try commandLine(command, inDoubleQuotes: false)
    // gitcredentials(7): an absolute path is a command with its arguments; anything else needs a
    // `!`.
    let value = line.begins(with: "/") ? line : "!\(line)"
    let section = "[credential]"
    var settings: [String] = []
    var current = section
    func enter(_ next: String) {
      if next != current { settings.append(next) }
      current = next
    }
    if isAlone {
      settings.append("helper =")
      for other in others {
        enter(other.address.map { "[credential \(Quoting.gitSetting($0))]" } ?? section)
        settings.append(
          "helper =\(other.value.isEmpty ? "" : " \(Quoting.gitSetting(other.value))")")
      }
    }
    enter(section)
    settings.append("helper = \(Quoting.gitSetting(value))")
    return MarkedBlock(
      title: "connect git", section: section, settings: settings, allowsOthers: true,
      subsections: "[credential ")
  }

  /// The block in AWS's configuration.
  ///
  /// - Parameters:
  ///   - profile: The profile; `default` has a section without a prefix.
  ///   - command: The words of the command that prints the profile's keys.
  /// - Returns: The block.
  /// - Throws: ``ProtocolError`` with code `.invalidRequest` if the profile or a word cannot be
  ///   written there.
  public static func aws(
    profile: String, command: [String]
  ) throws(ProtocolError) -> MarkedBlock {
    try aws(profile: profile, command: command, in: "")
  }

  /// The block in AWS's configuration, below the heading that the profile has there already.
  package static func aws(
    profile: String, command: [String], in text: String
  ) throws(ProtocolError) -> MarkedBlock {
    try checkProfile(profile)
    return MarkedBlock(
      title: "connect aws \(profile)", section: AWSClearText.heading(of: profile, in: text),
      settings: ["credential_process = \(try commandLine(command, inDoubleQuotes: true))"])
  }

  /// The block in pip's configuration, which makes pip run `keyring`.
  public static let pip = MarkedBlock(
    title: "connect pip", section: "[global]", settings: ["keyring-provider = subprocess"])

  /// Checks the name of an AWS profile.
  ///
  /// - Parameter profile: The name.
  /// - Throws: ``ProtocolError`` with code `.invalidRequest` if it cannot be written between
  ///   brackets.
  public static func checkProfile(_ profile: String) throws(ProtocolError) {
    guard ServiceCredential.isPlain(profile), !profile.unicodeScalars.contains("]"),
      !profile.isEmpty
    else { throw ProtocolError(.invalidRequest, "not a valid profile name") }
  }

  /// Returns a line that a shell and AWS's own parser both split into the same words: some of AWS's
  /// tools start a shell, others split the line themselves.
  private static func commandLine(
    _ words: [String], inDoubleQuotes isDouble: Bool
  ) throws(ProtocolError) -> String {
    let quote = isDouble ? "\"" : "'"
    // In double quotes a shell acts on more than the quote.
    let special = (isDouble ? "\"$`" : "'") + "\\"
    var parts: [String] = []
    for word in words {
      let isPlain = word.utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
          || [0x2D, 0x2E, 0x2F, 0x5F, 0x2B, 0x3A, 0x40].contains($0)
      }
      if isPlain, !word.isEmpty {
        parts.append(word)
        continue
      }
      guard !word.utf8.contains(where: special.utf8.contains), ServiceCredential.isPlain(word)
      else {
        throw ProtocolError(
          .invalidRequest,
          "a path or name holds \(isDouble ? "one of \" $ ` \\" : "' or \\"), "
            + "which cannot be written there")
      }
      parts.append(quote + word + quote)
    }
    return parts.joined(separator: " ")
  }
}
