import CVaultLinux
import Glibc

/// The text that NSLog writes before a message: `2026-01-31 12:00:00.000 defaults[PID:TID]`.
enum LogPrefix {
  static func now() -> String {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    var parts = unsafe tm()
    unsafe localtime_r(&time.tv_sec, &parts)
    func pad(_ number: Int, _ width: Int = 2) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, width - text.count)) + text
    }
    let day = unsafe [pad(Int(parts.tm_mon) + 1), pad(Int(parts.tm_mday))]
    let clock = unsafe [Int(parts.tm_hour), Int(parts.tm_min), Int(parts.tm_sec)].map { pad($0) }
    let year = unsafe pad(Int(parts.tm_year) + 1_900, 4)
    let pid = getpid()
    return "\(year)-\(day.joined(separator: "-")) \(clock.joined(separator: ":"))"
      + ".\(pad(time.tv_nsec / 1_000_000, 3)) defaults[\(pid):\(pid)]"
  }
}
