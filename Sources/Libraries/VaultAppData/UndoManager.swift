/// Foundation's `UndoManager`, which Linux has not: what was done, and how it is taken back.
///
/// ```swift
/// let undo = UndoManager()
/// context.undoManager = undo
/// trip.name = "Paris"
/// context.processPendingChanges()
/// undo.undo()
/// ```
///
/// What a context has not handed over yet when it is asked to undo is a group of its own.
///
/// Belongs to one actor or thread. There is no event loop here: what is registered outside of
/// ``beginUndoGrouping()`` is a group of its own.
public class UndoManager {
  private final class Group {
    var actions: [() -> Void] = []
    var targets: [ObjectIdentifier?] = []
    var name = ""
  }

  private var undoStack: [Group] = []
  private var redoStack: [Group] = []
  private var open: [Group] = []
  private var disabled = 0
  private var sources: [Source] = []
  /// The name of the group that the sources' changes are going to be.
  private var nextName = ""

  private struct Source {
    weak var value: (any UndoSource)?
  }

  /// Makes a manager with nothing to undo.
  public init() {}

  /// Whether what is registered outside of a group is one; always so, whatever is set.
  public var groupsByEvent = true
  /// The largest number of groups to keep; 0 for all.
  public var levelsOfUndo = 0 {
    didSet { trim() }
  }
  /// Whether something is being undone.
  public private(set) var isUndoing = false
  /// Whether something is being redone.
  public private(set) var isRedoing = false
  /// Whether there is something to undo.
  public var canUndo: Bool {
    !undoStack.isEmpty || open.contains { !$0.actions.isEmpty } || hasPending
  }
  /// Whether there is something to redo.
  public var canRedo: Bool { !redoStack.isEmpty && !hasPending }
  /// The number of groups that can be undone.
  package var groupCount: Int { undoStack.count }
  /// The number of open groups.
  public var groupingLevel: Int { open.count }
  /// Whether what is done is registered.
  public var isUndoRegistrationEnabled: Bool { disabled == 0 }
  /// The name of the next action to undo, for a menu.
  public var undoActionName: String {
    if open.isEmpty, hasPending { return nextName }
    return (open.first ?? undoStack.last)?.name ?? ""
  }
  /// The name of the next action to redo, for a menu.
  public var redoActionName: String { canRedo ? redoStack.last?.name ?? "" : "" }

  /// Names what is being registered.
  public func setActionName(_ actionName: String) {
    if open.isEmpty, hasPending { return nextName = actionName }
    (open.first ?? undoStack.last)?.name = actionName
  }

  /// Ends registering, until as many calls of ``enableUndoRegistration()``.
  public func disableUndoRegistration() { disabled += 1 }
  /// Takes one call of ``disableUndoRegistration()`` back.
  public func enableUndoRegistration() { disabled = max(0, disabled - 1) }

  /// Begins a group: what is registered until its end is undone together.
  public func beginUndoGrouping() {
    takeIn()
    open.append(Group())
  }

  /// Ends a group; without a group, nothing happens.
  public func endUndoGrouping() {
    takeIn()
    guard let group = open.popLast() else { return }
    if let outer = open.last {
      outer.actions += group.actions
      outer.targets += group.targets
      if outer.name.isEmpty { outer.name = group.name }
    } else {
      close(group)
    }
  }

  /// Registers how something is taken back.
  ///
  /// - Parameters:
  ///   - target: Not held; without it, nothing is done.
  ///   - handler: Takes it back, and registers how that is taken back.
  public func registerUndo<TargetType: AnyObject>(
    withTarget target: TargetType, handler: @escaping (TargetType) -> Void
  ) {
    guard isUndoRegistrationEnabled else { return }
    let action = { [weak target] in if let target { handler(target) } }
    let id = ObjectIdentifier(target)
    if let group = open.last {
      group.actions.append(action)
      group.targets.append(id)
      return
    }
    let group = Group()
    group.actions = [action]
    group.targets = [id]
    (group.name, nextName) = (nextName, "")
    close(group)
  }

