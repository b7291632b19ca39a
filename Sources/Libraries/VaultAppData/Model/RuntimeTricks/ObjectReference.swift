import CVaultSwiftRuntime

/// A reference that does not hold its object and knows when it is gone, as `weak` does.
///
/// A `weak` reference gives its object a side table: an allocation for each row of a fetch, and a
/// detour for each change of the object's reference count from then on. This one keeps the object's
/// memory, as `unowned` does, and asks the object's own count whether it still lives, safely from
/// any thread.
@safe struct ObjectReference: ~Copyable {
  /// The object, whose memory is kept; with the lowest bit set, a ``WeakBox``: the slow path.
  private var address: UnsafeMutableRawPointer?

  /// The slow path: a reference of the language's own, in a box of the size of a pointer.
  private final class WeakBox {
    weak var object: AnyObject?
    init(_ object: AnyObject) { self.object = object }
  }

  /// Leads nowhere.
  init() {}

  deinit {
    if let address = unsafe address { unsafe Self.release(address) }
  }

  /// Leads to another object, or nowhere.
  mutating func lead(to object: AnyObject?) {
    guard RuntimeTricks.isOn(.unownedReferences) else { return leadWeakly(to: object) }
    leadUnowned(to: object)
  }

  private mutating func leadUnowned(to object: AnyObject?) {
    let old = unsafe address
    let new = unsafe object.map { unsafe Unmanaged.passUnretained($0).toOpaque() }
    if let new = unsafe new { unsafe swift_unownedRetain(new) }
    unsafe address = unsafe new
    if let old = unsafe old { unsafe Self.release(old) }
  }

  @inline(never) private mutating func leadWeakly(to object: AnyObject?) {
    let old = unsafe address
    unsafe address = object.map { unsafe Unmanaged.passRetained(WeakBox($0)).toOpaque() + 1 }
    if let old = unsafe old { unsafe Self.release(old) }
  }

  /// Whether it is a reference to an object that the caller holds.
  func leads(to object: AnyObject) -> Bool {
    if unsafe address == Unmanaged.passUnretained(object).toOpaque() { return true }
    guard let address = unsafe address, unsafe Self.isBox(address) else { return false }
    return unsafe Self.box(address).object === object
  }

  /// The object; `nil` if there is none any more.
  var object: AnyObject? {
    guard let address = unsafe address else { return nil }
    if unsafe Self.isBox(address) { return unsafe Self.box(address).object }
    guard let held = unsafe swift_tryRetain(address) else { return nil }
    return unsafe Unmanaged<AnyObject>.fromOpaque(held).takeRetainedValue()
  }

  /// Whether an address is that of a box; objects are at multiples of 16.
  @inline(__always) private static func isBox(_ address: UnsafeMutableRawPointer) -> Bool {
    UInt(bitPattern: address) & 1 != 0
  }

  @inline(never) private static func box(_ address: UnsafeMutableRawPointer) -> WeakBox {
    unsafe Unmanaged<WeakBox>.fromOpaque(address - 1).takeUnretainedValue()
  }

  private static func release(_ address: UnsafeMutableRawPointer) {
    if unsafe isBox(address) {
      unsafe Unmanaged<WeakBox>.fromOpaque(address - 1).release()
    } else {
      unsafe swift_unownedRelease(address)
    }
  }

  /// Whether the runtime counts references as this type expects.
  static func works() -> Bool {
    final class Sample {}
    var reference = ObjectReference()
    let sample = Sample()
    let isFound = withExtendedLifetime(sample) {
      reference.leadUnowned(to: sample)
      return reference.object === sample
    }
    guard isFound else { return false }
    var gone = ObjectReference()
    Self.leadToNewObject(&gone)
    return gone.object == nil
  }

  /// Leads a reference to an object that is gone when this returns.
  @inline(never) private static func leadToNewObject(_ reference: inout ObjectReference) {
    final class Sample {}
    let sample = Sample()
    reference.leadUnowned(to: sample)
    withExtendedLifetime(sample) {}
  }
}
