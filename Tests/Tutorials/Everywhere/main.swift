// swift-format-ignore-file
import Foundation

// everywhere-tutorial: a program whose files import Foundation alone.

extension UserDefaults {
  var launches: Int {
    get { integer(forKey: "launches") }
    set { set(newValue, forKey: "launches") }
  }
}

struct Settings {
  @AppStorage("theme") var theme = "system"
}

UserDefaults.standard.launches += 1
let settings = Settings()
print(UserDefaults.standard.launches, settings.theme)
settings.theme = "dark"

let item: [String: Any] = [
  kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "everywhere",
  kSecAttrAccount as String: "me", kSecValueData as String: Data("s3cr3t".utf8),
]
print(SecItemAdd(item as CFDictionary, nil), SecCopyErrorMessageString(errSecDuplicateItem, nil) as String? ?? "")
