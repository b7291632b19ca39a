import Testing
import VaultProtocols

struct AskpassPromptTests {
  @Test(arguments: [
    ("Enter passphrase for key '/home/d/.ssh/id': ", AskpassPrompt.key(path: "/home/d/.ssh/id")),
    ("Enter passphrase for /home/d/a b: ", .key(path: "/home/d/a b")),
    ("Enter passphrase for /k (will confirm each use): ", .key(path: "/k")),
    ("david@host.example's password: ", .host("david@host.example")),
    (
      "Username for 'https://example.com': ",
      .gitUsername(scheme: "https", host: "example.com", path: nil)
    ),
    (
      "Password for 'https://a%40b@example.com:8443/x.git': ",
      .gitPassword(scheme: "https", host: "example.com:8443", path: "x.git", username: "a@b")
    ),
    ("[sudo] password for david: ", .sudo(user: "david")),
    ("(david@host.example) Password: ", .host("david@host.example")),
    ("(david@host.example) password: ", .host("david@host.example")),
    ("Enter passphrase for \"/home/d/.ssh/id\": ", .key(path: "/home/d/.ssh/id")),
    ("Enter passphrase for \"keys/id\": ", .key(path: "keys/id")),
    ("Enter passphrase for .ssh/id: ", .key(path: ".ssh/id")),
    ("Enter passphrase for id (will confirm each use): ", .key(path: "id")),
    ("Enter passphrase: ", .keyOfCaller), ("Enter old passphrase: ", .keyOfCaller),
    (
      "Username for \"https://example.com/x\"",
      .gitUsername(scheme: "https", host: "example.com", path: "x")
    ),
    (
      "Password for \"https://me@example.com\"",
      .gitPassword(scheme: "https", host: "example.com", path: nil, username: "me")
    ),
    (
      "Password for 'smtp://me@mail.example:587': ",
      .gitPassword(scheme: "smtp", host: "mail.example:587", path: nil, username: "me")
    ),
    ("[sudo] Passwort für david: ", .sudo(user: "david")),
    ("[sudo] Mot de passe de david : ", .sudo(user: "david")),
    ("[sudo] david のパスワード: ", .sudo(user: "david")),
    ("[sudo] david 的密码：", .sudo(user: "david")),
  ])
  func aKnownPromptIsUnderstood(text: String, prompt: AskpassPrompt) {
    #expect(AskpassPrompt(text) == prompt)
  }

  @Test(arguments: [
    "", "Password: ", "Enter PIN for authenticator: ", "Enter passphrase for key '': ",
    "Bad passphrase, try again for /k: ", "Enter passphrase (empty for no passphrase): ",
    "Are you sure you want to continue connecting (yes/no/[fingerprint])? ",
    "Enter passphrase for key '/k': \nEnter passphrase for key '/other': ",
    "Password for 'https://a%0Ab@example.com': ", "Password for 'https://a%zz@example.com': ",
    "Password for 'example.com': ", "(david@host) Verification code: ", "'s password: ",
    "(david@evil) Password for david@bank: ", "(david@evil) other@bank's password: ",
    "(a@b) (c@d) Password: ", "(david) Password: ",
    "Username for 'https://example.com'", "x\u{0}david@host's password: ",
  ])
  func anyOtherPromptIsNotGuessed(text: String) {
    #expect(AskpassPrompt(text) == nil)
  }
}
