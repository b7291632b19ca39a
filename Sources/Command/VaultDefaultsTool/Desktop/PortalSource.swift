import VaultDBus
import VaultPreferences
import VaultSealing
import VaultStorage

/// What the desktop tells every program through its portal, also one in a sandbox.
///
/// That is whether colors are dark, the accent, the contrast. It can only be read.
///
/// A domain is a namespace of `org.freedesktop.portal.Settings`, most often
/// `org.freedesktop.appearance`. The adversary is whatever program has the portal's name on the bus:
/// it may say anything, of any size, or nothing.
final class PortalSource: DesktopSource {
  static let prefix = "portal:"
  static let isReadOnly = true

  /// The namespace that every desktop has.
  static let appearance = "org.freedesktop.appearance"
  private static let name = "org.freedesktop.portal.Desktop"
  private static let path = "/org/freedesktop/portal/desktop"
  private static let interface = "org.freedesktop.portal.Settings"
  /// How long the portal may take; it may have to be started.
  private static let patience = Duration.seconds(10)
  private static let depthLimit = 32

  private let environment: [String: String]

  init(environment: [String: String]) { self.environment = environment }

  var names: [String] { [Self.appearance] }

  func domain(named word: String) throws -> String {
    let isName =
      !word.isEmpty && word.utf8.count <= 255
      && word.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x5f: true
        default: false
        }
      }
    guard isName else {
      throw DefaultsRefusal("'\(Quoting.visible(word))' is not a namespace of the portal.")
    }
    return word
  }

  func part(of domain: String) -> String { domain }

  // MARK: Reading

  func current(beside known: Set<String>) throws -> [String: [String: PreferenceValue]] {
    let wanted = known.union([Self.appearance]).sorted()
    let end = ContinuousClock.now + Self.patience
    let values: [DBusValue]
    do {
      let client = try BusClient(address(), until: end)
      // Where the bus can start it; one that runs already is enough.
      let start = try client.askBus(
        "StartServiceByName", [.string(Self.name), .uint32(0)])
      _ = try? client.reply(to: start, until: end)
      guard let owner = client.owner(of: Self.name) else {
        throw DefaultsRefusal(
          "There is no portal on the session bus; the package xdg-desktop-portal has it.")
      }
      values = try client.reply(
        to: client.ask(
          owner, Self.path, Self.interface, "ReadAll", [.strings(wanted)]), until: end)
    } catch let error as BusError {
      throw DefaultsRefusal("The portal answers: \(Quoting.visible(error.words))")
    } catch BusClient.Failure.late {
      throw DefaultsRefusal("The portal did not answer in time.")
    } catch let error as DefaultsRefusal {
      throw error
    } catch {
      throw DefaultsRefusal(
        "There is no session bus to ask the portal on; dbus-run-session starts one.")
    }
    guard let namespaces = values.first?.entries else {
      throw DefaultsRefusal("The portal answers with something else than settings.")
    }
    var found: [String: [String: PreferenceValue]] = [:]
    for name in wanted {
      for (key, value) in namespaces[name]?.entries ?? [:] {
        if let value = Self.value(value, depth: 0) { found[name, default: [:]][key] = value }
      }
    }
    return found
  }

  private func address() throws -> String {
    guard let address = DesktopEnvironment.bus(environment) else {
      throw BusClient.Failure.unreachable
    }
    return address
  }

  /// A value of the bus as one of ours; `nil` for what is none, such as a descriptor.
  static func value(_ value: DBusValue, depth: Int) -> PreferenceValue? {
    guard depth < depthLimit else { return nil }
    switch value {
    case .byte(let number): return .integer(Int64(number))
    case .boolean(let flag): return .boolean(flag)
    case .int16(let number): return .integer(Int64(number))
    case .uint16(let number): return .integer(Int64(number))
    case .int32(let number): return .integer(Int64(number))
    case .uint32(let number): return .integer(Int64(number))
    case .int64(let number): return .integer(number)
    case .uint64(let number): return PreferenceValue(unsigned: number)
    case .double(let number): return .real(number)
    case .string(let text), .objectPath(let text): return .string(text)
    case .signature, .descriptor, .entry: return nil
    case .variant(let inner): return self.value(inner, depth: depth + 1)
    case .bytes(let bytes): return .data(bytes.withBytes { $0.array(0..<$0.byteCount) })
    case .array(.entry, _):
      let entries = value.entries ?? [:]
      return .dictionary(entries.compactMapValues { self.value($0, depth: depth + 1) })
    case .array(_, let parts), .structure(let parts):
      return .array(parts.compactMap { self.value($0, depth: depth + 1) })
    }
  }

  func kept(
    _ value: PreferenceValue, of key: String, in domain: String
  ) -> PreferenceValue { value }

  func isSame(
    _ first: PreferenceValue?, _ second: PreferenceValue?, of key: String, in domain: String
  ) -> Bool { first == second }

  func push(_ changes: [DesktopChange]) throws {
    throw DefaultsRefusal(
      "The portal's settings can only be read.\nDefaults have not been changed. "
        + "The desktop's own settings have them: --dconf, --kconfig.")
  }

  func files(of known: Set<String>) -> [(folder: String, name: String)] { [] }

  func schema(of domain: String) -> PreferenceSchema? {
    domain == Self.appearance ? Self.schema : nil
  }

  /// What the portal's documentation says of its keys.
  private static let schema: PreferenceSchema = {
    func key(
      _ name: String, _ type: String, _ description: String, _ values: [PreferenceValue] = []
    ) -> PreferenceSchema.Key {
      var key = PreferenceSchema.Key(name)
      (key.type, key.description, key.values) = (type, description, values)
      return key
    }
    return PreferenceSchema(
      "What the desktop tells every program",
      keys: [
        key("color-scheme", "integer", "0 for no preference, 1 for dark, 2 for light", [0, 1, 2]),
        key(
          "accent-color", "array",
          "Red, green and blue from 0 to 1; anything else for no preference"),
        key("contrast", "integer", "0 for no preference, 1 for higher contrast", [0, 1]),
        key("reduced-motion", "integer", "0 for no preference, 1 for less motion", [0, 1]),
      ])
  }()
}
