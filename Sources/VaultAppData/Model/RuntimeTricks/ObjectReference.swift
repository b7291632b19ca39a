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

  deinit { unsafe Self.release(address) }

  /// Leads to another object, or nowhere.
  mutating func lead(to object: AnyObject?) {
    lead(to: object, isWeak: !RuntimeTricks.isOn(.unownedReferences))
  }

  private mutating func lead(to object: AnyObject?, isWeak: Bool) {
    let old = unsafe address
    if isWeak {
      unsafe address = object.map {
        unsafe Unmanaged.passRetained(WeakBox($0)).toOpaque() + 1
      }
    } else {
      let new = unsafe object.map { unsafe Unmanaged.passUnretained($0).toOpaque() }
      if let new = unsafe new { unsafe swift_unownedRetain(new) }
      unsafe address = unsafe new
    }
    unsafe Self.release(old)
  }

  /// Whether it is a reference to an object that the caller holds.
  func leads(to object: AnyObject) -> Bool {
    if let box = unsafe Self.box(address) { return box.object === object }
    return unsafe address == Unmanaged.passUnretained(object).toOpaque()
  }

  /// The object; `nil` if there is none any more.
  var object: AnyObject? {
    guard let address = unsafe address else { return nil }
    if let box = unsafe Self.box(address) { return box.object }
    guard let held = unsafe swift_tryRetain(address) else { return nil }
    return unsafe Unmanaged<AnyObject>.fromOpaque(held).takeRetainedValue()
  }

  /// The box that an address leads to; objects lie at multiples of 16.
  private static func box(_ address: UnsafeMutableRawPointer?) -> WeakBox? {
    guard let address = unsafe address, UInt(bitPattern: address) & 1 != 0 else {
      return nil
    }
    return unsafe Unmanaged<WeakBox>.fromOpaque(address - 1).takeUnretainedValue()
  }

  private static func release(_ address: UnsafeMutableRawPointer?) {
    guard let address = unsafe address else { return }
    if UInt(bitPattern: address) & 1 != 0 {
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
      reference.lead(to: sample, isWeak: false)
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
    reference.lead(to: sample, isWeak: false)
    withExtendedLifetime(sample) {}
  }
}
