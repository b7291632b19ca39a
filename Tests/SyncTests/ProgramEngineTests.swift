import Foundation
import TestSupport
import Testing
import VaultSealing
import VaultSync
import VaultSyncEngines

/// A program that answers wrongly, late or not at all harms nothing but its own store.
struct ProgramEngineTests {
  private let space: SpaceID
  private let stream: StreamID
  private let home: TemporaryHome
  private let programs: EnginePrograms

  init() throws {
    space = try #require(SpaceID([UInt8](repeating: 7, count: 16)))
    stream = try #require(StreamID([UInt8](repeating: 8, count: 16)))
    home = try TemporaryHome()
    programs = EnginePrograms(home: home)
  }

  private static let greeting = "receive()\nsend('ok', '1', 'restore retire', str(1 << 20))\n"

  private func engine(_ body: String, patience: Int = 30) throws -> ProgramEngine {
    ProgramEngine(path: try programs.python(body), store: "", patience: patience)
  }

  private func failure(_ body: () throws -> Void) -> SyncError? {
    do {
      try body()
      return nil
    } catch {
      return error as? SyncError
    }
  }

  /// What comes instead of an answer, and a word of what is said of it.
  static let lies: [(body: String, said: String)] = [
    ("receive()\nos.write(1, b'\\xff\\xff\\xff\\xff')\nreceive()", "above 32 MiB"),
    ("receive()\nos.write(1, b'\\x7f\\xff\\xff\\xff' * 4)\nreceive()", "above 32 MiB"),
    ("receive()\nos.write(1, b'\\0\\0\\0\\5\\0\\0\\0\\xffx')\nreceive()", "in pieces"),
    ("receive()\nos.write(1, b'\\0\\0\\0\\0')\nreceive()", "in pieces"),
    ("receive()\nos.write(1, b'\\0\\0\\0\\3abc')\nreceive()", "in pieces"),
    ("receive()\nsend('ok', '2', '', '16777216')\nreceive()", "another version"),
    ("receive()\nsend('ok', '1', '', '12')\nreceive()", "1 MiB at once"),
    ("receive()\nsend('ok', '1', '', '99999999999999999999999')\nreceive()", "1 MiB at once"),
    ("receive()\nsend('yes')\nreceive()", "a word"),
    ("receive()\nsend(b'\\xff\\xfe')\nreceive()", "a word"),
    (greeting + "receive()\nsend('ok', b'short')\nreceive()", "a head that is none"),
    (greeting + "receive()\nsend('ok', bytes(56))\nreceive()", "a head that is none"),
    (greeting + "receive()\nsend('ok', *[b'\\1' * 56] * 2)\nreceive()", "two heads"),
    ("import sys; sys.exit(3)", "status 3"),
    ("receive()\nos.write(1, b'\\0\\0\\0\\5\\0')\nsys.exit(4)", "status 4"),
    (greeting + "receive()\nos.kill(os.getpid(), 9)", "status 137"),
    (
      "receive()\nsys.stderr.write('x' * 100000 + '\\nno \\x1b[2Jroom\\n')\nsys.exit(1)",
      #"status 1): no \u{1b}[2Jroom"#
    ),
    (
      greeting + "receive()\nsend('error', 'unavailable', 'a\\x1b]0;b\\nc')\nreceive()",
      #"a\u{1b}]0;b\u{a}c"#
    ),
    (greeting + "receive()\nsend('error')\nreceive()", "refused"),
    (greeting + "receive()\nsend('error', 'unheard-of', 'z' * 100000)\nreceive()", "zzz"),
  ]

  @Test(arguments: lies.indices)
  func aLieIsAnErrorOfTheStore(_ position: Int) throws {
    let (body, said) = Self.lies[position]
    let error = try #require(failure { _ = try engine(body).heads(in: space) })
    #expect(error.code == .unavailable)
    #expect(error.message.contains(said), "\(error.message)")
    #expect(error.message.count < 800)
    #expect(!error.message.unicodeScalars.contains { $0.value < 0x20 })
  }

