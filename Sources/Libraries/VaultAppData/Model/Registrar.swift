extension _AppData {
  /// An object's observers: a registrar of the standard library, made at the first observed read.
  ///
  /// A registrar is two allocations, and most objects of a fetch or an import are never observed.
  /// Without observers, changes need not be reported either.
  public struct Registrar: Sendable {
    /// A reference, so that a model's layout is known when it is compiled.
    @usableFromInline final class Made: Sendable {
      @usableFromInline let registrar = ObservationRegistrar()

      @usableFromInline init() {}
    }

    @usableFromInline var made: Made?

    /// Makes one without observers.
    @inlinable public init() {}

    /// Notes that a property is read.
    @inlinable public mutating func access<Subject: Observable, Member>(
      _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Member>
    ) {
      if let made { return made.registrar.access(subject, keyPath: keyPath()) }
      guard ReadProbe.isObserved else { return }
      let new = Made()
      made = new
      new.registrar.access(subject, keyPath: keyPath())
    }

    /// Tells observers of a property, before and after it is changed by `mutation`.
    @inlinable public func withMutation<Subject: Observable, Member, Result>(
      of subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Member>,
      _ mutation: () throws -> Result
    ) rethrows -> Result {
      guard let made else { return try mutation() }
      return try made.registrar.withMutation(of: subject, keyPath: keyPath(), mutation)
    }
  }
}
