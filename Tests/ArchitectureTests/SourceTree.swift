import Foundation

/// The repository's files, for tests that read source.
struct SourceTree {
  private let folder: String

  /// - Parameter name: A folder of the repository, such as `Sources`.
  init(_ name: String) {
    folder =
      URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../\(name)").standardized.path
  }

  /// The Swift files below the folder, by their paths in it, sorted; nothing that a build wrote.
  var swiftFiles: [String] {
    let all = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    return all.filter { $0.hasSuffix(".swift") && !$0.contains(".build") }.sorted()
  }

  /// A file's lines, each as it is.
  func lines(of file: String) throws -> [String] {
    try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }
}
