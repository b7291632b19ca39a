package import VaultCredentials
package import VaultStorage
import VaultTerminal

extension ItemVersion {
  /// The version as `--json` writes it.
  package var json: JSONValue {
    .object([
      ("version", .number(Int64(clamping: version))),
      ("written", .string(Timestamp.text(written))), ("isCurrent", .bool(isCurrent)),
      ("isConcurrent", .bool(isConcurrent)), ("machine", .optional(machine)),
    ])
  }

  /// The version as a row.
  ///
  /// - Parameter written: When it was written, in words.
  /// - Returns: The number, the time, and what it is.
  package func row(written: String) -> [String] {
    let origin = machine.map { "from \(StandardOutput.shown($0)), concurrent" }
    let mark = isCurrent ? "current" : isConcurrent ? origin ?? "concurrent" : nil
    return [String(version), written] + (mark.map { [$0] } ?? [])
  }
}
