import Foundation

/// Another implementation of one-time codes: oathtool of the OATH Toolkit.
package enum Oathtool {
  private static let path = "/usr/bin/oathtool"

  package static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: path) }

  /// Its output without the newline.
  package static func code(_ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let data = process.output(of: pipe)
    return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
