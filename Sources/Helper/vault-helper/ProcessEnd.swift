import CVaultLinux
import Glibc
import VaultStorage
import VaultTerminal

/// The end of a process that is not a child, as a descriptor that can be read then.
struct ProcessEnd {
  let descriptor: Int32

  /// Watches a process; `nil` if the system has no descriptors left.
  ///
  /// pidfd_open(2), Linux 5.3. Where a kernel or a container's filter refuses it, the process is
  /// looked at five times a second.
  init?(of process: Int32) {
    let descriptor = cvault_process_descriptor(process)
    guard descriptor < 0 else {
      self.descriptor = descriptor
      return
    }
    guard let pipe = Pipe(flags: O_CLOEXEC) else { return nil }
    self.descriptor = pipe.read
    BlockingThread.start(name: "vault-process") {
      // EPERM means that it is there.
      while kill(process, 0) == 0 || errno == EPERM { usleep(200_000) }
      close(pipe.write)
    }
  }
}
