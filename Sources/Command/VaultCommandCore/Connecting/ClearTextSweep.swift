package import VaultCredentials
package import VaultProtocols
import VaultSealing
import VaultStorage
import VaultTerminal

/// The secrets that programs keep in plain text in the home: what there is, the way into the vault, and the
/// way back.
package struct ClearTextSweep {
  /// A file with secrets in plain text.
  package struct Found {
    package let program: ClearTextProgram
    package let path: String
    package let secrets: [ClearTextSecret]
    /// Whether these are all that the file has.
    package let isWhole: Bool
    /// What the file has.
    fileprivate let text: String
  }

  /// The files with secrets.
  package private(set) var files: [Found] = []
  /// Files that cannot be read, or changed, and why.
  package private(set) var unreadable: [(path: String, reason: String)] = []

  /// The number of secrets.
  package var count: Int { files.reduce(0) { $0 + $1.secrets.count } }

  /// Looks.
  ///
  /// - Parameters:
  ///   - programs: Whose files.
  ///   - path: One file in their place; `nil` for where they keep them.
  /// - Throws: `SealingError` with code `.outOfMemory`; ``CommandError`` with code
  ///   `configuration-unreadable` for a file that was named.
  package init(_ programs: [ClearTextProgram], path: String? = nil) throws {
    var seen: Set<String> = []
    for program in programs {
      for place in path.map({ [$0] }) ?? program.paths({ ProcessState.variable($0) }) {
        guard seen.insert("\(program.rawValue) \(place)").inserted else { continue }
        if path != nil, !UserFile.exists(place) {
          throw CommandError(.importUnreadable, "\(StandardOutput.shown(place)) is not there")
        }
        do {
          let text = try ConfigurationFile(path: place).text()
          let secrets = try program.secrets(in: text)
          guard !secrets.isEmpty else { continue }
          files.append(
            Found(program: program, path: place, secrets: secrets, isWhole: true, text: text))
        } catch let error as ProtocolError {
          unreadable.append((place, error.message))
        } catch let error as CommandError where path == nil {
          unreadable.append((place, error.message))
        }
      }
    }
  }

  /// The same with some of the secrets.
  package func keeping(_ isWanted: (ClearTextSecret) -> Bool) -> ClearTextSweep {
    var sweep = self
    sweep.files = files.compactMap { file in
      let secrets = file.secrets.filter(isWanted)
      guard !secrets.isEmpty else { return nil }
      return Found(
        program: file.program, path: file.path, secrets: secrets,
        isWhole: file.isWhole && secrets.count == file.secrets.count, text: file.text)
    }
    return sweep
  }

  /// The same without some of the files.
  package func leavingOut(_ paths: Set<String>) -> ClearTextSweep {
    var sweep = self
    sweep.files.removeAll { paths.contains($0.path) }
    return sweep
  }

  // MARK: - Into the vault

  /// What became of a secret.
  package enum Outcome: String {
    /// It is a new item.
    case new
    /// The item has it as its new version.
    case changed
    /// The item has it already.
    case unchanged
    /// The item has another secret, and keeps it.
    case exists
  }

  /// A secret and the item that has it.
  package struct Stored {
    package let file: Found
    package let secret: ClearTextSecret
    package let name: ItemName
    package let outcome: Outcome
    fileprivate let id: String?
  }

  /// Stores the secrets, all of them in one step.
  ///
  /// - Parameters:
  ///   - vault: The vault; `nil` to say only what would be done.
  ///   - snapshot: The vault as it is; `nil` if there is none.
  ///   - replaces: Whether an item with another secret gets a new version.
  /// - Returns: Each secret with its item.
  /// - Throws: What storing throws.
  package func store(
    in vault: UnlockedVault.Blocking?, _ snapshot: VaultSnapshot?, replaces: Bool
  ) throws -> [Stored] {
    var stored: [Stored] = []
    var drafts: [ItemDraft] = []
    var taken: Set<ItemName> = []
    for file in files {
      for secret in file.secrets {
        let known = snapshot.flatMap { secret.item(in: $0) }
        guard case .store(var draft)? = try secret.changes(in: snapshot).first else {
          if let known {
            stored.append(
              Stored(
                file: file, secret: secret, name: known.name, outcome: .unchanged, id: known.id))
          }
          continue
        }
        let isThere = snapshot?[draft.name] != nil
        if isThere, !replaces {
          stored.append(
            Stored(file: file, secret: secret, name: draft.name, outcome: .exists, id: nil))
          continue
        }
        if !isThere {
          draft.name = try FreeName.like(draft.name.text) {
            taken.contains($0) || snapshot?[$0] != nil
          }
        }
        taken.insert(draft.name)
        drafts.append(draft)
        stored.append(
          Stored(
            file: file, secret: secret, name: draft.name, outcome: isThere ? .changed : .new,
            id: nil))
      }
    }
    guard let vault, !drafts.isEmpty else { return stored }
    let ids = try vault.edit { [drafts] edit in
      var ids: [ItemName: String] = [:]
      for draft in drafts { ids[draft.name] = try edit.store(draft).item.id }
      return ids
    }
    return stored.map { one in
      Stored(
        file: one.file, secret: one.secret, name: one.name, outcome: one.outcome,
        id: one.id ?? ids[one.name])
    }
  }

  /// Stores the secrets, and takes them out of the files: each only once the vault has given it back.
  ///
  /// - Parameters:
  ///   - vault: The vault.
  ///   - record: Where it is noted, so that it can go back.
  /// - Returns: Each secret with its item.
  /// - Throws: What storing throws; ``CommandError`` with code `moved-file-changed` for a secret that
  ///   does not come back, and for a file that was changed meanwhile.
  package func move(
    into vault: UnlockedVault.Blocking, notedIn record: MovedSecrets
  ) throws -> [Stored] {
    let stored = try store(in: vault, vault.read(), replaces: true)
    let snapshot = try vault.read()
    let items = Dictionary(snapshot.items().map { ($0.id, $0) }) { one, _ in one }
    let held = try stored.filter { one in
      try one.id.flatMap { items[$0] }.map { try one.secret.isHeld(by: $0, in: snapshot) } ?? false
    }
    guard held.count == count else {
      throw CommandError(
        .movedFileChanged,
        "\(Plural.secrets(count - held.count)) did not come back from the vault: no file was changed",
        hint: "run it again")
    }
    var record = record
    try record.add(
      stored.compactMap { one in
        one.id.map {
          ClearTextEntry(
            program: one.file.program, path: one.file.path, entry: one.secret.entry, item: $0)
        }
      }, to: vault)
    for file in files { try takeOut(of: file) }
    return stored
  }

  private func takeOut(of found: Found) throws {
    let file = ConfigurationFile(path: found.path)
    guard try file.text().isSame(as: found.text) else {
      throw CommandError(
        .movedFileChanged, "\(StandardOutput.shown(found.path)) was changed meanwhile",
        hint: "run it again: what is in the vault stays there")
    }
    if let rest = try found.program.removing(found.secrets, from: found.text) {
      try file.replace(with: rest)
    } else if UserFile.isLink(found.path) {
      try file.replace(with: "")
    } else {
      try file.remove()
    }
  }
}

