import Foundation

// appdata-benchmark compare [ROWS]: managed objects beside the C API and GRDB's records, same rows, one run.
// appdata-benchmark grow: what costs how much as the rows become more.
// appdata-benchmark scale: what each of many children of one object costs, and identifiers beside many objects.
// appdata-benchmark insert FOLDER: a million rows through one context, and its peak memory.
// appdata-benchmark walk FOLDER: a walk over these rows, and its peak memory.
// appdata-benchmark readings FOLDER: a million rows for the next.
// appdata-benchmark migrate FOLDER: a migration that changes each of these rows beside an UPDATE through the C API, and its peak memory.
// appdata-benchmark history [ROWS]: what is written with a history, and without.
// appdata-benchmark families [ROWS]: a class and one that inherits from it, beside a flat class.
// appdata-benchmark related [ENTRIES]: folders deleted with their entries, and queries through the relationship.
// appdata-benchmark observe: when another process's save is seen, and what waiting for it costs; by the clock.
// appdata-benchmark lines FOLDER: that process; a save for each line.
// appdata-benchmark repeat insert|fetch|update ROUNDS: rounds of 10,000 rows, for a counter of instructions.
//
// With `wall` as the last word the clock's time counts.

let words = CommandLine.arguments.dropFirst().filter { $0 != "wall" }
switch words.first {
case "compare": try compareLibraries(rows: words.dropFirst().first.flatMap { Int($0) } ?? 100_000)
case "grow": try grow()
case "scale": try scale()
case "insert": try insertMany(folder: words.dropFirst().first ?? ".", rows: 1_000_000)
case "walk": try walk(folder: words.dropFirst().first ?? ".")
case "readings": try makeReadings(folder: words.dropFirst().first ?? ".", rows: 1_000_000)
case "migrate": try migrateReadings(folder: words.dropFirst().first ?? ".")
case "history": try compareHistory(rows: words.dropFirst().first.flatMap { Int($0) } ?? 100_000)
case "families": try compareFamilies(rows: words.dropFirst().first.flatMap { Int($0) } ?? 100_000)
case "related": try compareRelated(rows: words.dropFirst().first.flatMap { Int($0) } ?? 100_000)
case "observe": try await observe()
case "lines": try saveByLines(folder: words.dropFirst().first ?? ".")
case "repeat":
  try repeatRounds(
    of: words.dropFirst().first ?? "", rounds: words.dropFirst(2).first.flatMap { Int($0) } ?? 1)
default: exit(64)
}
