import VaultSealing

/// The bus itself: names, match rules, and who gets which message.
///
/// D-Bus specification, "Message Bus Specification". One program of this process is on it from the
/// beginning, under a name that cannot be taken away; all others are clients.
final class MessageBus {
  /// The name of the bus itself.
  static let driver = "org.freedesktop.DBus"
  /// The unique name of the program in this process; no other bus gives such a name.
  static let ownName = ":vault.1"
  /// Rules and waiting calls of one client.
  private static let maximumPerClient = 4096

  let id: String
  let serviceName: String
  let service: any BusService
  var clients: [Int: BusConnection] = [:]
  private var numbers: [String: Int] = [:]
  private var nextName = 1
  private var serial: UInt32 = 0
  /// The owner of each name, then those who wait for it.
  private var owners: [String: [(number: Int, isReplaceable: Bool)]] = [:]
  /// Calls between clients that have no reply yet, by caller and serial: who may answer.
  private var waiting: [Int: [UInt32: Int]] = [:]

  init(id: String, serviceName: String, service: any BusService) {
    self.id = id
    self.serviceName = serviceName
    self.service = service
  }

  /// Takes a message of a client.
  func receive(_ message: DBusMessage, from client: BusConnection) {
    guard message.kind != nil else { return }
    var message = message
    guard let name = client.name else {
      // Before its name it may ask for nothing else.
      guard message.kind == .call, message.destination == Self.driver, message.member == "Hello"
      else { return client.end() }
      return hello(message, client)
    }
    message.sender = name
    switch message.destination {
    case Self.driver?:
      if message.kind == .call { answer(message) { try drive(message, client) } }
    case serviceName?, Self.ownName?:
      guard message.kind == .call else { return }
      for answer in service.answer(message, from: client.peer) { send(answer, from: Self.ownName) }
    case nil:
      if message.kind == .signal { broadcast(message) }
      // A call to nobody in particular is one to the bus: that is what dbus-daemon does.
      if message.kind == .call { answer(message) { try drive(message, client) } }
    case let destination?: pass(message, from: client, to: destination)
    }
  }

  /// A client is gone.
  func leave(_ client: BusConnection) {
    clients[client.number] = nil
    waiting[client.number] = nil
    for (caller, calls) in waiting {
      for (serial, callee) in calls where callee == client.number {
        waiting[caller]?[serial] = nil
        guard let connection = clients[caller] else { continue }
        var error = DBusMessage(.error)
        error.replySerial = serial
        error.errorName = BusErrorName.noReply
        guard let error = try? error.with([.string("the program has left the bus")]) else {
          continue
        }
        deliver(error, from: Self.driver, to: connection)
      }
    }
    guard let name = client.name else { return }
    numbers[name] = nil
    for owned in owners.keys.sorted() { _ = release(owned, client) }
    announce(name, from: name, to: "")
    for signal in service.clientLeft(name) { send(signal, from: Self.ownName) }
  }

  /// Sends a message of the program in this process.
  func send(_ message: DBusMessage, from sender: String) {
    guard let destination = message.destination else {
      var message = message
      message.sender = sender
      return broadcast(numbered(message))
    }
    guard let client = numbers[destination].flatMap({ clients[$0] }) else { return }
    deliver(message, from: sender, to: client)
  }

  // MARK: Delivering

  private func numbered(_ message: DBusMessage) -> DBusMessage {
    var message = message
    serial = serial == .max ? 1 : serial + 1
    message.serial = serial
    return message
  }

  private func deliver(_ message: DBusMessage, from sender: String, to client: BusConnection) {
    var message = numbered(message)
    message.sender = sender
    message.destination = client.name
    hand(message, to: client)
  }

  private func hand(_ message: DBusMessage, to client: BusConnection) {
    guard let bytes = try? message.encoded() else { return client.end() }
    client.enqueue(bytes)
  }

  /// Hands a signal to everyone who wants it.
  private func broadcast(_ message: DBusMessage) {
    var names: Set<String> = message.sender.map { [$0] } ?? []
    if message.sender == Self.ownName { names.insert(serviceName) }
    if let number = message.sender.flatMap({ numbers[$0] }) {
      for (name, queue) in owners where queue.first?.number == number { names.insert(name) }
    }
    var values: [DBusValue]?
    func arguments() -> [DBusValue] {
      if let values { return values }
      let read = (try? message.arguments()) ?? []
      values = read
      return read
    }
    var bytes: SecretBytes?
    for client in clients.values
    where client.rules.contains(where: { $0.matches(message, sentBy: names, arguments) }) {
      bytes = bytes ?? (try? message.encoded())
      if let bytes { client.enqueue(bytes) }
    }
  }

