import Glibc
import Testing
import VaultTerminal

/// Signals of this process, raised by the tests themselves.
@Suite(.serialized) struct SignalPipeTests {
  /// Raises a signal in this thread, which blocks it as all threads of a dispatch queue do.
  private func send(_ number: Int32) {
    var set = sigset_t()
    var before = sigset_t()
    unsafe sigemptyset(&set)
    unsafe sigaddset(&set, number)
    unsafe pthread_sigmask(SIG_UNBLOCK, &set, &before)
    raise(number)
    unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
  }

  @Test func caughtSignalsArriveInOrder() throws {
    let pipe = try #require(SignalPipe())
    pipe.catchSignals([SIGUSR1, SIGUSR2])
    send(SIGUSR1)
    send(SIGUSR2)
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
    send(SIGUSR1)
    #expect(inner.takeSignals() == [SIGUSR1])
    #expect(outer.takeSignals() == [])
    inner.release()
    send(SIGUSR1)
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
    send(SIGUSR2)
    #expect(outer.takeSignals() == [SIGUSR2])
    outer.release()
  }

  @Test func anIgnoredSignalStaysIgnored() throws {
    signal(SIGUSR1, SIG_IGN)
    defer { signal(SIGUSR1, SIG_DFL) }
    let pipe = try #require(SignalPipe())
    pipe.catchSignals([SIGUSR1])
    send(SIGUSR1)
    #expect(pipe.takeSignals() == [])
    pipe.release()
    pipe.catchSignals([], always: [SIGUSR1])
    send(SIGUSR1)
    #expect(pipe.takeSignals() == [SIGUSR1])
    pipe.release()
  }
}
