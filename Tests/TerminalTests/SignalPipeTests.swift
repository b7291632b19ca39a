import Glibc
import Testing
import VaultTerminal

/// Signals of this process, raised by the tests themselves.
@Suite(.serialized) struct SignalPipeTests {
  @Test func caughtSignalsArriveInOrder() throws {
    let pipe = try #require(SignalPipe())
    pipe.catchSignals([SIGUSR1, SIGUSR2])
    raise(SIGUSR1)
    raise(SIGUSR2)
    #expect(pipe.takeSignals() == [SIGUSR1, SIGUSR2])
    #expect(pipe.takeSignals() == [])
    pipe.release()
  }

  /// A prompt may open while another object still catches signals, and end before or after it.
  @Test func theLatestPipeGetsTheSignals() throws {
    let outer = try #require(SignalPipe())
    outer.catchSignals([SIGUSR1])
    let inner = try #require(SignalPipe())
    inner.catchSignals([SIGUSR1])
    raise(SIGUSR1)
    #expect(inner.takeSignals() == [SIGUSR1])
    #expect(outer.takeSignals() == [])
    inner.release()
    raise(SIGUSR1)
    #expect(inner.takeSignals() == [])
    #expect(outer.takeSignals() == [SIGUSR1])
    outer.release()
  }

  @Test func theFormerActionIsRestored() throws {
    let outer = try #require(SignalPipe())
    outer.catchSignals([SIGUSR2])
    var inner = SignalPipe()
    inner?.catchSignals([SIGUSR2])
    inner = nil
    raise(SIGUSR2)
    #expect(outer.takeSignals() == [SIGUSR2])
    outer.release()
  }

  @Test func anIgnoredSignalStaysIgnored() throws {
    signal(SIGUSR1, SIG_IGN)
    defer { signal(SIGUSR1, SIG_DFL) }
    let pipe = try #require(SignalPipe())
    pipe.catchSignals([SIGUSR1])
    raise(SIGUSR1)
    #expect(pipe.takeSignals() == [])
    pipe.release()
    pipe.catchSignals([], always: [SIGUSR1])
    raise(SIGUSR1)
    #expect(pipe.takeSignals() == [SIGUSR1])
    pipe.release()
  }
}
