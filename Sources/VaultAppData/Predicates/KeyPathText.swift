/// A key path as the standard library writes it, part by part.
///
/// On Linux a computed property has no name: `\Task.<computed 0x5… (Optional<Project>)>?.<computed
/// …>`. The text of a part is the same wherever the part occurs, so that a key path of several
/// parts can be taken apart by comparing it with the key paths of the properties.
struct KeyPathText {
  struct Component: Equatable {
    var text = ""
    /// Followed by `?` and more.
    var isChained = false
    /// Followed by `!`.
    var isForced = false

    /// Whether it is the name of a stored property.
    var isPlain: Bool { !text.hasPrefix("<") && !text.isEmpty }
  }

  private(set) var components: [Component] = []

  init(_ path: AnyKeyPath) {
    var parts: [String] = [""]
    var depth = 0
    for character in "\(path)" {
      switch character {
      case "<", "(": depth += 1
      case ">", ")": depth -= 1
      default: break
      }
      if character == ".", depth == 0 {
        parts.append("")
      } else {
        parts[parts.count - 1].append(character)
      }
    }
    let named = parts.dropFirst()
    for (place, part) in zip(named.indices, named) {
      var component = Component(text: part)
      while let mark = component.text.last, mark == "?" || mark == "!" {
        component.text.removeLast()
        // At the end, `?` only says that the whole is optional.
        if mark == "?", place < named.endIndex - 1 { component.isChained = true }
        if mark == "!" { component.isForced = true }
      }
      components.append(component)
    }
  }

  var last: String? { components.last?.text }
}
