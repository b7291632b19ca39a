import VaultStorage

/// A prompt that a program shows through askpass, if its words are known.
///
/// OpenSSH 8 to 10: `ssh-add.c`, `ssh-keygen.c`, `sshconnect2.c`; git: `credential.c`; git-lfs:
/// `creds.go`; sudo: `sudo_conv`, `%p` of sudoers(5), and its translations.
public enum AskpassPrompt: Equatable, Sendable {
  /// The passphrase of a key file; a relative path is one in the folder of the program that asks.
  case key(path: String)
  /// The passphrase of the key file that the program's own line names: ssh-keygen up to 9.3.
  case keyOfCaller
  /// The password of `user@host`, for ssh.
  case host(String)
  /// A user's name for git.
  case gitUsername(scheme: String, host: String, path: String?)
  /// A password for git.
  case gitPassword(scheme: String, host: String, path: String?, username: String?)
  /// A user's password for sudo.
  case sudo(user: String)

  /// Reads a prompt; returns `nil` if it is not, to the letter, one of those that are known.
  ///
  /// - Parameter text: The words of the prompt.
  public init?(_ text: String) {
    // A name in the prompt could otherwise smuggle in a second line.
    guard ServiceCredential.isPlain(text) else { return nil }
    if let found = Self.key(text) ?? Self.sudo(text) ?? Self.git(text) ?? Self.hostPassword(text) {
      self = found
    } else {
      return nil
    }
  }

  // `Enter passphrase for key '/p': ` of ssh, `Enter passphrase for /p: ` of ssh-add, the same with
  // double quotes of ssh-keygen since 9.4, which said nothing of the file before. `Enter old
  // passphrase: ` asks for the one that is to be replaced. The prompts after a wrong answer are not
  // known: the same answer would be wrong again.
  private static func key(_ text: String) -> AskpassPrompt? {
    if let path = between("Enter passphrase for key '", "': ", text) { return .key(path: path) }
    if let path = between("Enter passphrase for \"", "\": ", text) { return .key(path: path) }
    if ["Enter passphrase: ", "Enter old passphrase: "].contains(where: { prompt in
      text.isSame(as: prompt) || text.isSame(as: prompt.dropLast())
    }) {
      return .keyOfCaller
    }
    for end in [" (will confirm each use): ", ": "] {
      // A relative path may begin with anything but what another form begins with.
      if let path = between("Enter passphrase for ", end, text),
        !["\"", "'", "key '"].contains(where: { path.begins(with: $0) })
      {
        return .key(path: path)
      }
    }
    return nil
  }

  private static func sudo(_ text: String) -> AskpassPrompt? {
    for (start, end) in sudoPrompts {
      if let user = between("[sudo] " + start, end, text), !user.unicodeScalars.contains(" ") {
        return .sudo(user: user)
      }
    }
    return nil
  }

  // What sudo makes of `[sudo] password for %p: ` in other languages; the same words in each of its
  // versions. What stands behind the words is the end of the prompt.
  private static let sudoPrompts = [
    ("password for ", ": "), ("Passwort für ", ": "), ("Mot de passe de ", " : "),
    ("contraseña para ", ": "), ("password di ", ": "), ("senha para ", ": "),
    ("wachtwoord voor ", ": "), ("hasło użytkownika ", ": "), ("пароль для ", ": "),
    ("lösenord för ", ": "), ("adgangskode for ", ": "), ("passord for ", ": "),
    ("heslo pro ", ": "), ("heslo pre ", ": "), ("jelszó ehhez: ", ": "), ("parola pentru ", ": "),
    ("contrasenya per a ", ": "), ("pasahitza ", " -(r)entzat: "), ("", " için parola: "),
    ("", " のパスワード: "), ("", " 的密码："), ("", " 的密碼: "), ("", "의 암호: "),
  ]

  // `me@host's password: `; and since OpenSSH 8.5 `(me@host) Password: ` for the one question of a
  // server with PAM. What stands behind the parenthesis is the server's: any other word may ask for
  // something else, a code or a new password.
  private static func hostPassword(_ text: String) -> AskpassPrompt? {
    let hosts = [
      between("", "'s password: ", text), between("(", ") Password: ", text),
      between("(", ") password: ", text),
    ]
    guard let host = hosts.lazy.compactMap(\.self).first, host.unicodeScalars.contains("@"),
      !host.unicodeScalars.contains(where: { " '()\"".unicodeScalars.contains($0) })
    else { return nil }
    return .host(host)
  }

  private static func git(_ text: String) -> AskpassPrompt? {
    // git-lfs puts the address between double quotes, and nothing behind them.
    if let address = between("Username for '", "': ", text) ?? quoted("Username for ", text),
      let url = GitAddress(address)
    {
      return .gitUsername(scheme: url.scheme, host: url.host, path: url.path)
    }
    if let address = between("Password for '", "': ", text) ?? quoted("Password for ", text),
      let url = GitAddress(address)
    {
      return .gitPassword(
        scheme: url.scheme, host: url.host, path: url.path, username: url.username)
    }
    return nil
  }

  /// Returns the address that git-lfs asks for; one with an escaped character is none.
  private static func quoted(_ start: String, _ text: String) -> String? {
    guard text.begins(with: start + "\""), text.ends(with: "\"") else { return nil }
    let inner = text.utf8.dropFirst(start.utf8.count + 1).dropLast()
    return inner.isEmpty || inner.contains(0x22) || inner.contains(0x5C) ? nil : String(inner)
  }

  /// Returns the text between two others, if it is not empty; a blank at the prompt's end may be
  /// missing.
  private static func between(_ start: String, _ end: String, _ text: String) -> String? {
    let ends = end.ends(with: " ") ? [end, String(end.dropLast())] : [end]
    for end in ends where text.begins(with: start) && text.ends(with: end) {
      let rest = text.utf8.dropFirst(start.utf8.count)
      guard rest.count > end.utf8.count else { continue }
      return String(rest.dropLast(end.utf8.count))
    }
    return nil
  }
}
