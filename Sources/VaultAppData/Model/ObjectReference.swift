import CVaultSwiftRuntime

/// A reference that does not hold its object and knows when it is gone, as `weak` does.
///
/// A `weak` reference gives its object a side table: an allocation for each row of a fetch, and a detour for each
/// change of the object's reference count from then on. This one keeps the object's memory, as `unowned` does, and
/// asks the object's own count whether it still lives, safely from any thread.
@safe struct ObjectReference: ~Copyable {
  private var address: UnsafeMutableRawPointer?

  /// Leads nowhere.
  init() {}

  deinit {
    if let address = unsafe address { unsafe swift_unownedRelease(address) }
  }

  /// Leads to another object, or nowhere.
  mutating func lead(to object: AnyObject?) {
    let old = unsafe address
    let new = unsafe object.map { unsafe Unmanaged.passUnretained($0).toOpaque() }
    if let new = unsafe new { unsafe swift_unownedRetain(new) }
    unsafe address = unsafe new
    if let old = unsafe old { unsafe swift_unownedRelease(old) }
  }

  /// Whether it is a reference to an object that the caller holds.
  func leads(to object: AnyObject) -> Bool {
    unsafe address == Unmanaged.passUnretained(object).toOpaque()
  }

  /// The object; `nil` if there is none any more.
  var object: AnyObject? {
    guard let address = unsafe address, let held = unsafe swift_tryRetain(address) else {
      return nil
    }
    return unsafe Unmanaged<AnyObject>.fromOpaque(held).takeRetainedValue()
  }
}
