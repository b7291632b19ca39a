import VaultCommandCore
import VaultDefaultsTool
import VaultStorage
import VaultTerminal

/// The links under which this program is one of macOS's tools for property list files.
enum PropertyListLink: String {
  case plutil
  case plistBuddy = "PlistBuddy"

  init?(calledAs name: String?) {
    guard let tool = name.flatMap(Self.init(rawValue:)) else { return nil }
    self = tool
  }

  /// Runs a line of the tool.
  func run(_ arguments: [String]) -> ExitStatus {
    var hasFailed = false
    let streams = PropertyListStreams(
      output: { bytes in
        do { try StandardOutput.write(bytes) } catch { hasFailed = true }
      },
      error: { StandardError.write(String(decoding: $0, as: UTF8.self)) },
      input: { try StandardInput.all() }, line: { readLine() },
      domains: PropertyListDomains(home: StoreLocation.namedHome()) {
        DefaultsLine.tool(VaultSettings()) { _ in hasFailed = true }
      })
    let status =
      switch self {
      case .plutil: PlistUtilTool(streams).run(arguments)
      case .plistBuddy: PlistBuddyTool(streams).run(arguments)
      }
    return ExitStatus(code: hasFailed ? ExitStatus.inputOutput.code : status)
  }
}
