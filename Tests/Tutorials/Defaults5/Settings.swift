// swift-format-ignore-file
import VaultUserDefaults

// What articles on UserDefaults show, with nothing changed but the import line.

extension UserDefaults {
  private enum Keys {
    static let theme = "theme"
    static let launches = "launches"
  }

  var theme: String {
    get { string(forKey: Keys.theme) ?? "system" }
    set { set(newValue, forKey: Keys.theme) }
  }

  var launches: Int {
    get { integer(forKey: Keys.launches) }
    set { set(newValue, forKey: Keys.launches) }
  }
}

@propertyWrapper
struct UserDefault<Value> {
  let key: String
  let defaultValue: Value
  var container: UserDefaults = .standard

  var wrappedValue: Value {
    get { container.object(forKey: key) as? Value ?? defaultValue }
    set { container.set(newValue, forKey: key) }
  }
}

enum Accent: String { case blue, green }

struct SettingsView {
  @AppStorage("isOn") var isOn = false
  @AppStorage("name") var name = "nobody"
  @AppStorage("count") var count = 1
  @AppStorage("ratio") var ratio = 0.5
  @AppStorage("accent") var accent = Accent.blue
  @AppStorage("last") var last: URL?
  @AppStorage("shared", store: UserDefaults(suiteName: "com.example.shared")) var shared: String?
}

struct Person: Codable, Equatable {
  var name: String
  var age: Int
}

extension UserDefaults {
  func setCodable<T: Codable>(_ value: T, forKey key: String) throws {
    set(try JSONEncoder().encode(value), forKey: key)
  }

  func codable<T: Codable>(_ type: T.Type, forKey key: String) -> T? {
    guard let data = data(forKey: key) else { return nil }
    return try? JSONDecoder().decode(type, from: data)
  }
}

final class ObserverOfDefaults: @unchecked Sendable {
  private(set) var count = 0
  private var token: NSObjectProtocol?

  init(_ defaults: UserDefaults) {
    token = NotificationCenter.default.addObserver(
      forName: UserDefaults.didChangeNotification, object: defaults, queue: nil
    ) { [unowned self] _ in self.noteChange() }
  }

  private func noteChange() { count += 1 }

  deinit {
    if let token { NotificationCenter.default.removeObserver(token) }
  }
}
