import FuzzTargets
import Glibc

/// What libFuzzer calls for each input: llvm.org/docs/LibFuzzer.html, "Fuzz Target".
///
/// It keeps inputs that end the process, so what is wrong with an answer ends it, too.
@_cdecl("LLVMFuzzerTestOneInput")
public func decodeOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let input = [UInt8](UnsafeBufferPointer(start: start, count: count))
  if let finding = chosenTarget.finding(in: input) { fatalError(finding) }
  return 0
}

/// The target that the variable `FUZZ_TARGET` names.
private let chosenTarget: FuzzTarget = {
  let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? ""
  guard let target = ([.planted] + FuzzTarget.all).first(where: { $0.name == name }) else {
    let names = FuzzTarget.all.map(\.name).joined(separator: " ")
    print("FUZZ_TARGET must be one of: \(names)")
    exit(64)
  }
  return target
}()
