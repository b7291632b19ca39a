import Glibc

/// Which record an object is being made for, on this thread.
///
/// A class's initial values are computed before its `init(backingData:)` runs, for each object made
/// from a row. They must find the storage that the object is going to have, and leave it alone.
enum Materialization {
  private static let slot: pthread_key_t = {
    var key = pthread_key_t()
    precondition(unsafe pthread_key_create(&key, nil) == 0, "no key for a value of a thread")
    return key
  }()

  static var record: _AppData.Record? {
    guard let pointer = unsafe pthread_getspecific(slot) else { return nil }
    return unsafe Unmanaged<_AppData.Record>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// Makes the object of a record.
  static func make<Model: PersistentModel>(
    _ type: Model.Type, of record: _AppData.Record
  ) -> Model {
    let outer = unsafe pthread_getspecific(slot)
    unsafe pthread_setspecific(slot, Unmanaged.passUnretained(record).toOpaque())
    record.isBeingMade = true
    defer {
      record.isBeingMade = false
      unsafe pthread_setspecific(slot, outer)
    }
    let model = Model._$make(record)
    // A class that is written by hand does not tell its record.
    if record.model == nil { record.model = model }
    return model
  }
}
