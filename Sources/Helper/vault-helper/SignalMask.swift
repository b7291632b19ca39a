import Glibc

/// The signals that this process does not get.
enum SignalMask {
  /// Lets all signals in: who starts this may have blocked those that end it.
  static func clear() {
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe pthread_sigmask(SIG_SETMASK, &none, nil)
  }
}
