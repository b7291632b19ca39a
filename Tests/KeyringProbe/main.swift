import Glibc
import VaultCredentials
import VaultCredentialsTesting
import VaultKeyringTransport
import VaultSealing

// libsecret is one per process and dies with its bus: tests of the keyring run this program, which
// makes one call of the package's seam per word and prints what came of it.
//
//   keyring-probe [--timeout MS] [--prompt MS] [--encrypted] [--library NAME] [--direct] COMMAND …

var options = KeyringOptions()
var words = Array(CommandLine.arguments.dropFirst())

@MainActor func next() -> String { words.isEmpty ? "" : words.removeFirst() }

/// All of standard input.
func input() throws -> SecretBytes {
  var bytes: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 65536)
  while case let count = unsafe read(0, &chunk, chunk.count), count > 0 {
    bytes += chunk.prefix(count)
  }
  return try SecretBytes(copying: bytes)
}

func output(_ secret: SecretBytes) {
  secret.withBytes { bytes in
    unsafe bytes.withUnsafeBytes { buffer in
      var rest = unsafe buffer[...]
      while unsafe !rest.isEmpty {
        let count = unsafe write(1, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        guard count > 0 else { return }
        unsafe rest = unsafe rest.dropFirst(count)
      }
    }
  }
}

func show(_ item: KeyringItem) {
  let attributes = item.attributes.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
  print("\(item.path) \(item.isLocked ? "locked" : "unlocked") [\(item.label)]", terminator: " ")
  print(attributes.joined(separator: ","), item.ownerHint ?? "-")
}

while words.first?.hasPrefix("--") == true {
  switch next() {
  case "--timeout": options.timeout = .milliseconds(Int(next()) ?? 0)
  case "--prompt":
    options.allowsPrompt = true
    options.promptTimeout = .milliseconds(Int(next()) ?? 0)
  case "--encrypted": options.requiresEncryptedSession = true
  case "--library": options.libraryName = next()
  case "--direct":
    let lookup = SecretLookup()
    options.lookup = { identity, bus, end in
      try lookup.secret(of: identity, bus: bus, until: end)
    }
  default: exit(64)
  }
}

let keyring = Keyring(options: options)
let command = next()
do {
  switch command {
  case "probe":
    let report = keyring.probe(openingSession: true)
    print("state", report.obstacle?.state.rawValue ?? "unlocked")
    print("owner", report.owner?.program ?? "-")
    print("encrypted", report.isSessionEncrypted.map { "\($0)" } ?? "-")
  case "secret":
    output(try keyring.secret(of: KeyringIdentity(service: next(), username: next())))
  case "secrets":
    var paths: [String] = []
    for item in try keyring.items(matching: ["service": next()]).unlocked {
      paths.append(item.path)
    }
    print(try keyring.secrets(of: paths).count)
  case "items":
    let matches = try keyring.allItems()
    (matches.unlocked + matches.locked).forEach(show)
  case "create":
    let identity = KeyringIdentity(service: next(), username: next())
    print(try keyring.create(identity, label: "vault: \(identity.username)", secret: input()))
  case "change":
    let path = next()
    try keyring.change(
      path, of: KeyringIdentity(service: next(), username: next()), to: input())
  case "delete":
    try keyring.delete(next(), of: KeyringIdentity(service: next(), username: next()))
  case "unlock": try keyring.unlock(cancellation: nil)
  case "unlock-given-up":
    let cancellation = PromptCancellation()
    cancellation.cancel()
    try keyring.unlock(cancellation: cancellation)
  case "unlock-password": print(try keyring.unlock(password: input(), for: []).rawValue)
  case "lock": try keyring.lock()
  case "contract":
    let contract = KeyringContract(of: keyring)
    do throws(ContractViolation) {
      switch words.first {
      case "locked": try contract.checkWhileLocked()
      case let name?:
        guard let rule = KeyringContract.Rule(rawValue: name) else { exit(64) }
        try contract.check(rule)
      case nil: try contract.check()
      }
      print("holds")
    } catch {
      print(error)
    }
  default: exit(64)
  }
} catch let error as KeyringError {
  print("error", error.state.rawValue)
  exit(1)
}
