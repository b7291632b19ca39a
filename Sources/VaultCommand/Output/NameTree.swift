import VaultStorage

/// Names as a tree by their slashes, for people.
///
/// A folder ends with a slash; an item whose name begins others is a line of its own and has them below it.
struct NameTree {
  private let root = Branch()

  /// A tree of sorted names that are safe for a terminal.
  init(_ names: [String]) {
    for name in names {
      var branch = root
      for part in name.parts(at: "/") { branch = branch.child(String(part)) }
      branch.isItem = true
    }
  }

  /// A line for each item and folder; what is wider than the terminal is cut.
  var text: String {
    var output = ""
    let place = Place(columns: StandardOutput.columns, isColored: StandardOutput.isColored)
    for child in root.children { child.write(to: &output, lead: "", indent: "", place) }
    return output
  }

  private struct Place {
    let columns: Int?
    let isColored: Bool
  }

  private final class Branch {
    let name: String
    var isItem = false
    private(set) var children: [Branch] = []

    init(_ name: String = "") { self.name = name }

    func child(_ name: String) -> Branch {
      // Sorted names: a branch is mostly the last one.
      if let last = children.last, last.name == name { return last }
      if let found = children.first(where: { $0.name == name }) { return found }
      let branch = Branch(name)
      children.append(branch)
      return branch
    }

    func write(to output: inout String, lead: String, indent: String, _ place: Place) {
      var text = isItem ? name : name + "/"
      if let columns = place.columns {
        text = DisplayWidth.cut(text, to: max(1, columns - DisplayWidth.of(lead)))
      }
      if !isItem { text = TextStyle.folder.applied(to: text, isColored: place.isColored) }
      output += TextStyle.faint.applied(to: lead, isColored: place.isColored) + text + "\n"
      for (number, child) in children.enumerated() {
        let isLast = number == children.count - 1
        child.write(
          to: &output, lead: indent + (isLast ? "└── " : "├── "),
          indent: indent + (isLast ? "    " : "│   "), place)
      }
    }
  }
}
