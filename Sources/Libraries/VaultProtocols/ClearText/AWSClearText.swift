import VaultCredentials
import VaultSealing
import VaultStorage

/// `~/.aws/credentials`, and keys in `~/.aws/config`, where a section is `profile NAME`.
///
/// docs.aws.amazon.com/sdkref/latest/guide/file-format.html
enum AWSClearText: ClearTextFormat {
  private static let (identifier, secret) = ("aws_access_key_id", "aws_secret_access_key")
  private static let tokens = ["aws_session_token", "aws_security_token"]
  private static let tokenField = "session-token"

  /// The profile of a section; in `~/.aws/config` a name with blanks stands in quotes.
  static func profile(of section: String) -> String {
    guard section.begins(with: "profile ") else { return section }
    let name = String(section.dropFirst("profile ".utf8.count)).trimmingBlanks
    guard name.utf8.count >= 2 else { return name }
    let inner = String(decoding: name.utf8.dropFirst().dropLast(), as: UTF8.self)
    if name.begins(with: "'"), name.ends(with: "'") { return inner }
    guard name.begins(with: "\""), name.ends(with: "\"") else { return name }
    return inner.substituting("\\\"", with: "\"").substituting("\\\\", with: "\\")
  }

  /// The heading of a profile's section in `~/.aws/config`, with its brackets.
  ///
  /// botocore splits what stands in them as a shell would: botocore/configloader.py,
  /// `build_profile_map`.
  ///
  /// - Parameters:
  ///   - profile: The profile.
  ///   - text: The file, whose own heading of the profile stays as it is.
  /// - Returns: The heading.
  static func heading(of profile: String, in text: String) -> String {
    for line in text.parts(at: "\n").map({ String($0).trimmingBlanks })
    where line.begins(with: "[") && line.ends(with: "]") {
      let section = String(line.dropFirst().dropLast()).trimmingBlanks
      if section.begins(with: "profile "), self.profile(of: section).isSame(as: profile) {
        return line
      }
    }
    if profile.isSame(as: "default") { return "[default]" }
    guard profile.utf8.contains(where: " \t'\"\\".utf8.contains) else {
      return "[profile \(profile)]"
    }
    let escaped = profile.substituting("\\", with: "\\\\").substituting("\"", with: "\\\"")
    return "[profile \"\(escaped)\"]"
  }

  static func secrets(in text: String) throws -> [ClearTextSecret] {
    let lines = SettingLines(text)
    return try lines.sections.compactMap { section in
      guard !lines.goesOn([identifier, secret] + tokens, in: section),
        let key = try lines.value(identifier, in: section), !key.isEmpty,
        let secret = try lines.value(secret, in: section), !secret.isEmpty
      else { return nil }
      let token = try tokens.compactMap { try lines.value($0, in: section) }.first
      let profile = profile(of: section)
      let input = try RequestObject.text([
        ("Version", .number(1)), ("AccessKeyId", .string(key)),
        ("SecretAccessKey", .string(secret)), ("SessionToken", .optional(token)),
      ])
      var found = ClearTextSecret(
        section, try SecretBytes(text: secret),
        .request(
          try AWSRequest.store(profile: profile, input: input),
          found: [ServiceCredential.client: "aws", AWSRequest.keyAttribute: key]))
      found.fields[tokenField] = try token.map { try SecretBytes(text: $0) }
      return found
    }
  }

  static func removing(_ entries: Set<String>, from text: String) -> String {
    var lines = SettingLines(text)
    for section in entries { lines.remove(Set([identifier, secret] + tokens), in: section) }
    return lines.text
  }

  static func adding(_ value: ClearTextValue, to text: String) throws -> String {
    var lines = SettingLines(text)
    let (key, token) = (value.attributes[AWSRequest.keyAttribute] ?? "", value.fields[tokenField])
    guard [key, token ?? ""].allSatisfy(ServiceCredential.isPlain) else {
      throw ClearTextProgram.notALine
    }
    lines.add(
      ["\(identifier) = \(key)", "\(secret) = \(value.main)"]
        + (token.map { ["\(tokens[0]) = \($0)"] } ?? []),
      in: value.entry)
    return lines.text
  }

  static func doubtfulLines(in text: String) -> [Int] {
    let found = lines(in: text) { sets([secret] + tokens, $0) }
    // A value may go on, or begin, on the next line.
    return Set(found + SettingLines(text).continued([secret] + tokens)).sorted()
  }
}