  /// Hands a message of one client to another.
  private func pass(_ message: DBusMessage, from client: BusConnection, to destination: String) {
    let number = numbers[destination] ?? owners[destination]?.first?.number
    guard let number, let receiver = clients[number] else {
      guard message.kind == .call else { return }
      return answer(message) {
        throw BusError(
          BusErrorName.serviceUnknown, "The name \(destination) was not provided by any program")
      }
    }
    switch message.kind {
    case .call:
      guard waiting[client.number, default: [:]].count < Self.maximumPerClient else {
        return answer(message) {
          throw BusError(BusErrorName.limitsExceeded, "too many calls without an answer")
        }
      }
      if !message.wantsNoReply { waiting[client.number, default: [:]][message.serial] = number }
    case .reply, .error:
      // Only who was asked may answer, and once: serials can be guessed.
      guard let serial = message.replySerial,
        waiting[number]?[serial] == client.number
      else { return }
      waiting[number]?[serial] = nil
    case .signal, nil: break
    }
    hand(message, to: receiver)
  }

  /// Answers a call to the bus.
  private func answer(_ call: DBusMessage, _ body: () throws -> [DBusValue]) {
    guard let client = call.sender.flatMap({ numbers[$0] }).flatMap({ clients[$0] }) else { return }
    do {
      let values = try body()
      if !call.wantsNoReply { deliver(try call.reply(values), from: Self.driver, to: client) }
    } catch {
      guard !call.wantsNoReply else { return }
      let error = error as? BusError ?? BusError(BusErrorName.failed, "the bus has failed")
      guard let message = try? call.error(error.name, error.words) else { return client.end() }
      deliver(message, from: Self.driver, to: client)
    }
  }

  // MARK: Names

  private func hello(_ message: DBusMessage, _ client: BusConnection) {
    let name = ":1.\(nextName)"
    nextName += 1
    client.name = name
    numbers[name] = client.number
    var message = message
    message.sender = name
    answer(message) { [.string(name)] }
    announce(name, from: "", to: name)
    tell("NameAcquired", name, client)
  }

  private func tell(_ member: String, _ name: String, _ client: BusConnection) {
    guard
      let signal = try? DBusMessage.signal(
        "/org/freedesktop/DBus", Self.driver, member, [.string(name)])
    else { return }
    deliver(signal, from: Self.driver, to: client)
  }

  private func announce(_ name: String, from old: String, to new: String) {
    guard
      var signal = try? DBusMessage.signal(
        "/org/freedesktop/DBus", Self.driver, "NameOwnerChanged",
        [.string(name), .string(old), .string(new)])
    else { return }
    signal.sender = Self.driver
    broadcast(numbered(signal))
  }

  private func owner(of name: String) -> String? {
    switch name {
    case Self.driver: Self.driver
    case serviceName, Self.ownName: Self.ownName
    default:
      numbers[name] != nil ? name : owners[name]?.first.flatMap { clients[$0.number]?.name }
    }
  }

  private func request(_ name: String, flags: UInt32, _ client: BusConnection) throws -> UInt32 {
    guard DBusNames.isBusName(name), !DBusNames.isUniqueName(name), name != Self.driver else {
      throw BusError(BusErrorName.invalidArguments, "this name cannot be requested")
    }
    let (isReplaceable, replaces, waits) = (flags & 1 != 0, flags & 2 != 0, flags & 4 == 0)
    guard name != serviceName else { return 3 }
    var queue = owners[name] ?? []
    if queue.first?.number == client.number {
      queue[0].isReplaceable = isReplaceable
      owners[name] = queue
      return 4
    }
    guard owners.values.count(where: { $0.contains { $0.number == client.number } }) < 256 else {
      throw BusError(BusErrorName.limitsExceeded, "too many names")
    }
    queue.removeAll { $0.number == client.number }
    let entry = (number: client.number, isReplaceable: isReplaceable)
    guard let current = queue.first else {
      owners[name] = [entry]
      announce(name, from: "", to: client.name ?? "")
      tell("NameAcquired", name, client)
      return 1
    }
    if replaces, current.isReplaceable {
      queue.insert(entry, at: 0)
      owners[name] = queue
      let old = clients[current.number]
      announce(name, from: old?.name ?? "", to: client.name ?? "")
      if let old { tell("NameLost", name, old) }
      tell("NameAcquired", name, client)
      return 1
    }
    guard waits else {
      owners[name] = queue
      return 3
    }
    owners[name] = queue + [entry]
    return 2
  }

