import CVaultSodium

// libsodium declares its pointers nonnull even for 0 bytes, so an empty span passes a pointer to a
// byte that is never read.

extension RawSpan {
  /// Calls `body` with a pointer that libsodium accepts.
  @unsafe func withPointer<Result>(_ body: (UnsafePointer<UInt8>) -> Result) -> Result {
    unsafe withUnsafeBytes { buffer in
      if let base = unsafe buffer.bindMemory(to: UInt8.self).baseAddress {
        return unsafe body(base)
      }
      var nothing: UInt8 = 0
      return unsafe body(&nothing)
    }
  }
}

extension SecretBytes {
  /// Calls `body` with a pointer that libsodium accepts.
  @unsafe func withPointer<Result>(_ body: (UnsafePointer<UInt8>) -> Result) -> Result {
    withBytes { unsafe $0.withPointer(body) }
  }

  /// Returns secret bytes that a call of libsodium writes; `nil` if the call fails.
  @unsafe static func filled(
    count: Int, by body: (UnsafeMutablePointer<UInt8>) -> Int32
  ) throws(SealingError) -> SecretBytes? {
    do {
      return try SecretBytes(capacity: count) { output in
        let status = unsafe output.withUnsafeMutableBytes { buffer in
          if let base = unsafe buffer.bindMemory(to: UInt8.self).baseAddress {
            return unsafe body(base)
          }
          var nothing: UInt8 = 0
          return unsafe body(&nothing)
        }
        guard status == 0 else { throw Refused() }
        return count
      }
    } catch is Refused {
      return nil
    } catch let error as SealingError {
      throw error
    } catch {
      throw SealingError(.outOfMemory, "no memory for \(count) secret bytes")
    }
  }

  private struct Refused: Error {}
}

extension Array<UInt8> {
  /// Returns an array of `count` bytes that a call of libsodium writes.
  @unsafe static func filled(
    count: Int, by body: (UnsafeMutablePointer<UInt8>) -> Void
  ) -> [UInt8] {
    guard count > 0 else { return [] }
    return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
      if let base = buffer.baseAddress { unsafe body(base) }
      written = count
    }
  }
}
