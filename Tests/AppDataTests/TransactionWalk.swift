import TestSupport
import VaultAppData

@Model
final class WalkOwner {
  @Attribute(.unique) var code: Int
  var tag: Int
  var label = ""
  var friend: WalkOwner?
  @Relationship(inverse: \WalkOwner.friend) var friends: [WalkOwner] = []
  @Relationship(deleteRule: .cascade, inverse: \WalkItem.owner) var items: [WalkItem] = []
  @Relationship(inverse: \WalkGroup.members) var groups: [WalkGroup] = []
  @Relationship(inverse: \WalkPass.holder) var pass: WalkPass?
  var loose: [WalkItem] = []

  init(_ tag: Int, code: Int) { (self.tag, self.code) = (tag, code) }
}

@Model
final class WalkItem {
  #Unique<WalkItem>([\.row, \.column])
  var row: Int
  var column: Int
  var tag: Int
  /// NaN fails a save.
  var share = 0.5
  var owner: WalkOwner?

  init(_ tag: Int, row: Int, column: Int) {
    (self.tag, self.row, self.column) = (tag, row, column)
  }
}

@Model
final class WalkGroup {
  @Attribute(.unique) var name: String?
  var tag: Int
  var members: [WalkOwner] = []

  init(_ tag: Int, name: String?) { (self.tag, self.name) = (tag, name) }
}

@Model
final class WalkPass {
  @Attribute(.unique) var number: Int
  var tag: Int
  var holder: WalkOwner?

  init(_ tag: Int, number: Int) { (self.tag, self.number) = (tag, number) }
}

/// Requires its owner, who does not know it: deleting the owner fails a save.
@Model
final class WalkNote {
  var tag: Int
  var owner: WalkOwner

  init(_ tag: Int, owner: WalkOwner) { (self.tag, self.owner) = (tag, owner) }
}

/// A change of a context, which names objects by their tags.
enum WalkStep {
  case owner(Int, code: Int, friend: Int?)
  case item(Int, row: Int, column: Int, owner: Int?)
  case group(Int, name: String?, members: [Int])
  case pass(Int, number: Int, holder: Int?)
  case note(Int, owner: Int)
  case code(Int, Int)
  case label(Int, String)
  case share(Int, Double)
  case befriend(Int, Int?)
  case own(item: Int, by: Int?)
  case join(Int, group: Int)
  case leave(Int, group: Int)
  case hold(pass: Int, by: Int?)
  case collect(Int, [Int])
  case reverse(Int)
  case delete(String, Int)
  case relabel(String)
  case purge(Int)
  case read
  case save
  case rollback
  indirect case transaction([WalkStep], isThrown: Bool)
}

/// A context with all that is in it as text.
struct WalkContext {
  let container: ModelContainer
  let context: ModelContext
  /// The program's own references: what nobody holds is read again from the store.
  private let held: Held?

  private final class Held { var objects: [ObjectIdentifier: any PersistentModel] = [:] }

  init(holdsObjects: Bool, _ policy: MergePolicy) throws {
    (container, context) = try memory(WalkOwner.self, WalkGroup.self, WalkNote.self)
    context.mergePolicy = policy
    held = holdsObjects ? Held() : nil
  }

  private struct Thrown: Error {}
  /// What a rule refuses, and what an update in the store has changed beside a pending change.
  private static let failures: [SwiftDataError] = [.modelValidationFailure, .saveConflict]

  /// Does a step.
  ///
  /// - Returns: The steps that count: none of a transaction or a save that failed.
  @discardableResult
  func run(_ step: WalkStep, isInTransaction: Bool = false) throws -> [WalkStep] {
    switch step {
    case .transaction(let steps, let isThrown):
      var done: [WalkStep] = []
      do {
        try context.transaction {
          for step in steps { done += try run(step, isInTransaction: true) }
          if isThrown { throw Thrown() }
        }
      } catch is Thrown {
        return []
      } catch let error as SwiftDataError where Self.failures.contains(error) {
        return []
      }
      return isInTransaction ? done : done + [.save]
    case .save:
      do {
        try context.save()
      } catch let error as SwiftDataError where Self.failures.contains(error) {
        return []
      }
      return isInTransaction ? [] : [step]
    default:
      do {
        try change(step)
      } catch let error as SwiftDataError
        where !isInTransaction && Self.failures.contains(error)
      {
        return []
      }
      return [step]
    }
  }

  // MARK: Changes

  private func all<Model: PersistentModel>(_ type: Model.Type = Model.self) throws -> [Model] {
    let found = try context.fetch(FetchDescriptor<Model>(sortBy: []))
    if let held { for model in found { held.objects[ObjectIdentifier(model)] = model } }
    return found
  }

