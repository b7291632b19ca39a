import Foundation

// A line for each figure, for Benchmarks/run, which makes the tables: what, whose, how many,
// seconds.

/// The processor's time counts, not the clock's, unless `wall` is the last word: other work on the
/// machine then tells on nobody.
let isWallTime = CommandLine.arguments.last == "wall"

func seconds(_ body: () throws -> Void) rethrows -> Double {
  if isWallTime { return try ContinuousClock().measure { try body() } / .seconds(1) }
  let start = clock()
  try body()
  return Double(clock() - start) / Double(CLOCKS_PER_SEC)
}

func printFigure(_ what: String, _ whose: String, _ count: Int, _ seconds: Double) {
  print("\(what)\t\(whose)\t\(count)\t\(seconds)")
}

/// One way of doing something, measured beside the others.
struct Way {
  let whose: String
  let body: (Int) throws -> Void

  init(_ whose: String, _ body: @escaping (Int) throws -> Void) {
    self.whose = whose
    self.body = body
  }
}

/// Prints the least time of each way; all take turns in each round, on a machine that is now
/// quicker, now slower.
func compare(_ what: String, _ count: Int, rounds: Int = roundCount, _ ways: [Way]) throws {
  var times = ways.map { _ in Double.infinity }
  for round in 0..<rounds {
    for (at, way) in ways.enumerated() {
      times[at] = min(times[at], try seconds { try way.body(round) })
    }
  }
  for (way, time) in zip(ways, times) { printFigure(what, way.whose, count, time) }
}

/// At most ten: each deletes a tenth of the rows, and what is left is nothing to measure.
let roundCount = 9

/// The most memory that this process has had, in bytes.
func peakMemory() throws -> Int {
  let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
  let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM") } ?? ""
  return (Int(line.filter(\.isNumber)) ?? 0) * 1_024
}

func temporaryFolder() throws -> String {
  let folder = FileManager.default.temporaryDirectory.path + "/vault-bench-\(UUID().uuidString)"
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  return folder
}
