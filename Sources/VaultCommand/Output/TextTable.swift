/// Rows in columns, and names as a tree, for people.
enum TextTable {
  /// Rows with their columns aligned; the last column is not padded.
  static func aligned(_ rows: [[String]]) -> String {
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in
      rows.map { $0.indices.contains(column) ? $0[column].count : 0 }.max() ?? 0
    }
    return rows.map { row in
      row.enumerated().map { column, text in
        column == row.count - 1
          ? text : text + String(repeating: " ", count: widths[column] - text.count)
      }.joined(separator: "  ") + "\n"
    }.joined()
  }

  /// Sorted names as a tree by their slashes.
  static func tree(_ names: [String]) -> String {
    let root = Branch()
    for name in names {
      var branch = root
      for part in name.split(separator: "/") { branch = branch.child(String(part)) }
    }
    var output = ""
    root.write(to: &output, indent: "")
    return output
  }

  private final class Branch {
    private var children: [(name: String, branch: Branch)] = []

    func child(_ name: String) -> Branch {
      if let found = children.first(where: { $0.name == name }) { return found.branch }
      let branch = Branch()
      children.append((name, branch))
      return branch
    }

    func write(to output: inout String, indent: String) {
      for (number, child) in children.enumerated() {
        let isLast = number == children.count - 1
        output += "\(indent)\(isLast ? "└── " : "├── ")\(child.name)\n"
        child.branch.write(to: &output, indent: indent + (isLast ? "    " : "│   "))
      }
    }
  }
}
