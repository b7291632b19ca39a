import CVaultLinux

/// The two ends of a pipe; who makes it closes them.
///
/// pipe2(2).
struct Pipe {
  let read: Int32
  let write: Int32

  /// `nil` where the system has no descriptors left.
  init?(flags: Int32) {
    let ends = cvault_pipe(flags)
    guard ends >= 0 else { return nil }
    read = Int32(truncatingIfNeeded: ends >> 32)
    write = Int32(truncatingIfNeeded: ends)
  }
}
