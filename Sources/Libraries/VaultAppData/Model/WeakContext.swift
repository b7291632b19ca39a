/// The one weak reference to a context, which all of its records share.
final class WeakContext {
  weak var context: ModelContext?
  /// Who is in the context.
  let use = ContextUse()
  private let container: ModelContainer
  private var made: ModelContext?

  init(_ container: ModelContainer) { self.container = container }

  /// The context for objects whose own is gone; it is only read from.
  ///
  /// It lives as long as one of them.
  var standIn: ModelContext? {
    if context != nil { return nil }
    if let made { return made }
    let new = ModelContext(container)
    made = new
    return new
  }
}

/// The data shared by the records of an entity in a context: one reference per record, not three.
final class RecordOwner {
  let plan: EntityPlan
  /// The plan's, one step nearer: every read of a property looks at it.
  let signal: SaveSignal
  /// Who is in the context; one step nearer, too.
  let use: ContextUse
  /// Leads to the context; `nil` for what was deleted.
  let home: WeakContext?

  init(_ plan: EntityPlan, in home: WeakContext?) {
    self.plan = plan
    signal = plan.signal
    use = home?.use ?? .none
    self.home = home
  }
}
