import CVaultLinux
import Glibc
package import VaultSealing
import VaultStorage

/// The helper: the program that speaks to buses and networks, so that this one need not contain it.
@safe package enum HelperProgram {
  /// The file's name.
  package static let name = "vault-helper"
  /// The first line of its answer when it is ready; an error's code in its place when it is not.
  package static let readyAnswer = "ready"

  /// Where the helper is looked for, from this program's own file, and never through PATH.
  ///
  /// `/usr/bin/vault` has `/usr/libexec/vault/vault-helper`; a folder of built programs has it
  /// beside the command.
  package static var places: [String] {
    let folder = parent(of: ownFile)
    return ["\(parent(of: folder))/libexec/vault/\(name)", "\(folder)/\(name)"]
  }

  /// The path of the helper.
  ///
  /// - Throws: ``TerminalError`` with code `.programMissing`; the message names the file.
  package static func path() throws -> String {
    let places = places
    guard let path = places.first(where: { unsafe access($0, X_OK) == 0 }) else {
      throw TerminalError(
        .programMissing, "\(places[0]) is missing, and this needs it", .installHelper)
    }
    return path
  }

  /// This program's own file.
  ///
  /// Without /proc, in a bare root, it is the path by which it was started, if that is whole.
  package static var ownFile: String {
    let link = "/proc/self/exe"
    let path = ProcessState.resolvedProgram(link)
    guard path == link, let name = CommandLine.arguments.first,
      name.utf8.first == UInt8(ascii: "/")
    else { return path }
    return ProcessState.resolvedProgram(name)
  }

  /// The folder that a path lies in.
  package static func parent(of path: String) -> String {
    let bytes = Array(path.utf8)
    let end = bytes.lastIndex(of: UInt8(ascii: "/")) ?? bytes.startIndex
    return String(decoding: bytes[..<end], as: UTF8.self)
  }

  /// Starts the helper, which is nobody's child, and waits until it says that it is ready.
  ///
  /// What it is to do goes through a pipe: the kernel does not swap what is in one, and nobody else
  /// can open it.
  ///
  /// - Parameters:
  ///   - verb: Its first argument.
  ///   - keys: What it reads first: their number as a byte, then one after the other.
  ///   - order: What it reads after them, at most 32 KiB.
  ///   - kept: Further descriptors that it keeps.
  /// - Returns: What it says when it is ready; empty if it has failed.
  /// - Throws: ``TerminalError`` with code `.programMissing` or `.inputOutput`.
  package static func start(
    _ verb: String, keys: [SecretBytes], order: [UInt8], keeping kept: [Int32] = []
  ) throws -> [UInt8] {
    let answer = try ask(verb, keys: keys, order: order, keeping: kept, limit: 4096)
    return answer.withBytes { $0.array(0..<$0.byteCount) }
  }

  /// Starts the helper as ``start(_:keys:order:keeping:)`` does, for an answer with a secret in it.
  ///
  /// - Parameters:
  ///   - verb: Its first argument.
  ///   - keys: What it reads first: their number as a byte, then one after the other.
  ///   - order: What it reads after them, at most 32 KiB.
  ///   - kept: Further descriptors that it keeps.
  ///   - limit: The most bytes of the answer.
  /// - Returns: What it says; empty if it has failed.
  /// - Throws: ``TerminalError`` with code `.programMissing` or `.inputOutput`.
  package static func ask(
    _ verb: String, keys: [SecretBytes], order: [UInt8], keeping kept: [Int32] = [], limit: Int
  ) throws -> SecretBytes {
    let path = try path()
    let orders = try pipe(keys, order)
    defer { close(orders) }
    guard let answers = Pipe(flags: O_CLOEXEC) else { throw notPassedOn }
    defer { close(answers.read) }
    let arguments = unsafe CStrings([path, verb, String(orders), String(answers.write)])
    let kept = [orders, answers.write] + kept
    let failure = unsafe cvault_start_alone(
      path, arguments.pointers, cvault_environment(), kept, Int32(kept.count))
    close(answers.write)
    guard failure == 0 else {
      throw TerminalError(
        .programMissing,
        "\(path) could not be started: \(unsafe String(cString: strerror(failure)))", .installHelper
      )
    }
    return try SecretInput.read(answers.read, limit: limit)
  }

  /// Runs the helper in place of this program: same process, terminal and signals.
  ///
  /// - Parameters:
  ///   - verb: Its first argument; the second one is where to read.
  ///   - keys: What it reads first: their number as a byte, then one after the other.
  ///   - order: What it reads after them, at most 32 KiB.
  ///   - kept: Further descriptors that it keeps; its arguments after the second one.
  ///   - removed: Variables that it does not get.
  /// - Throws: ``TerminalError`` with code `.programMissing` or `.inputOutput`, if it could not be
  ///   started.
  package static func replaceProcess(
    _ verb: String, keys: [SecretBytes], order: [UInt8], keeping kept: [Int32] = [],
    removing removed: Set<String> = []
  ) throws -> Never {
    let path = try path()
    let descriptors = [try pipe(keys, order)] + kept
    for descriptor in descriptors { _ = cvault_fcntl(descriptor, F_SETFD, 0) }
    try Execution(
      command: ([path, verb] + descriptors.map { String($0) }).map { Array($0.utf8) }, secrets: [],
      removedVariables: removed, keepsLittle: false, files: []
    ).replaceProcess()
  }

  private static let notPassedOn = TerminalError(
    .inputOutput, "the order for \(name) cannot be passed on")

  /// A pipe that holds keys and an order; its reading end.
  private static func pipe(_ keys: [SecretBytes], _ order: [UInt8]) throws -> Int32 {
    // It takes 64 KiB before anyone reads; more would wait for ever if the helper failed.
    // Each write may leave the rest of a page unused.
    guard order.count <= 32 << 10,
      keys.reduce(order.count, { $0 + $1.count }) <= 48 << 10,
      let count = UInt8(exactly: keys.count),
      let orders = Pipe(flags: O_CLOEXEC)
    else { throw notPassedOn }
    defer { close(orders.write) }
    do {
      try [count].withRawSpan { try System.writeAll(orders.write, $0) }
      for key in keys { try key.withBytes { try System.writeAll(orders.write, $0) } }
      try order.withRawSpan { try System.writeAll(orders.write, $0) }
    } catch {
      close(orders.read)
      throw notPassedOn
    }
    return orders.read
  }

  /// Starts this program once more, as ``start(_:key:order:)`` does, and waits for nothing.
  ///
  /// - Parameters:
  ///   - arguments: Its arguments.
  ///   - kept: Descriptors that it keeps.
  /// - Returns: Whether it was started.
  package static func startAgain(_ arguments: [String], keeping kept: [Int32]) -> Bool {
    let own = ownFile
    let strings = unsafe CStrings([own] + arguments)
    return unsafe cvault_start_alone(
      own, strings.pointers, cvault_environment(), kept, Int32(kept.count)) == 0
  }
}
