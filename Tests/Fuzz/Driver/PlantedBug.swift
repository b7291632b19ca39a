import FuzzTargets

extension FuzzTarget {
  /// A decoder with a bug, which a fuzzer that works finds within seconds: it trusts a length.
  static let planted = FuzzTarget("planted") { input in
    guard input.starts(with: Array("VLT".utf8)), input.count >= 4 else { return }
    _ = input[4..<4 + Int(input[3])].reduce(0) { $0 ^ $1 }
  }
}