/// Files with secrets in plain text that are known and not moved, with what to do about them.
package enum OtherClearText {
  /// Those that are there.
  package static func found() -> [(path: String, hint: String)] {
    guard let home = ProcessState.variable("HOME"), home.begins(with: "/") else { return [] }
    let program = ProgramName.current
    let known: [(path: String, hint: String)] = [
      (".env", "\(program) import dotenv ~/.env --references ~/.env"),
      (
        ".kube/config",
        "\(program) set kubeconfig --file ~/.kube/config, then: \(program) run --as-file kubeconfig "
          + "-- sh -c 'KUBECONFIG=$KUBECONFIG_FILE kubectl get pods'"
      ),
      (
        ".my.cnf",
        "\(program) set mycnf --file ~/.my.cnf, then: \(program) run --as-file mycnf "
          + "-- sh -c 'mysql --defaults-file=$MYCNF_FILE'"
      ),
      (".config/rclone/rclone.conf", "rclone config, Set configuration password"),
      (
        ".terraform.d/credentials.tfrc.json",
        "\(program) run --env TF_TOKEN_app_terraform_io=ITEM -- terraform"
      ),
      (
        ".m2/settings.xml", "maven reads ${env.NAME} there: \(program) run --env NAME=ITEM -- mvn"
      ),
      (".gem/credentials", "\(program) run --env GEM_HOST_API_KEY=ITEM -- gem push"),
      (
        ".config/composer/auth.json",
        "\(program) run --env COMPOSER_AUTH=ITEM -- composer, with the file as its secret"
      ),
      (".vault-token", "\(program) run --env VAULT_TOKEN=ITEM for HashiCorp's command"),
      (".config/hub", "\(program) run --env GITHUB_TOKEN=ITEM -- hub"),
      (".config/gcloud/application_default_credentials.json", "gcloud's own; --as-file for others"),
      (".azure/msal_token_cache.json", "az account clear, when it is not used"),
      (
        ".config/sops/age/keys.txt",
        "SOPS_AGE_KEY by \(program) run --env SOPS_AGE_KEY=ITEM -- sops"
      ),
    ]
    return known.map { ("\(home)/\($0.path)", $0.hint) }.filter { UserFile.exists($0.path) }
  }
}
