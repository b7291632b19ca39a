import VaultDefaultsTool

/// What a run of `plutil` or `PlistBuddy` in process printed, and its status.
struct PropertyListToolRun: Equatable {
  var status: Int32
  var output: [UInt8]
  var error: String

  var text: String { String(decoding: output, as: UTF8.self) }

  init(status: Int32, output: String, error: String) {
    self.status = status
    self.output = Array(output.utf8)
    self.error = error
  }

  /// Runs a tool.
  ///
  /// - Parameters:
  ///   - input: What stdin holds.
  ///   - lines: What a person types.
  ///   - body: Runs the tool with these streams.
  init(
    input: String = "", lines: [String] = [], _ body: (PropertyListStreams) -> Int32
  ) {
    var output: [UInt8] = []
    var error: [UInt8] = []
    var lines = lines[...]
    status = body(
      PropertyListStreams(
        output: { output += $0 }, error: { error += $0 }, input: { Array(input.utf8) },
        line: { lines.popFirst() }))
    self.output = output
    self.error = String(decoding: error, as: UTF8.self)
  }
}
