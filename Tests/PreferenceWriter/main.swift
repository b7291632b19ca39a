import Glibc
import VaultPreferences
import VaultStorage

// Writers in processes of their own: what tests of several writers run.
//
//   preference-writer HOME NAME COUNT AT-A-TIME
//   preference-writer suite NAME        whether there can be a suite of this name
//   preference-writer user DOMAIN KEY   the key's value in the user's own store, which is then set,
//                                       and whether that is durable

let words = CommandLine.arguments
if words.count == 3, words[1] == "suite" {
  print(PreferenceStore(suiteName: words[2]) == nil ? "none" : "suite")
  exit(0)
}
if words.count == 4, words[1] == "user" {
  do {
    let store = try PreferenceStore(domain: words[2])
    print(store.string(forKey: words[3]) ?? "none")
    print(store.problem == nil ? "no problem" : "problem")
    print(store.set("own", forKey: words[3]), store.string(forKey: words[3]) ?? "none")
    print(store.synchronize())
    exit(0)
  } catch {
    print(error)
    exit(1)
  }
}
guard words.count == 5, let count = Int(words[3]), let step = Int(words[4]) else { exit(64) }
do {
  guard
    let database = try PreferenceDatabase.open(
      StoreLocation(home: words[1]), mode: .write, process: words[2])
  else { exit(1) }
  // Several transactions: each waits for the other process's.
  for start in stride(from: 0, to: count, by: step) {
    try database.transaction { transaction in
      for number in start..<min(start + step, count) {
        try transaction.set(
          .integer(Int64(number)), "\(words[2])-\(number)", in: PreferenceDomain("d"))
      }
    }
  }
} catch {
  print(error)
  exit(1)
}