  // MARK: Sources

  /// Begins to ask something for its changes before they are undone.
  func add(_ source: any UndoSource) { sources.append(Source(value: source)) }

  /// Ends asking.
  func remove(_ source: any UndoSource) {
    sources.removeAll { $0.value == nil || $0.value === source }
  }

  private var hasPending: Bool {
    isUndoRegistrationEnabled && sources.contains { $0.value?.hasStepsToUndo == true }
  }

  /// Takes in what has been done and was not registered yet.
  private func takeIn() {
    for source in sources { source.value?.registerSteps() }
  }

  private func close(_ group: Group) {
    guard !group.actions.isEmpty else { return }
    if isUndoing {
      redoStack.append(group)
    } else {
      undoStack.append(group)
      if !isRedoing { redoStack.removeAll() }
    }
    trim()
  }

  private func trim() {
    guard levelsOfUndo > 0 else { return }
    undoStack.removeFirst(max(0, undoStack.count - levelsOfUndo))
    redoStack.removeFirst(max(0, redoStack.count - levelsOfUndo))
  }

  /// Takes the last group back, ending it first if it is open.
  public func undo() {
    if !isUndoing, !isRedoing { takeIn() }
    while !open.isEmpty { endUndoGrouping() }
    undoNestedGroup()
  }

  /// Takes the last group back.
  public func undoNestedGroup() {
    guard !isUndoing, !isRedoing else { return }
    takeIn()
    guard let group = undoStack.popLast() else { return }
    NotificationCenter.default.post(name: .NSUndoManagerWillUndoChange, object: self)
    isUndoing = true
    run(group)
    isUndoing = false
    NotificationCenter.default.post(name: .NSUndoManagerDidUndoChange, object: self)
  }

  /// Does the last group that was taken back again.
  public func redo() {
    guard !isUndoing, !isRedoing else { return }
    takeIn()
    guard let group = redoStack.popLast() else { return }
    NotificationCenter.default.post(name: .NSUndoManagerWillRedoChange, object: self)
    isRedoing = true
    run(group)
    isRedoing = false
    NotificationCenter.default.post(name: .NSUndoManagerDidRedoChange, object: self)
  }

  private func run(_ group: Group) {
    beginUndoGrouping()
    setActionName(group.name)
    for action in group.actions.reversed() { action() }
    endUndoGrouping()
  }

  /// Forgets everything.
  public func removeAllActions() {
    undoStack.removeAll()
    redoStack.removeAll()
    open.removeAll()
  }

  /// Forgets the actions of a target.
  public func removeAllActions(withTarget target: Any) {
    let id = ObjectIdentifier(target as AnyObject)
    for group in undoStack + redoStack + open {
      let kept = group.targets.indices.filter { group.targets[$0] != id }
      group.actions = kept.map { group.actions[$0] }
      group.targets = kept.map { group.targets[$0] }
    }
    undoStack.removeAll { $0.actions.isEmpty }
    redoStack.removeAll { $0.actions.isEmpty }
  }
}

/// What registers its changes in groups, and has some that are not registered yet.
protocol UndoSource: AnyObject {
  /// Whether something has been done since the last registration.
  var hasStepsToUndo: Bool { get }
  /// Registers what has been done, as one group.
  func registerSteps()
}

extension Notification.Name {
  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// Posted before something is undone.
  public static let NSUndoManagerWillUndoChange = Self("NSUndoManagerWillUndoChangeNotification")
  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// Posted after something was undone.
  public static let NSUndoManagerDidUndoChange = Self("NSUndoManagerDidUndoChangeNotification")
  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// Posted before something is redone.
  public static let NSUndoManagerWillRedoChange = Self("NSUndoManagerWillRedoChangeNotification")
  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// Posted after something was redone.
  public static let NSUndoManagerDidRedoChange = Self("NSUndoManagerDidRedoChangeNotification")
}
