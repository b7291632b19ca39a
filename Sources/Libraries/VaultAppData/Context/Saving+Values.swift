/// What the program's own code turns into the form of the file: Codable values, and those of
/// transformers.
///
/// That code may change objects, or insert some. It is called before anything is written, so that
/// the save has these changes, too.
extension Saving {
  typealias Box = _AppData.ValueBox

  /// How often the values of a save are looked at again, since making them has changed something.
  private static let mostPasses = 100

  /// Makes the form of every value that is to be written.
  ///
  /// - Returns: The values, for ``Box/forgetPrepared()``.
  /// - Throws: ``SwiftDataError/modelValidationFailure`` where values go on changing objects.
  func encodeValues() throws -> [Box] {
    var made: [Box] = []
    let pending = context.pending
    for _ in 0..<Self.mostPasses {
      let count = pending.changeCount
      pending.isEncoding = true
      defer { pending.isEncoding = false }
      for record in pending.records { Self.encode(record, &made) }
      if pending.changeCount == count { return made }
    }
    made.forEach { $0.forgetPrepared() }
    throw SwiftDataError.modelValidationFailure.saying(
      "encode(to:) of values that are to be saved changes objects each time, without an end")
  }

  private static func encode(_ record: Record, _ made: inout [Box]) {
    // A program's own store gets the values themselves.
    guard record.state == .inserted || record.state == .stored, record.entity?.isCustom == false
    else { return }
    for index in record.description.encoded
    where record.state == .inserted || record.changed.contains(index) {
      guard !record.slots.isEmpty, case .boxed(let box) = record.slots[index] else { continue }
      // What cannot be encoded is said where it is written.
      if (try? box.prepare()) == true { made.append(box) }
    }
  }
}
