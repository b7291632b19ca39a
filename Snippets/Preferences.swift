// Stores a preference and reads it back typed: the README's example.
import VaultPreferences

let theme = PreferenceKey<String>("theme", default: "system")

let preferences = try PreferenceStore(domain: "com.example.tool")
preferences.set("dark", forKey: "theme")
preferences.synchronize()
print(preferences.string(forKey: "theme") ?? "")  // dark
print(preferences[theme])  // dark
