/// What a computed property is told apart from others by: its getter, or its place in its class.
struct PropertyIdentity: Equatable {
  /// How `value` is to be read.
  let kind: UInt32
  let value: UInt
}

/// The headers of a key path's components, read from memory.
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

  /// What the runtime tells a key path's properties apart by, one for each named part.
  ///
  /// The text of a key path has the address of each getter instead. In a module that is compiled as
  /// a whole, as in a release build, every file has its own copy of a getter, so the same property
  /// has another text in each file; its identity is the same everywhere.
  ///
  /// - Returns: One element for each named part, `nil` for one without an identity: a stored
  ///   property of a structure, whose name the text has. `nil` where the memory is not as expected,
  ///   or a part takes arguments: then only the text is left.
  static func identities(_ path: AnyKeyPath) -> [PropertyIdentity?]? {
    guard RuntimeTricks.isOn(.keyPathHeaders), works else { return nil }
    return parts(path)
  }

  /// Whether key paths lie in memory as expected.
  static let works: Bool =
    takesArguments(Sample.generic(Sample.self)) && !takesArguments(\Sample.size)
    && !takesArguments(\Sample.double) && partsAreFound

  private static var partsAreFound: Bool {
    guard let double = parts(\Sample.double), let next = parts(\Sample.next),
      let chain = parts(\Sample.next?.double), let size = parts(\Sample.next?.size),
      let appended = parts((\Sample.this).appending(path: \Sample.double)),
      let this = parts(\Sample.this)
    else { return false }
    return double.count == 1 && double[0] != nil && double[0] != next[0] && chain == next + double
      && size.count == 2 && size[0] == next[0] && appended == this + double
  }

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

  /// The parts one by one; between two of them lies the type of the first one's value.
  private static func parts(_ path: AnyKeyPath) -> [PropertyIdentity?]? {
    let word = MemoryLayout<UInt>.size
    // Behind the object's header and the name's place: the size in the lowest 24 bits.
    let start = 3 * word
    return withExtendedLifetime(path) {
      let memory = unsafe UnsafeRawPointer(Unmanaged.passUnretained(path).toOpaque())
      let size = unsafe Int(memory.load(fromByteOffset: start, as: UInt32.self) & 0xFF_FFFF)
      let end = start + word + size
      var (offset, parts) = (start + word, [PropertyIdentity?]())
      while offset + 4 <= end {
        let header = unsafe memory.load(fromByteOffset: offset, as: UInt32.self)
        offset += 4
        switch (header >> 24) & 0x7F {
        case 1, 3:
          // A stored property; its place is behind the header where it has no room there.
          if header & 0x7F_FFFF == 0x7F_FFFF { offset += 4 }
          parts.append(nil)
        case 2:
          // A computed property: what it is told apart by, its getter, its setter if it has one.
          guard header & 0x0008_0000 == 0 else { return nil }
          offset = (offset + word - 1) / word * word
          let length = word * (header & 0x0040_0000 != 0 ? 3 : 2)
          guard offset + length <= end else { return nil }
          let value = unsafe memory.load(fromByteOffset: offset, as: UInt.self)
          parts.append(PropertyIdentity(kind: header & 0x0030_0000, value: value))
          offset += length
        case 4: break
        default: return nil
        }
        guard offset < end else { break }
        offset = (offset + word - 1) / word * word + word
      }
      return offset == end ? parts : nil
    }
  }

  /// A stored, a computed and a generic key path, to compare their headers.
  private final class Sample: Sized {
    var size = 0
    var double: Int { size * 2 }
    var this: Sample { self }
    var next: Sample? {
      get { nil }
      set { size += newValue == nil ? 0 : 1 }
    }

    // Not specialized: a program's generic functions may not be either.
    @inline(never) static func generic<T: Sized>(_ type: T.Type) -> AnyKeyPath { \T.size }
  }
}

private protocol Sized {
  var size: Int { get }
}
