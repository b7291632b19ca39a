/// A store of an application that goes along with a space.
package struct AddedStore: Sendable, Equatable {
  package let application: String
  /// `default`, or the name of its configuration.
  package let store: String
  /// From the root.
  package let path: String
  /// When a run was done last, in milliseconds since 1970; 0 for never.
  package var lastRun: Int64

  package init(application: String, store: String, path: String, lastRun: Int64 = 0) {
    self.application = application
    self.store = store
    self.path = path
    self.lastRun = lastRun
  }

  /// The word that names it.
  package var name: String { store == "default" ? application : "\(application)/\(store)" }
}
