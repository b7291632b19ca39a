import Glibc

/// An array of C strings that ends with NULL, for execve(2) and posix_spawn(3).
///
/// It is never freed: execve(2) drops it with the whole image, and a spawn is rare.
@unsafe struct CStrings {
  let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

  init(_ strings: [String]) { unsafe self.init(strings.map { Array($0.utf8) }) }

  /// Copies words of bytes, which need not be UTF-8.
  init(_ words: [[UInt8]]) {
    unsafe pointers = .allocate(capacity: words.count + 1)
    for (index, word) in words.enumerated() {
      let copy = unsafe word.withUnsafeBytes { bytes in
        unsafe bytes.bindMemory(to: CChar.self).baseAddress.map { unsafe strndup($0, bytes.count) }
      }
      unsafe (pointers + index).initialize(to: copy ?? strdup(""))
    }
    unsafe (pointers + words.count).initialize(to: nil)
  }
}
