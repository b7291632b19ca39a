import Glibc

/// Waiting for a stream without reading it.
package enum StreamWaiting {
  /// Whether there is something to read, or its end, within so many milliseconds: poll(2).
  package static func isReadable(_ descriptor: Int32, within milliseconds: Int32) -> Bool {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&waiting, 1, milliseconds) != 0
  }
}
