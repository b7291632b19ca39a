extension _AppData {
  // The actor is part of a function's type, and of nothing that is there when the program runs.
  /// A closure of a global actor as one of none, to make key paths.
  ///
  /// A class may be `@MainActor`, while its description is asked for wherever a container is made.
  /// To make a key path to an isolated property touches no object, yet Swift allows it on the actor
  /// only.
  ///
  /// - Parameters:
  ///   - body: The closure; it must read and write no isolated state.
  ///   - type: Its type without the actor. Otherwise it is the same.
  /// - Returns: The closure.
  @safe public static func unisolated<Isolated, Plain>(
    _ body: Isolated, as type: Plain.Type
  ) -> Plain {
    unsafe unsafeBitCast(body, to: type)
  }
}
