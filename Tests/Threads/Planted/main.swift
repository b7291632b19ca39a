// A race that ThreadSanitizer must find, and the same count behind a mutex that threads wait for,
// in which it must find none.
//
// planted-race bare|mutex

import Foundation
import Synchronization

final class Count: Sendable {
  nonisolated(unsafe) var bare = 0
  let guarded = Mutex(0)
}

let count = Count()
let isGuarded = CommandLine.arguments.last == "mutex"
let ends = (0..<4).map { _ in DispatchSemaphore(value: 0) }
for end in ends {
  Thread.detachNewThread {
    for _ in 0..<20_000 {
      if isGuarded {
        count.guarded.withLock { $0 += 1 }
      } else {
        count.bare += 1
      }
    }
    end.signal()
  }
}
for end in ends { end.wait() }
print(isGuarded ? count.guarded.withLock { $0 } : count.bare)