  private func release(_ name: String, _ client: BusConnection) -> UInt32 {
    guard var queue = owners[name] else { return 2 }
    guard let place = queue.firstIndex(where: { $0.number == client.number }) else { return 3 }
    queue.remove(at: place)
    owners[name] = queue.isEmpty ? nil : queue
    guard place == 0 else { return 1 }
    let next = queue.first.flatMap { clients[$0.number] }
    announce(name, from: client.name ?? "", to: next?.name ?? "")
    if clients[client.number] != nil { tell("NameLost", name, client) }
    if let next { tell("NameAcquired", name, next) }
    return 1
  }

  // MARK: The bus' own methods

  private func drive(_ call: DBusMessage, _ client: BusConnection) throws -> [DBusValue] {
    let values = try call.arguments()
    func text(_ index: Int = 0) throws -> String {
      guard values.indices.contains(index), case .string(let text) = values[index] else {
        throw BusError(BusErrorName.invalidArguments, "a text is missing")
      }
      return text
    }
    func number(_ index: Int) throws -> UInt32 {
      guard values.indices.contains(index), let number = values[index].number else {
        throw BusError(BusErrorName.invalidArguments, "a number is missing")
      }
      return number
    }
    switch (call.interface, call.member) {
    case (Self.driver?, _), (nil, _): break
    case (StandardInterfaces.peer?, "Ping"): return []
    case (StandardInterfaces.peer?, "GetMachineId"): return [.string(StandardInterfaces.machine)]
    case (StandardInterfaces.introspectable?, "Introspect"):
      return [.string(BusDescription.document)]
    case (StandardInterfaces.properties?, "Get"):
      guard let value = Self.properties[try text(1)], try text() == Self.driver else {
        throw BusError(BusErrorName.unknownProperty, "there is no such property")
      }
      return [.variant(value)]
    case (StandardInterfaces.properties?, "GetAll"): return [.properties(Self.properties)]
    default: throw BusError(BusErrorName.unknownMethod, "there is no such method")
    }
    switch call.member {
    case "Hello": throw BusError(BusErrorName.failed, "Hello was already called")
    case "RequestName": return [.uint32(try request(text(), flags: number(1), client))]
    case "ReleaseName":
      let name = try text()
      return [.uint32(name == serviceName ? 3 : release(name, client))]
    case "StartServiceByName":
      let name = try text()
      guard owner(of: name) != nil else {
        throw BusError(BusErrorName.serviceUnknown, "The name \(name) cannot be started")
      }
      return [.uint32(2)]
    case "NameHasOwner": return [.boolean(owner(of: try text()) != nil)]
    case "ListNames":
      let names = [Self.driver, Self.ownName, serviceName] + numbers.keys.sorted()
      return [.strings(names + owners.keys.sorted())]
    case "ListActivatableNames": return [.strings([Self.driver, serviceName])]
    case "GetNameOwner": return [.string(try existing(text()))]
    case "ListQueuedOwners":
      let name = try text()
      let queue = owners[name]?.compactMap { clients[$0.number]?.name }
      return [.strings(try queue ?? [existing(name)])]
    case "AddMatch":
      guard let rule = MatchRule(try text()) else {
        throw BusError(BusErrorName.matchRuleInvalid, "the rule cannot be read")
      }
      guard client.rules.count < Self.maximumPerClient else {
        throw BusError(BusErrorName.limitsExceeded, "too many rules")
      }
      client.rules.append(rule)
      return []
    case "RemoveMatch":
      guard let rule = MatchRule(try text()), let place = client.rules.lastIndex(of: rule) else {
        throw BusError(BusErrorName.matchRuleNotFound, "there is no such rule")
      }
      client.rules.remove(at: place)
      return []
    case "GetConnectionUnixUser": return [.uint32(try peer(text()).user)]
    case "GetConnectionUnixProcessID":
      return [.uint32(UInt32(clamping: try peer(text()).process))]
    case "GetConnectionCredentials":
      let peer = try peer(text())
      return [
        .properties([
          "UnixUserID": .uint32(peer.user), "ProcessID": .uint32(UInt32(clamping: peer.process)),
        ])
      ]
    case "GetId": return [.string(id)]
    case "ReloadConfig": return []
    case "UpdateActivationEnvironment":
      throw BusError(BusErrorName.notSupported, "this bus starts no programs")
    default: throw BusError(BusErrorName.unknownMethod, "there is no such method")
    }
  }

  private static let properties: [String: DBusValue] = [
    "Features": .strings([]), "Interfaces": .strings([]),
  ]

  private func existing(_ name: String) throws -> String {
    guard let owner = owner(of: name) else {
      throw BusError(BusErrorName.nameHasNoOwner, "The name \(name) has no owner")
    }
    return owner
  }

  private func peer(_ name: String) throws -> LocalSocket.Peer {
    let owner = try existing(name)
    return numbers[owner].flatMap { clients[$0]?.peer } ?? .current
  }
}
