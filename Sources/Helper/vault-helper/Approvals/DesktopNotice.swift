import Glibc
import VaultDBus
import VaultProtocols
import VaultStorage
import VaultTerminal

/// A question as a notification of the desktop, with a button for each answer.
///
/// Desktop Notifications Specification 1.2. A server that shows no buttons is none to ask; a click on
/// the notification itself, and its disappearance, are no yes.
enum DesktopNotice {
  private static let name = "org.freedesktop.Notifications"
  private static let path = "/org/freedesktop/Notifications"
  /// How long the server may take for an answer of its own.
  private static let patience = Duration.seconds(5)
  /// The buttons: their keys, which come back, and their words.
  private static let buttons: [(key: ApprovalAnswer, words: String)] = [
    (.once, "Allow once"), (.run, "Allow for this run"), (.hour, "Allow for an hour"),
    (.always, "Always allow"), (.never, "Refuse"),
  ]

  /// How a person is asked; `nil` where there is no session bus.
  static var way: ApprovalWay? {
    guard let address = try? KeyringServing.sessionBus() else { return nil }
    return ApprovalWay(name: "the desktop") { question, seconds, answer in
      guard let wakeUp = WakeUp() else {
        answer(nil)
        return {}
      }
      BlockingThread.start(name: "vault-notice") {
        answer(try? ask(question, seconds, at: address, wakeUp))
      }
      return { wakeUp.call() }
    }
  }

  /// Shows a question, and waits for a button.
  ///
  /// - Returns: The answer; `nil` if nobody can be asked so, or the question has ended.
  private static func ask(
    _ question: ApprovalQuestion, _ seconds: Int, at address: String, _ wakeUp: WakeUp
  ) throws -> ApprovalAnswer? {
    let end = ContinuousClock.now + .seconds(seconds)
    let bus = try BusClient(address, until: .now + patience)
    // The bus starts the server that the desktop has.
    _ = try? bus.reply(
      to: bus.askBus("StartServiceByName", [.string(name), .uint32(0)]), until: .now + patience)
    guard let server = bus.owner(of: name) else { return nil }
    let can = try bus.reply(
      to: bus.ask(server, path, name, "GetCapabilities"), until: .now + patience)
    let capabilities = can.first?.texts ?? []
    guard capabilities.contains("actions") else { return nil }
    try bus.watch("type='signal',sender='\(server)',interface='\(name)'")
    let shown = try bus.reply(
      to: bus.ask(
        server, path, name, "Notify",
        notification(question, seconds, markup: capabilities.contains("body-markup"))),
      until: .now + patience)
    guard let number = shown.first?.number else { return nil }
    defer {
      if let call = try? bus.ask(server, path, name, "CloseNotification", [.uint32(number)]) {
        _ = try? bus.reply(to: call, until: .now + patience)
      }
    }
    while !bus.hasEnded, end > .now {
      for signal in bus.takeSignals() where signal.sender == server {
        let values = (try? signal.arguments()) ?? []
        guard values.first?.number == number else { continue }
        if signal.member == "ActionInvoked", values.count > 1, let key = values[1].text {
          // The key "default" is the notification itself.
          return buttons.first { $0.key.rawValue == key }?.key ?? .refused
        }
        // 2 is a person who has closed it; it may also have gone by itself.
        if signal.member == "NotificationClosed" {
          return values.count > 1 && values[1].number == 2 ? .refused : nil
        }
      }
      let ready = LocalSocket.wait(
        for: [(bus.descriptor, true, false), (wakeUp.descriptor, true, false)],
        milliseconds: max(1, Int((end - .now) / .milliseconds(1))))
      if ready[1].reads { return nil }
    }
    return nil
  }

  private static func notification(
    _ question: ApprovalQuestion, _ seconds: Int, markup: Bool
  ) throws -> [DBusValue] {
    let text = question.line
    let answers = buttons.filter { key, _ in
      switch key {
      case .once, .never: true
      case .always: question.mayBeAlways
      default: !question.isOnlyRefused
      }
    }
    return [
      .string("vault"), .uint32(0), .string("dialog-password"), .string("Allow a program?"),
      .string(markup ? XMLText.escaped(text) { _ in "?" } ?? "" : text),
      .strings(answers.flatMap { [$0.key.rawValue, $0.words] }),
      .properties(["urgency": .byte(2)]),
      // It stays until there is an answer, or the time is over.
      .int32(Int32(clamping: seconds) &* 1000),
    ]
  }
}
