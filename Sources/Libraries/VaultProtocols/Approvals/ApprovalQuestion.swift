import VaultStorage

/// The question to a person whether a program may use an item.
///
/// It goes from the process that serves to those that show it. What a program chose itself, its
/// reason above all, is bounded here and escaped where it is shown; nothing of it is believed.
package struct ApprovalQuestion: Sendable, Equatable {
  /// The most of a reason that is shown, in scalars.
  package static let maximumReason = 200
  /// The variable in which a program says why it asks.
  package static let reasonVariable = "VAULT_REASON"

  /// A process of the chain, from the one that asks up.
  package struct Program: Sendable, Equatable {
    package let process: Int32
    /// The path of the executable, or where the kernel does not vouch for that, other words.
    package let name: String
    package let isPath: Bool

    package init(process: Int32, name: String, isPath: Bool) {
      (self.process, self.name, self.isPath) = (process, name, isPath)
    }

    /// The last component of the path; what a program calls itself stands in quotes.
    package var shown: String {
      if isPath { return Quoting.visible(String(name.lastComponent)) }
      // The name that a process gives itself has 15 bytes at most: proc_pid_comm(5).
      return name.utf8.count > 15 ? name : "\"\(Quoting.visible(name))\""
    }
  }

  /// The number by which it is answered.
  package var number = 0
  /// The item's name.
  package var item: String
  /// How it would be used, such as `git` or `git store`.
  package var use: String
  /// What for, such as `https://github.com`.
  package var purpose: String?
  /// The question as a sentence, without a question mark.
  package var sentence: String
  package var programs: [Program]
  /// Where the program works; `nil` where the kernel does not say.
  package var folder: String?
  /// Why, in the program's own words.
  package var reason: String?
  /// How many requests wait for this answer.
  package var count = 1
  /// Whether not all of them have the same programs, folder and reason as the one that is shown.
  package var isMixed = false
  /// Seconds that are left for an answer.
  package var seconds = 0
  /// Whether only a refusal can be kept: nothing says that the next use is for the same place.
  package var isOnlyRefused = false

  package init(
    item: String, use: String, purpose: String? = nil, sentence: String,
    programs: [Program] = [], folder: String? = nil, reason: String? = nil,
    isOnlyRefused: Bool = false
  ) {
    self.isOnlyRefused = isOnlyRefused
    (self.item, self.use, self.sentence) = (item, use, sentence)
    self.purpose = purpose.flatMap(Self.bounded)
    (self.programs, self.folder) = (programs, folder)
    self.reason = reason.flatMap(Self.bounded)
  }

  /// A text of a program's in one line that is not too long; `nil` if nothing is left.
  package static func bounded(_ reason: String) -> String? {
    var scalars = String.UnicodeScalarView()
    for scalar in reason.unicodeScalars {
      guard scalars.count < maximumReason else {
        scalars.append("…")
        break
      }
      scalars.append(scalar.properties.isWhitespace ? " " : scalar)
    }
    let isEmpty = scalars.allSatisfy { $0.value == 0x20 }
    return isEmpty ? nil : String(scalars)
  }

  /// The programs, the nearest first: `git < bash < tmux`.
  package var chain: String {
    programs.map(\.shown).joined(separator: " < ")
  }

  /// The question in one line, for those that show no more.
  package var line: String {
    var line = sentence
    if let purpose { line += " It is for \(Quoting.visible(purpose))." }
    if let folder { line += " It works in \(Quoting.visible(folder))." }
    if let reason { line += " It says why: \"\(Quoting.visible(reason))\"." }
    if count > 1 { line += " It asks \(Plural.of(count, "time"))." }
    return line
  }
}

/// What a person answers.
package enum ApprovalAnswer: String, Sendable {
  /// These uses.
  case once
  /// Until who serves ends.
  case run
  /// For an hour, and not longer than ``run``.
  case hour
  /// Not these uses.
  case refused
  /// Not until who serves ends.
  case never

  package var isAllowed: Bool { self == .once || self == .run || self == .hour }

  /// What was typed, by its first letter; refused by anything that is no clear yes.
  package init(letter: UInt8?) {
    self =
      switch letter.map({ $0 | 0x20 }) {
      case UInt8(ascii: "o"), UInt8(ascii: "y"): .once
      case UInt8(ascii: "r"): .run
      case UInt8(ascii: "h"): .hour
      case UInt8(ascii: "n"): .never
      default: .refused
      }
  }
}

/// An answer that holds for further uses.
package struct KeptAnswer: Sendable, Equatable {
  package var number: Int
  package var item: String
  package var use: String
  package var purpose: String?
  package var chain: String
  package var isAllowed: Bool
  /// Seconds for which it still holds; `nil` until who serves ends.
  package var seconds: Int?

  package init(_ question: ApprovalQuestion, number: Int, isAllowed: Bool, seconds: Int?) {
    (item, use, purpose) = (question.item, question.use, question.purpose)
    (chain, self.number, self.isAllowed) = (question.chain, number, isAllowed)
    self.seconds = seconds
  }
}
