/// The header of a key path's first component, read from memory.
enum KeyPathHeader {
  /// Whether the getter of a key path takes arguments, as one that serves many types does.
  ///
  /// Only such key paths are tried by ``ModelDescription/index(ofGeneric:)``, so that the program's
  /// own computed properties are never run for a guess. Where the layout is not the one expected,
  /// every key path may be such a one.
  static func mayLeadThroughProtocol(_ path: AnyKeyPath) -> Bool {
    guard RuntimeTricks.isOn(.keyPathHeaders), works else { return true }
    return takesArguments(path)
  }

  /// Whether key paths lie in memory as expected.
  static let works: Bool =
    takesArguments(Sample.generic(Sample.self)) && !takesArguments(\Sample.size)
    && !takesArguments(\Sample.double)

  /// The layout is that of the compiler's key path patterns (swift/docs/ABI/KeyPaths.md): after the
  /// object's header and the name's place follow the buffer's header and the first component's.
  private static func takesArguments(_ path: AnyKeyPath) -> Bool {
    let offset = 4 * MemoryLayout<UInt>.size
    let header = withExtendedLifetime(path) {
      unsafe Unmanaged.passUnretained(path).toOpaque().load(fromByteOffset: offset, as: UInt32.self)
    }
    // Kind 2 in the lowest bits of the highest byte: computed; bit 19: with arguments.
    return (header >> 24) & 0x7F == 2 && header & 0x0008_0000 != 0
  }

  /// A stored, a computed and a generic key path, to compare their headers.
  private final class Sample: Sized {
    var size = 0
    var double: Int { size * 2 }

    // Not specialized: a program's generic functions may not be either.
    @inline(never) static func generic<T: Sized>(_ type: T.Type) -> AnyKeyPath { \T.size }
  }
}

private protocol Sized {
  var size: Int { get }
}
