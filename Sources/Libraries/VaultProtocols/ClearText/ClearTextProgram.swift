import VaultSealing
import VaultStorage

/// A program that keeps secrets in clear in the home.
package enum ClearTextProgram: String, CaseIterable, Sendable {
  case aws
  case git = "git-credentials"
  case docker
  case podman
  case netrc
  case npm = "npmrc"
  case pypi = "pypirc"
  case cargo
  case gh
  case postgres = "pgpass"
  case kube

  /// Other words for it: those of its program.
  private static let synonyms: [String: ClearTextProgram] = [
    "git": .git, "npm": .npm, "twine": .pypi, "pip": .pypi, "psql": .postgres,
    "postgresql": .postgres, "skopeo": .podman, "buildah": .podman, "crates": .cargo,
    "curl": .netrc, "kubectl": .kube,
    "kubeconfig": .kube,
  ]

  /// The program of a word; `nil` for another word.
  package init?(word: String) {
    var word = word.lowercased()
    if word.begins(with: ".") { word = String(word.dropFirst()) }
    guard let program = ClearTextProgram(rawValue: word) ?? Self.synonyms[word] else { return nil }
    self = program
  }

  /// The word that `connect` knows the program by.
  package var connection: String {
    switch self {
    case .aws, .docker, .podman, .cargo, .gh: rawValue
    case .git, .netrc: "git"
    case .npm: "npm"
    case .pypi: "twine"
    case .postgres: "psql"
    case .kube: "kubectl"
    }
  }

  /// What `connect` takes behind the program's word for an entry: of AWS the profile.
  package func part(of entry: String) -> String {
    self == .aws ? AWSClearText.profile(of: entry) : entry
  }

  private var format: any ClearTextFormat.Type {
    switch self {
    case .aws: AWSClearText.self
    case .git: GitClearText.self
    case .docker: DockerClearText.self
    case .podman: PodmanClearText.self
    case .netrc: NetrcClearText.self
    case .npm: NPMClearText.self
    case .pypi: PyPIClearText.self
    case .cargo: CargoClearText.self
    case .gh: GitHubClearText.self
    case .postgres: PostgresClearText.self
    case .kube: KubeClearText.self
    }
  }

  /// The files in which it keeps them.
  ///
  /// - Parameter environment: Returns variables, `HOME` among them.
  /// - Returns: Absolute paths; the first one is where a secret goes that belongs to none.
  package func paths(_ environment: (String) -> String?) -> [String] {
    guard let home = StoreLocation.namedHome(environment) else { return [] }
    func folder(_ variable: String, _ path: String) -> String {
      environment(variable).flatMap { $0.begins(with: "/") ? $0 : nil } ?? "\(home)/\(path)"
    }
    let configuration = folder("XDG_CONFIG_HOME", ".config")
    switch self {
    case .aws:
      return [
        folder("AWS_SHARED_CREDENTIALS_FILE", ".aws/credentials"),
        folder("AWS_CONFIG_FILE", ".aws/config"),
      ]
    case .git: return ["\(home)/.git-credentials", "\(configuration)/git/credentials"]
    case .docker: return [folder("DOCKER_CONFIG", ".docker") + "/config.json"]
    case .podman:
      // containers-auth.json(5): a file that is named is the only one; else that of the session comes
      // before the user's.
      if let named = environment("REGISTRY_AUTH_FILE"), named.begins(with: "/") { return [named] }
      let runtime =
        environment("XDG_RUNTIME_DIR").flatMap { $0.begins(with: "/") ? "\($0)/containers" : nil }
        ?? "/run/containers/\(System.effectiveUser)"
      return ["\(runtime)/auth.json", "\(configuration)/containers/auth.json"]
    case .netrc: return [folder("NETRC", ".netrc")]
    // npm takes its variables in any case, and writes them in small letters.
    case .npm:
      let variables = ["npm_config_userconfig", "NPM_CONFIG_USERCONFIG"]
      let given = variables.lazy.compactMap(environment).first { $0.begins(with: "/") }
      return [given ?? "\(home)/.npmrc"]
    case .pypi: return ["\(home)/.pypirc"]
    case .cargo:
      let cargo = folder("CARGO_HOME", ".cargo")
      return ["\(cargo)/credentials.toml", "\(cargo)/credentials"]
    case .gh: return [folder("GH_CONFIG_DIR", ".config/gh") + "/hosts.yml"]
    case .postgres: return [folder("PGPASSFILE", ".pgpass")]
    case .kube:
      let named = (environment("KUBECONFIG") ?? "").parts(at: ":").map(String.init)
        .filter { $0.begins(with: "/") }
      return named.isEmpty ? ["\(home)/.kube/config"] : named
    }
  }

  /// The secrets of a file.
  ///
  /// - Parameter text: The file.
  /// - Returns: The secrets, each with an entry of its own.
  /// - Throws: `SealingError`; ``ProtocolError`` with code `.configurationUnreadable`, also where the
  ///   file has two secrets under one entry: which of them counts is the program's affair.
  package func secrets(in text: String) throws -> [ClearTextSecret] {
    var unique: [ClearTextSecret] = []
    var places: [[UInt8]: Int] = [:]
    for secret in try format.secrets(in: text) {
      let entry = Array(secret.entry.utf8)
      guard let place = places[entry] else {
        places[entry] = unique.count
        unique.append(secret)
        continue
      }
      let known = unique[place]
      let isSame =
        known.main.isEqual(to: secret.main) && known.fields.count == secret.fields.count
        && known.fields.allSatisfy { secret.fields[$0.key]?.isEqual(to: $0.value) ?? false }
      guard isSame else { throw Self.unreadable("it has two secrets for one entry") }
    }
    return unique
  }

  /// The lines that may hold a secret in a form that is not understood.
  ///
  /// - Parameter text: The file.
  /// - Returns: Their numbers, from 1 on.
  /// - Throws: `SealingError`; ``ProtocolError`` with code `.configurationUnreadable`.
  package func doubtfulLines(in text: String) throws -> [Int] {
    guard !text.trimmingBlanks.isEmpty else { return [] }
    let known = try format.removing(Set(secrets(in: text).map(\.entry)), from: text)
    let lines = known.parts(at: "\n", keepsEmpty: true)
    let all = text.parts(at: "\n", keepsEmpty: true)
    // They are those of the file, in their order, but for what was understood.
    var next = 0
    return try format.doubtfulLines(in: known).map { line in
      guard lines.indices.contains(line),
        let place = all[next...].firstIndex(where: { $0.utf8.elementsEqual(lines[line].utf8) })
      else { return line + 1 }
      next = place + 1
      return place + 1
    }
  }

  /// What is to be said of a file that may hold a secret which is not understood, or not moved.
  ///
  /// - Parameter text: The file.
  /// - Returns: A sentence for people, with what the file says; `nil` if there is none.
  /// - Throws: `SealingError`; ``ProtocolError`` with code `.configurationUnreadable`.
  package func doubt(in text: String) throws -> String? {
    let lines = try doubtfulLines(in: text)
    guard let first = lines.first else { return nil }
    if self == .podman, let part = try PodmanClearText.parts(in: text).first {
      return "\(part) is a part of a registry, for which podman asks no helper: that registry stays"
    }
    let form = "in a form that is not known here"
    guard lines.count > 1 else { return "line \(first) may hold a secret \(form)" }
    return "lines \(lines.prefix(8).map { "\($0)" }.joined(separator: ", "))"
      + "\(lines.count > 8 ? " and more" : "") may hold secrets \(form)"
  }

  /// The comments of a file that have what would be a secret without the mark before it: an old key
  /// that was put out of use.
  ///
  /// - Parameter text: The file.
  /// - Returns: The numbers of their lines, from 1 on.
  package func commentsWithSecrets(in text: String) -> [Int] {
    guard ![.docker, .podman].contains(self) else { return [] }
    return text.parts(at: "\n", keepsEmpty: true).enumerated().compactMap { number, part in
      let line = part.trimmingBlanks
      let bare = String(line.drop { "#; \t".contains($0) })
      // Behind an entry, which goes without it.
      if [.netrc, .cargo].contains(self), !line.begins(with: "#"),
        let mark = line.firstRange(ofBytes: " #"),
        !String(line[mark.upperBound...]).trimmingBlanks.isEmpty
      {
        return number + 1
      }
      // A line that only names the fields is no secret.
      guard line.begins(with: "#") || line.begins(with: ";"), !bare.isEmpty,
        !bare.lowercased().ends(with: ":password")
      else { return nil }
      let found = (try? secrets(in: bare).isEmpty == false) ?? false
      let isDoubtful = (try? format.doubtfulLines(in: bare).isEmpty == false) ?? false
      return found || isDoubtful ? number + 1 : nil
    }
  }

  /// The file without some of its secrets.
  ///
  /// - Parameters:
  ///   - secrets: Those that go.
  ///   - text: The file.
  /// - Returns: The text; `nil` if nothing but blanks is left.
  /// - Throws: ``ProtocolError`` with code `.configurationUnreadable`, also if one of them would
  ///   still be there.
  package func removing(_ secrets: [ClearTextSecret], from text: String) throws -> String? {
    let entries = Set(secrets.map(\.entry))
    let rest = try format.removing(entries, from: text)
    guard try !self.secrets(in: rest).contains(where: { entries.contains($0.entry) }) else {
      throw Self.unreadable("it cannot be changed safely")
    }
    return rest.trimmingBlanks.isEmpty ? nil : rest
  }

  /// The file with a secret again.
  ///
  /// - Parameters:
  ///   - value: The secret.
  ///   - text: The file; empty if there is none.
  /// - Returns: The text; the same one if the file has such an entry already.
  /// - Throws: ``ProtocolError`` with code `.configurationUnreadable`, also if the file would say
  ///   anything else than this entry: another machine may have changed the item.
  package func adding(_ value: ClearTextValue, to text: String) throws -> String {
    let before = try secrets(in: text)
    guard !before.contains(where: { $0.entry.isSame(as: value.entry) }) else { return text }
    // base64 holds any text; the others write lines.
    let written = [value.entry] + ([.docker, .podman, .kube].contains(self) ? [] : [value.main])
    guard written.allSatisfy(ServiceCredential.isPlain) else {
      throw Self.notALine
    }
    let result = try format.adding(value, to: text)
    let after = try secrets(in: result)
    guard after.count == before.count + 1,
      after.contains(where: {
        $0.entry.isSame(as: value.entry) && $0.main.text?.isSame(as: value.main) ?? false
      })
    else { throw Self.unreadable("the file cannot hold it") }
    return result
  }

  /// Whether a line has an address with something before its `@` that may be a secret.
  ///
  /// - Parameter line: The line.
  /// - Returns: Whether it has.
  package static func hasPasswordInAddress(_ line: String) -> Bool { line.hasPasswordInAddress }

  static let notALine = unreadable("it has a line end or another control character")

  static func unreadable(_ reason: String) -> ProtocolError {
    ProtocolError(.configurationUnreadable, reason, remedy: .editByHand("take the secrets out"))
  }
}