  @Test func aProgramThatIsSilentIsEnded() throws {
    for body in ["import time\ntime.sleep(900)", Self.greeting + "import time\ntime.sleep(900)"] {
      let started = ContinuousClock.now
      let error = try #require(
        failure { _ = try engine(body, patience: 1).heads(in: space) })
      #expect(error.message.contains("did not answer in 1 s"))
      #expect(ContinuousClock.now - started < .seconds(60))
    }
  }

  /// One that never reads, and one that floods while it is written to.
  @Test func aProgramThatDoesNotListenIsEnded() throws {
    let records = [[UInt8](repeating: 1, count: 4 << 20)]
    let head = StreamHead(stream: stream, sequence: 1, hash: [UInt8](repeating: 1, count: 32))
    for body in [
      Self.greeting + "import time\ntime.sleep(900)",
      Self.greeting + "while True: os.write(1, bytes(65536))",
    ] {
      let error = failure {
        try engine(body, patience: 2).append(records, head: head, in: space)
      }
      #expect(error?.code == .unavailable)
    }
  }

  @Test func moreRecordsThanAskedForAreRefused() throws {
    let error = failure {
      _ = try engine(Self.greeting + "receive()\nsend('ok', 'a', 'b', 'c')\nreceive()")
        .records(of: stream, in: space, after: 0, limit: 2)
    }
    #expect(error?.message.contains("more records") == true)
  }

  @Test func aRecordAboveItsLimitIsRefused() throws {
    let error = failure {
      _ = try engine(Self.greeting + "receive()\nsend('ok', bytes((16 << 20) + 1))\nreceive()")
        .records(of: stream, in: space, after: 0, limit: 2)
    }
    #expect(error?.message.contains("above 16 MiB") == true)
  }

  /// A start that failed says nothing of what the program can.
  @Test func aStartThatFailedIsNoAnswer() throws {
    let engine = try engine("import sys; sys.exit(3)")
    #expect(failure { _ = try engine.changes(in: space) }?.code == .unavailable)
    #expect(failure { try engine.restore([1], of: stream, at: 1, in: space) }?.code == .unavailable)
  }

  /// The next call starts a new one.
  @Test func aProgramThatDiedIsStartedAgain() throws {
    let engine = try engine(
      """
      import pathlib
      mark = pathlib.Path(sys.argv[0] + ".mark")
      receive()
      send('ok', '1', '', str(1 << 20))
      receive()
      if not mark.exists():
          mark.touch()
          sys.exit(1)
      send('ok')
      receive()
      """)
    #expect(failure { _ = try engine.heads(in: space) }?.code == .unavailable)
    #expect(try engine.heads(in: space).isEmpty)
  }

  @Test func errorsHaveTheirCodes() throws {
    let words: [(String, SyncError.Code)] = [
      ("taken", .taken), ("not-allowed", .notAllowed), ("not-prepared", .notPrepared),
      ("rolled-back", .rolledBack), ("unavailable", .unavailable),
    ]
    for (word, code) in words {
      let engine = try engine(
        Self.greeting + "receive()\nsend('error', '\(word)', 'so', 'do that')\nreceive()")
      let error = failure { _ = try engine.heads(in: space) }
      #expect(error == SyncError(code, "so", hint: "do that"))
    }
  }

  /// The password goes through the pipe alone.
  @Test func thePasswordIsInTheGreetingAlone() throws {
    let path = try programs.python(
      """
      hello = receive()
      seen = open('/proc/self/cmdline', 'rb').read() + open('/proc/self/environ', 'rb').read()
      isHidden = b'canary-4711' not in seen
      send('ok', '1', '', str(1 << 20))
      receive()
      send('error', 'taken', repr((hello[4], isHidden)))
      receive()
      """)
    let password = try SecretBytes(copying: Array("canary-4711".utf8))
    let engine = ProgramEngine(path: path, store: "", password: password)
    #expect(failure { _ = try engine.spaces() }?.message == "(b'canary-4711', True)")
  }

  @Test func aProgramThatOthersMayWriteIsNotStarted() throws {
    func refused(_ path: String) -> SyncError? {
      failure { _ = try ProgramEngine(path: path, store: "\(home.path)").spaces() }
    }
    for mode in [0o722, 0o702, 0o777] {
      let path = try programs.program(EnginePrograms.example(), mode: mode)
      #expect(refused(path)?.code == .notAllowed)
    }
    // A folder on its way that others may write, also behind a link.
    let open = "\(home.path)/open"
    try FileManager.default.createDirectory(
      atPath: "\(open)/inner", withIntermediateDirectories: true)
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: open)
    let inner = EnginePrograms(home: home)
    let path = try inner.program(EnginePrograms.example(), named: "open/inner/engine")
    #expect(refused(path)?.code == .notAllowed)
    let link = "\(home.path)/link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    #expect(refused(link)?.code == .notAllowed)
    // What is there and is none.
    #expect(refused("\(home.path)/nowhere")?.code == .unavailable)
    #expect(refused(try programs.program("x", mode: 0o600))?.code == .unavailable)
    #expect(refused(home.path)?.code == .unavailable)
  }

  @Test func addressesOfProgramsAreWhole() throws {
    let address = try StoreAddress(typed: "exec:/opt/engine?a b?c", in: "/home/me")
    #expect(address.kind == .program)
    #expect(address.text == "exec:/opt/engine?a b?c")
    #expect(StoreAddress(remembered: address.text) == address)
    for text in ["exec:engine", "exec:", "exec:/opt/../engine", "exec:/opt/", "exec:/a\u{1b}b"] {
      #expect(
        failure { _ = try StoreAddress(typed: text, in: "/home/me") }?.code == .notAllowed,
        "\(text)")
    }
  }
}
