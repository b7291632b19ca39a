import Foundation
import VaultPreferences
import VaultStorage

// preferences-benchmark: reads and writes of one process, ours beside corelibs' UserDefaults.
//
// Both keep ten and ten thousand keys. A line each: what, ours, theirs, ours divided by theirs. Then what a change costs
// among ten, ten thousand and a hundred thousand keys, as ratios to the first: it must not grow with the number of keys.

/// Nanoseconds of one call, the median of eleven rounds.
func nanoseconds(_ count: Int, _ body: (Int) -> Void) -> Double {
  let clock = ContinuousClock()
  let rounds = (0..<11).map { _ in
    let elapsed = clock.measure { for number in 0..<count { body(number) } }
    return elapsed / .nanoseconds(1) / Double(count)
  }
  return rounds.sorted()[5]
}

func row(_ what: String, _ ours: Double, _ theirs: Double) {
  func text(_ value: Double) -> String { String(format: "%.0f ns", value) }
  let ratio = String(format: "%.2f", ours / theirs)
  print("| \(what) | \(text(ours)) | \(text(theirs)) | \(ratio) |")
}

let home = try FileManager.default.url(
  for: .itemReplacementDirectory, in: .userDomainMask,
  appropriateFor: FileManager.default.temporaryDirectory, create: true)
defer { try? FileManager.default.removeItem(at: home) }

print("| in one process | vault | corelibs UserDefaults | ratio |")
print("| --- | --- | --- | --- |")
var sink = 0
for count in [10, 10_000] {
  let ours = try PreferenceStore(
    domain: "benchmark", location: StoreLocation(home: "\(home.path)/\(count)"))
  guard let theirs = UserDefaults(suiteName: "vault-benchmark-\(count)") else { exit(1) }
  for number in 0..<count {
    ours.set("value \(number)", forKey: "key\(number)")
    theirs.set("value \(number)", forKey: "key\(number)")
  }
  guard ours.synchronize() else { exit(1) }
  _ = theirs.synchronize()
  let keys = (0..<count).map { "key\($0)" }
  row(
    "string(forKey:), \(count) keys",
    nanoseconds(20_000) { sink += ours.string(forKey: keys[$0 % count])?.utf8.count ?? 0 },
    nanoseconds(20_000) { sink += theirs.string(forKey: keys[$0 % count])?.utf8.count ?? 0 })
  row(
    "integer(forKey:) of a missing key, \(count) keys",
    nanoseconds(20_000) { _ in sink += ours.integer(forKey: "missing") },
    nanoseconds(20_000) { _ in sink += theirs.integer(forKey: "missing") })
  row(
    "set(_:forKey:), \(count) keys",
    nanoseconds(2_000) { ours.set($0, forKey: keys[$0 % count]) },
    nanoseconds(2_000) { theirs.set($0, forKey: keys[$0 % count]) })
  guard ours.synchronize() else { exit(1) }
  theirs.removePersistentDomain(forName: "vault-benchmark-\(count)")
}
try printCostOfAChange(home: home.path)
guard sink > 0 else { exit(1) }
