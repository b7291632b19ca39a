import CVaultSwiftRuntime

/// Which record an object is being made for, on this thread.
///
/// A class's initial values are computed before its `init(backingData:)` runs, for each object made
/// from a row. They must find the storage that the object is going to have, and leave it alone.
enum Materialization {
  // Never inlined: another object file would have another value.
  @inline(never) private static func place() -> UnsafeMutablePointer<UnsafeMutableRawPointer?> {
    unsafe cvault_thread_record()
  }

  static var record: _AppData.Record? {
    guard let pointer = unsafe place().pointee else { return nil }
    return unsafe Unmanaged<_AppData.Record>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// Makes the object of a record.
  static func make<Model: PersistentModel>(
    _ type: Model.Type, of record: _AppData.Record
  ) -> Model {
    let place = unsafe place()
    let outer = unsafe place.pointee
    unsafe place.pointee = Unmanaged.passUnretained(record).toOpaque()
    record.isBeingMade = true
    defer {
      record.isBeingMade = false
      unsafe place.pointee = outer
    }
    let model = Model._$make(record)
    // A class that is written by hand does not tell its record.
    if !record.isOf(model) { record.model = model }
    return model
  }
}

extension _AppData.Record {
  /// The object; made if there is none.
  var materialized: any PersistentModel {
    if let model { return model }
    let model: any PersistentModel = Materialization.make(description.type, of: self)
    if isPending { kept = model }
    return model
  }

  /// Makes the object of a record that has none, of a class that the caller knows.
  func make<Model: PersistentModel>() -> Model {
    // One of a subclass is made as that.
    if ObjectIdentifier(description.type) != ObjectIdentifier(Model.self),
      let model = materialized as? Model
    {
      return model
    }
    let model = Materialization.make(Model.self, of: self)
    if isPending { kept = model }
    return model
  }
}
