import FoundationEssentials
package import VaultCredentials
import VaultSealing
package import VaultStorage
import VaultTerminal

extension UsageRecord {
  /// The item's name with the field, as a reference has them.
  package var subject: String {
    switch field {
    case .main: itemName
    case .named(let name): "\(itemName)#\(name)"
    case .all: itemName.isEmpty ? "" : "\(itemName)#*"
    }
  }

  /// How it was used, for people.
  package var manner: String {
    var text = Sanitizer.visible(verb.rawValue)
    // ssh's verb has it already.
    if let purpose = account.purpose, !verb.rawValue.contains(bytes: purpose) {
      text += " for \(Sanitizer.visible(purpose))"
    }
    if let by = account.by {
      text += "\(isAllowed ? ", allowed" : ", refused") by \(Sanitizer.visible(by))"
    } else if !isAllowed {
      text += ", refused"
    }
    return account.reason.map { "\(text), \"\(Sanitizer.visible($0))\"" } ?? text
  }

  /// The programs, the nearest first: `bash < tmux < systemd`.
  package var programs: String {
    caller.programs.map { ByteText.shown($0.shortName) }.joined(separator: " < ")
  }

  /// Where it was: the terminal, or else the unit.
  package var place: String { caller.terminal ?? caller.unit.map(ByteText.shown) ?? "-" }

  /// The record in a few words: `2026-11-23T03:00:11Z (get, by bash)`.
  package var summary: String {
    let by = caller.programs.first.map { ", by \(ByteText.shown($0.shortName))" } ?? ""
    return "\(Timestamp.text(time)) (\(manner)\(by))"
  }

  /// The members of the record's JSON.
  package var members: [(String, JSONValue)] {
    let field: JSONValue =
      switch field {
      case .main: .null
      case .named(let name): .string(name)
      case .all: .string("*")
      }
    return [
      ("number", .number(Int64(clamping: sequence))), ("time", .string(Timestamp.text(time))),
      ("id", .optional(itemID)), ("name", itemID == nil ? .null : .string(itemName)),
      ("field", field), ("verb", .string(verb.rawValue)), ("isAllowed", .bool(isAllowed)),
      ("purpose", .optional(account.purpose)), ("reason", .optional(account.reason)),
      ("decidedBy", .optional(account.by)),
      ("programs", .array(caller.programs.map(\.json))), ("terminal", .optional(caller.terminal)),
      ("unit", .optional(caller.unit.map(ByteText.exact))),
      ("controlGroup", .string(ByteText.exact(caller.controlGroup))),
      ("user", .number(Int64(caller.user))),
      ("loginUser", caller.loginUser.map { .number(Int64($0)) } ?? .null),
    ]
  }
}

extension UsageCaller.Program {
  fileprivate var json: JSONValue {
    var members: [(String, JSONValue)] = [
      ("pid", .number(Int64(pid))), (isPath ? "path" : "name", .string(ByteText.exact(name))),
    ]
    // JSON holds text only: the bytes are exact here.
    if String(validating: name, as: UTF8.self) == nil,
      let bytes = try? SecretBytes(copying: name), let text = try? Base64.encoded(bytes).text
    {
      members.append(("base64", .string(text)))
    }
    return .object(members)
  }
}
