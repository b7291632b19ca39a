import VaultStorage

/// Names with slashes as a tree, for people.
///
/// Folders end with a slash. A folder that holds nothing but another one stands on its line, as long
/// as there is room. An item whose name is also a folder's has a line of its own, with the
/// folder's contents below it.
package struct NameTree {
  private let root = Branch()

  /// Makes a tree of sorted names that are safe for a terminal.
  package init(_ names: [String]) {
    for name in names {
      var branch = root
      for part in name.parts(at: "/") { branch = branch.child(String(part)) }
      branch.isItem = true
    }
  }

  /// The lines, one for each item and folder, cut at the width of the terminal.
  package var text: String {
    var output = ""
    let place = Place(
      columns: StandardOutput.columns, isColored: StandardOutput.isColored, lines: .ofLocale)
    for child in root.children { child.write(to: &output, lead: "", indent: "", place) }
    return output
  }

  private struct Place {
    let columns: Int?
    let isColored: Bool
    let lines: Lines
  }

  /// What leads to a name, four columns each: to a last one and another, and below these.
  private struct Lines {
    let toLast, toOther, belowLast, belowOther: String

    static let drawn = Lines(
      toLast: "└── ", toOther: "├── ", belowLast: "    ", belowOther: "│   ")
    /// For terminals that have no more than ASCII, as tree(1) draws them.
    static let plain = Lines(
      toLast: "`-- ", toOther: "|-- ", belowLast: "    ", belowOther: "|   ")

    /// Those of the locale: POSIX, "Internationalization Variables".
    static var ofLocale: Lines {
      let names = ["LC_ALL", "LC_CTYPE", "LANG"]
      guard let locale = names.lazy.compactMap(ProcessState.variable).first else { return drawn }
      let isUnicode = ["utf-8", "utf8"].contains {
        locale.lowercased().contains(bytes: $0)
      }
      return isUnicode ? drawn : plain
    }
  }

  private final class Branch {
    let name: String
    var isItem = false
    private(set) var children: [Branch] = []

    /// A part of a name gets so much, however deep it is.
    private static let leastRoom = 8

    init(_ name: String = "") { self.name = name }

    func child(_ name: String) -> Branch {
      // The names are sorted, so the branch is usually the last one.
      if let last = children.last, last.name == name { return last }
      if let found = children.first(where: { $0.name == name }) { return found }
      let branch = Branch(name)
      children.append(branch)
      return branch
    }

    func write(to output: inout String, lead: String, indent: String, _ place: Place) {
      let room = place.columns.map { max(Self.leastRoom, $0 - DisplayWidth.of(lead)) }
      var text = isItem ? name : name + "/"
      var branch = self
      while !branch.isItem, branch.children.count == 1, let only = branch.children.first,
        !only.isItem, DisplayWidth.of(text + only.name) < room ?? .max
      {
        text += only.name + "/"
        branch = only
      }
      let children = branch.children
      if let room { text = DisplayWidth.cut(text, to: room) }
      if !isItem { text = TextStyle.folder.applied(to: text, isColored: place.isColored) }
      output += TextStyle.faint.applied(to: lead, isColored: place.isColored) + text + "\n"
      for (number, child) in children.enumerated() {
        let isLast = number == children.count - 1
        child.write(
          to: &output, lead: indent + (isLast ? place.lines.toLast : place.lines.toOther),
          indent: indent + (isLast ? place.lines.belowLast : place.lines.belowOther), place)
      }
    }
  }
}
