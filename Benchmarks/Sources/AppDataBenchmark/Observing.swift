import Foundation
import VaultAppData

/// Nanoseconds of a clock that all processes share.
private func now() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// Saves a row for each line of standard input, and says when the save had returned.
func saveByLines(folder: String) throws {
  let context = newContext(try container(folder))
  var number = 0
  while readLine() != nil {
    context.insert(Item(number))
    try context.save()
    FileHandle.standardOutput.write(Data("\(now())\n".utf8))
    number += 1
  }
}

/// The time from another process's save to its results here, and what it costs to wait for none.
func observe() async throws {
  let folder = try temporaryFolder()
  defer { try? FileManager.default.removeItem(atPath: folder) }
  let container = try container(folder)
  var changes = container.changes(to: FetchDescriptor<Item>()).makeAsyncIterator()
  _ = try await changes.next()
  let (input, output) = (Pipe(), Pipe())
  let writer = Process()
  writer.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
  writer.arguments = ["lines", folder]
  writer.standardInput = input
  writer.standardOutput = output
  try writer.run()
  let rounds = 200
  var delays: [Double] = []
  for _ in 0..<rounds {
    try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
    guard try await changes.next() != nil else { exit(1) }
    let seen = now()
    var line = Data()
    while line.last != UInt8(ascii: "\n"),
      let byte = try output.fileHandleForReading.read(upToCount: 1)
    {
      line += byte
    }
    let saved = UInt64(String(decoding: line.dropLast(), as: UTF8.self)) ?? 0
    // The results may be here before the other process gets to look at the clock.
    delays.append(seen > saved ? Double(seen - saved) / 1e9 : 0)
    try await Task.sleep(for: .milliseconds(5))
  }
  try input.fileHandleForWriting.close()
  writer.waitUntilExit()
  delays.sort()
  printFigure("another process's save is seen after", "vault", rounds, delays[rounds / 2])
  printFigure("99 of 100 are seen after", "vault", rounds, delays[rounds * 99 / 100])
  // The connections that were used are closed before.
  try await Task.sleep(for: .seconds(60))
  let start = clock()
  try await Task.sleep(for: .seconds(10))
  printFigure(
    "processor time of an observer in 10 quiet seconds", "vault", 1,
    Double(clock() - start) / Double(CLOCKS_PER_SEC))
}
