import FoundationEssentials

extension Date {
  /// How long ago it was, for people: `2 days ago`, `3 min ago`.
  func ago(now: Date = Date()) -> String {
    let seconds = Int(max(0, now.timeIntervalSince(self)))
    switch seconds {
    case ..<60: return "just now"
    case ..<3600: return "\(seconds / 60) min ago"
    case ..<86_400: return "\(seconds / 3600) h ago"
    case ..<172_800: return "yesterday"
    case ..<(2 * 31_557_600): return "\(seconds / 86_400) days ago"
    default: return "\(seconds / 31_557_600) years ago"
    }
  }
}
