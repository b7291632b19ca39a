import CVaultLinux

/// The two ends of a pipe, which its owner closes: pipe2(2).
package struct Pipe {
  package let read: Int32
  package let write: Int32

  /// Makes a pipe; `nil` if the system has no descriptors left.
  package init?(flags: Int32) {
    let ends = cvault_pipe(flags)
    guard ends >= 0 else { return nil }
    read = Int32(truncatingIfNeeded: ends >> 32)
    write = Int32(truncatingIfNeeded: ends)
  }
}
