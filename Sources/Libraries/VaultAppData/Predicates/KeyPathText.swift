/// A key path as the standard library writes it, part by part.
///
/// On Linux a computed property has no name: `\Task.<computed 0x5… (Optional<Project>)>?.<computed
/// …>`. A part is found by comparing it with the key paths of the properties: by its identity, or by
/// its text where the runtime gives it none.
struct KeyPathText {
  struct Component {
    var text = ""
    /// What the runtime tells the property apart by.
    var identity: PropertyIdentity?
    /// Followed by `?` and more.
    var isChained = false
    /// Followed by `!`.
    var isForced = false

    /// Whether it is the name of a stored property.
    var isPlain: Bool { !text.hasPrefix("<") && !text.isEmpty }

    /// Whether both are the same property, if they are of the same type.
    func names(sameAs other: Component) -> Bool {
      if let identity, let other = other.identity { return identity == other }
      return text == other.text
    }
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
    guard let identities = KeyPathHeader.identities(path), identities.count == components.count
    else { return }
    for (place, identity) in zip(components.indices, identities) {
      components[place].identity = identity
    }
  }

  /// Whether the last part is this one.
  func ends(in component: Component) -> Bool { components.last?.names(sameAs: component) == true }
}