  private func owner(_ tag: Int?) throws -> WalkOwner? {
    guard let tag else { return nil }
    if held != nil { return try all().first { $0.tag == tag } }
    return try context.fetch(
      FetchDescriptor<WalkOwner>(predicate: #Predicate { $0.tag == tag })
    ).first
  }

  private func item(_ tag: Int) throws -> WalkItem? { try all().first { $0.tag == tag } }
  private func group(_ tag: Int) throws -> WalkGroup? { try all().first { $0.tag == tag } }
  private func pass(_ tag: Int) throws -> WalkPass? { try all().first { $0.tag == tag } }

  private func change(_ step: WalkStep) throws {
    switch step {
    case .owner(let tag, let code, let friend):
      let owner = WalkOwner(tag, code: code)
      owner.friend = try self.owner(friend)
      context.insert(owner)
    case .item(let tag, let row, let column, let owner):
      let item = WalkItem(tag, row: row, column: column)
      context.insert(item)
      if let owner = try self.owner(owner) { owner.items.append(item) }
    case .group(let tag, let name, let members):
      let group = WalkGroup(tag, name: name)
      group.members = try members.compactMap(owner)
      context.insert(group)
    case .pass(let tag, let number, let holder):
      let pass = WalkPass(tag, number: number)
      pass.holder = try owner(holder)
      context.insert(pass)
    case .note(let tag, let owner):
      if let owner = try self.owner(owner) { context.insert(WalkNote(tag, owner: owner)) }
    case .code(let tag, let code): try owner(tag)?.code = code
    case .label(let tag, let label): try owner(tag)?.label = label
    case .share(let tag, let share): try item(tag)?.share = share
    case .befriend(let tag, let friend): try owner(tag)?.friend = owner(friend)
    case .own(let tag, let by): try item(tag)?.owner = owner(by)
    case .join(let tag, let number):
      guard let owner = try owner(tag), let group = try group(number),
        !owner.groups.contains(where: { $0 === group })
      else { return }
      owner.groups.append(group)
    case .leave(let tag, let number):
      try group(number)?.members.removeAll { $0.tag == tag }
    case .hold(let tag, let by): try pass(tag)?.holder = owner(by)
    case .collect(let tag, let items): try owner(tag)?.loose = items.compactMap(item)
    case .reverse(let tag): try owner(tag)?.items.reverse()
    case .delete(let kind, let tag):
      let found: (any PersistentModel)? =
        switch kind {
        case "owner": try owner(tag)
        case "item": try item(tag)
        case "group": try group(tag)
        case "note": try (all() as [WalkNote]).first { $0.tag == tag }
        default: try pass(tag)
        }
      if let found { context.delete(found) }
    case .relabel(let label):
      try context.update(model: WalkItem.self) { $0.set(\.share, to: Double(label.count)) }
    case .purge(let column):
      try context.delete(model: WalkItem.self, where: #Predicate { $0.column == column })
    case .read: _ = try text(context)
    case .rollback: context.rollback()
    case .save, .transaction: break
    }
  }

  // MARK: What is there

  func text() throws -> String { try text(context) }

  /// What another context finds.
  func saved() throws -> String { try text(ModelContext(container)) }

  private func text(_ context: ModelContext) throws -> String {
    func tags(_ models: [WalkOwner]) -> [Int] { models.map(\.tag) }
    var lines: [String] = []
    for owner in try context.fetch(
      FetchDescriptor<WalkOwner>(sortBy: [SortDescriptor(\.tag), SortDescriptor(\.code)]))
    {
      lines.append(
        "owner \(owner.tag) \(owner.code) \(owner.label) friend \(owner.friend?.tag ?? -1) friends "
          + "\(tags(owner.friends)) items \(owner.items.map(\.tag)) groups "
          + "\(owner.groups.map(\.tag)) pass \(owner.pass?.tag ?? -1) loose "
          + "\(owner.loose.map(\.tag))")
    }
    for item in try context.fetch(FetchDescriptor<WalkItem>(sortBy: [SortDescriptor(\.tag)])) {
      lines.append(
        "item \(item.tag) \(item.row) \(item.column) \(item.share) of \(item.owner?.tag ?? -1)")
    }
    for group in try context.fetch(FetchDescriptor<WalkGroup>(sortBy: [SortDescriptor(\.tag)])) {
      lines.append("group \(group.tag) \(group.name ?? "-") \(tags(group.members))")
    }
    for pass in try context.fetch(FetchDescriptor<WalkPass>(sortBy: [SortDescriptor(\.tag)])) {
      let isOne = pass.holder.map { $0.pass === pass } ?? true
      lines.append(
        "pass \(pass.tag) \(pass.number) of \(pass.holder?.tag ?? -1)\(isOne ? "" : " alone")")
    }
    for note in try context.fetch(FetchDescriptor<WalkNote>(sortBy: [SortDescriptor(\.tag)])) {
      lines.append("note \(note.tag) of \(note.owner.tag)")
    }
    return lines.joined(separator: "\n")
  }
}
