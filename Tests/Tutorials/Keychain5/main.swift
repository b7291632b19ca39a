// swift-format-ignore-file
import Foundation
import Security

// keychain-tutorial SERVICE VERB …: what the tests run, each time a process of its own.

let words = CommandLine.arguments
let keychain = KeychainService(service: words[1])

func text(_ status: OSStatus) -> String {
  "\(status) \(SecCopyErrorMessageString(status, nil) as String? ?? "")"
}

do {
  switch words[2] {
  case "save": try keychain.save(words[4], account: words[3])
  case "load": print(try keychain.load(account: words[3]))
  case "update": try keychain.update(words[4], account: words[3])
  case "delete": try keychain.delete(account: words[3])
  case "data": print(KeychainForms.readData(words[3])?.count ?? -1)
  case "pointer": print(KeychainForms.readByPointer(words[3])?.count ?? -1)
  case "accounts": print(KeychainForms.accounts().joined(separator: " "))
  case "many":
    for number in 0..<Int(words[4])! { try keychain.save("\(number)", account: words[3] + "\(number)") }
  default: fatalError("no such verb")
  }
} catch KeychainError.unhandledError(let status) {
  print("unhandled", text(status))
} catch {
  print(error)
}
