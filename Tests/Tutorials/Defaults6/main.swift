// swift-format-ignore-file
import VaultUserDefaults

// defaults-tutorial VERB: what the tests run, each time a process of its own.

let defaults = UserDefaults.standard

switch CommandLine.arguments.dropFirst().first {
case "write":
  let observer = ObserverOfDefaults(defaults)
  defaults.register(defaults: ["theme": "registered", "level": 7])
  defaults.theme = "dark"
  defaults.launches += 1
  var setting = UserDefault(key: "wrapped", defaultValue: [1, 2], container: defaults)
  setting.wrappedValue = [3, 4]
  let view = SettingsView()
  view.isOn = true
  view.name = "me"
  view.count = 5
  view.ratio = 1.25
  view.accent = .green
  view.last = URL(fileURLWithPath: "/tmp/file")
  view.shared = "both"
  try defaults.setCodable(Person(name: "Ann", age: 30), forKey: "person")
  defaults.setValue(["a": ["b": true]], forKey: "nested")
  defaults.set(Date(timeIntervalSince1970: 1), forKey: "date")
  print(observer.count > 5)
case "read":
  defaults.register(defaults: ["level": 7])
  print(defaults.theme, defaults.launches, defaults.integer(forKey: "level"))
  print(UserDefault(key: "wrapped", defaultValue: [1, 2], container: defaults).wrappedValue)
  let view = SettingsView()
  print(view.isOn, view.name, view.count, view.ratio, view.accent, view.last?.path ?? "none")
  print(view.shared ?? "none", UserDefaults(suiteName: "com.example.shared")?.string(forKey: "shared") ?? "none")
  print(defaults.codable(Person.self, forKey: "person") == Person(name: "Ann", age: 30))
  print((defaults.dictionary(forKey: "nested")?["a"] as? [String: Bool])?["b"] ?? false)
  print((defaults.object(forKey: "date") as? Date)?.timeIntervalSince1970 ?? 0)
case "many":
  for number in 0..<200 { defaults.set(number, forKey: "\(CommandLine.arguments[2])-\(number)") }
case "count":
  print(defaults.dictionaryRepresentation().keys.filter { $0.contains("-") }.count)
default: fatalError("no such verb")
}
