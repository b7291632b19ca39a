import VaultAppData

// The same predicates by both macros: what each says of an object, and what a store finds. A process
// of its own for each predicate: some end the program, in both.

@Model
final class Probe {
  var n: Int
  var opt: Int?
  var kind: String
  var note: String?
  var ratio: Double
  var done: Bool
  var tags: [String]
  init(_ r: Plain) {
    (n, opt, kind, note, ratio, done, tags) = (r.n, r.opt, r.kind, r.note, r.ratio, r.done, r.tags)
  }
}

struct Values: Sendable {
  var a = 0, b = 0, c = 0, o: Int?, s: String?, x = 0.0, y = 0.0, flag = false
  var list: [Int] = [], names: [String] = [], map: [String: Int] = [:]

  init(_ random: inout some RandomNumberGenerator) {
    let numbers = [-1, 0, 0, 1, 2, 3, Int.max, Int.min]
    func number() -> Int { numbers.randomElement(using: &random) ?? 0 }
    func text() -> String { ["", "x", "y", "ab"].randomElement(using: &random) ?? "" }
    func half() -> Bool { Bool.random(using: &random) }
    (a, b, c, flag) = (number(), number(), number(), half())
    if half() { o = number() }
    if half() { s = text() }
    (x, y) = (Double(number()), half() ? 0 : 0.5)
    list = (0..<Int.random(in: 0..<4, using: &random)).map { _ in number() }
    names = (0..<Int.random(in: 0..<3, using: &random)).map { _ in text() }
    if half() { map["x"] = number() }
  }
}

extension Plain {
  func configure(_ values: Values) {
    n = values.c & 3
    opt = values.flag ? values.o : 2
    done = values.a > 0
    note = values.b == 0 ? nil : values.s
    kind = values.names.first ?? "x"
    tags = values.flag ? ["x", "ab"] : []
  }
}

/// Answers for one predicate, one letter for each set of values: `t`, `f`, `e` for an error.
func answer(_ form: Int, _ values: ArraySlice<Values>, by way: Int, to pipe: Int32) throws {
  let row = Plain()
  let memory = ModelConfiguration(isStoredInMemoryOnly: true)
  let context = ModelContext(try ModelContainer(for: Probe.self, configurations: memory))
  for value in values {
    row.configure(value)
    if way == 2 {
      try context.delete(model: Probe.self)
      context.insert(Probe(row))
      try context.save()
    }
    let letter: String
    do {
      let isTrue =
        switch way {
        case 0: try PlainForms.all[form](value).evaluate(row)
        case 1: try ProbeForms.all[form](value).evaluate(Probe(row))
        default:
          try context.fetchCount(
            FetchDescriptor<Probe>(predicate: ProbeForms.all[form](value))) == 1
        }
      letter = isTrue ? "t" : "f"
    } catch let error as SwiftDataError {
      FileHandle.standardError.write(Data("\(form): \(error)\n".utf8))
      letter = "u"
    } catch {
      letter = "e"
    }
    guard write(pipe, letter, 1) == 1 else { return }
  }
}

/// The letters of one predicate; `x` where the program ended.
func answers(_ form: Int, _ values: [Values], by way: Int) -> String {
  var letters = ""
  while letters.utf8.count < values.count {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { fatalError("no pipe") }
    let child = fork()
    if child == 0 {
      try? answer(form, values[letters.utf8.count...], by: way, to: ends[1])
      // Without what the parent has not printed yet.
      _exit(0)
    }
    close(ends[1])
    var byte: UInt8 = 0
    while read(ends[0], &byte, 1) == 1 { letters.append(Character(Unicode.Scalar(byte))) }
    close(ends[0])
    var status: Int32 = 0
    waitpid(child, &status, 0)
    if letters.utf8.count < values.count { letters.append("x") }
  }
  return letters
}

@main
struct Program {
  static func main() {
    var random = Numbers(state: UInt64(CommandLine.arguments[1]) ?? 1)
    let values = (0..<(Int(CommandLine.arguments[2]) ?? 1)).map { _ in Values(&random) }
    for form in PlainForms.all.indices {
      print(form, (0..<3).map { answers(form, values, by: $0) }.joined(separator: " "))
    }
  }
}

struct Numbers: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ (state >> 31)
  }
}
