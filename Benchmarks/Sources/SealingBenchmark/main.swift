import CSodium
import Foundation
import VaultSealing

// sealing-benchmark: sealing and opening, ours beside libsodium itself, which writes to the same
// buffer again and again; ours hands out memory of its own each time, locked where it is plaintext.
//
// A line for each figure, for Benchmarks/run, which makes the tables: what, whose, how many bytes,
// seconds of a call.

guard sodium_init() >= 0 else { exit(1) }
let key = try SecretBytes.random(count: AuthenticatedEncryption.keyLength)
let keyBytes = [UInt8](repeating: 7, count: AuthenticatedEncryption.keyLength)
let context = Array("benchmark".utf8)
for count in [64, 1 << 10, 16 << 10, 1 << 20, 64 << 20] { try compare(count) }

/// The least processor time of a call.
@MainActor
func least(_ ways: [() throws -> Void], calls: Int) throws -> [Double] {
  var times = ways.map { _ in Double.infinity }
  for _ in 0..<25 {
    for (at, way) in ways.enumerated() {
      let start = clock()
      for _ in 0..<calls { try way() }
      times[at] = min(times[at], Double(clock() - start) / Double(CLOCKS_PER_SEC) / Double(calls))
    }
  }
  return times
}

@MainActor
func compare(_ count: Int) throws {
  let plain = [UInt8](repeating: 1, count: count)
  let sealed = try AuthenticatedEncryption.seal(plain.span.bytes, key: key, context: context)
  let nonce = [UInt8](repeating: 2, count: AuthenticatedEncryption.nonceLength)
  var theirs = [UInt8](repeating: 0, count: count + AuthenticatedEncryption.tagLength)
  var opened = [UInt8](repeating: 0, count: count)
  func seal() {
    crypto_aead_xchacha20poly1305_ietf_encrypt(
      &theirs, nil, plain, UInt64(count), context, UInt64(context.count), nil, nonce, keyBytes)
  }
  func open() {
    let result = crypto_aead_xchacha20poly1305_ietf_decrypt(
      &opened, nil, nil, theirs, UInt64(theirs.count), context, UInt64(context.count), nonce,
      keyBytes)
    guard result == 0 else { exit(1) }
  }
  seal()
  let calls = max(1, (8 << 20) / (count + 1024))
  let times = try least(
    [
      { _ = try AuthenticatedEncryption.seal(plain.span.bytes, key: key, context: context) },
      seal,
      { _ = try AuthenticatedEncryption.open(sealed, key: key, context: context) },
      open,
    ], calls: calls)
  // The aim is for what takes time.
  let kind = count < 16 << 10 ? ", short" : ""
  print("seal\(kind)\tvault\t\(count)\t\(times[0])")
  print("seal\(kind)\tlibsodium\t\(count)\t\(times[1])")
  print("open\(kind)\tvault\t\(count)\t\(times[2])")
  print("open\(kind)\tlibsodium\t\(count)\t\(times[3])")
}
