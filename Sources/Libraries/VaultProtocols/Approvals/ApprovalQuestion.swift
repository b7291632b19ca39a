import VaultStorage

/// The question to a person whether a program may use an item.
///
/// It goes from the process that serves to those that show it. What a program chose itself, its
/// reason above all, is bounded here and escaped where it is shown; nothing of it is believed.
package struct ApprovalQuestion: Sendable, Equatable {
  /// The most of a reason that is shown, in scalars.
  package static let maximumReason = 200
  /// The most of other texts, in scalars, so that a question is a line that every connection takes.
  private static let (maximumItem, maximumSentence, maximumFolder) = (256, 2000, 1024)
  /// The most of a command, in columns and in scalars: one that is longer is not asked about.
  package static let maximumCommand = 700
  /// The variable in which a program says why it asks.
  package static let reasonVariable = "VAULT_REASON"

  /// A process of the chain, from the one that asks up.
  package struct Program: Sendable, Equatable {
    package let process: Int32
    /// The path of the executable, or where the kernel does not vouch for that, other words.
    package let name: String
    package let isPath: Bool
    /// Whether ``name`` is our own words, in place of a name that cannot be believed.
    package let isUnknown: Bool

    package init(process: Int32, name: String, isPath: Bool, isUnknown: Bool = false) {
      (self.process, self.isPath, self.isUnknown) = (process, isPath, isUnknown && !isPath)
      // Of a path the end says which file it is; the last component has 255 bytes at most.
      self.name = ApprovalQuestion.cut(name, to: Self.maximumName, keepsEnd: isPath)
    }

    private static let maximumName = 256
    /// The most of a name that is shown, in scalars.
    private static let maximumShown = 32

    /// The last component of the path; what a program calls itself stands in quotes, and so does the
    /// name of a file that could be read as a part of the question.
    package var shown: String {
      if isUnknown { return Quoting.visible(name) }
      let name = isPath ? String(name.lastComponent) : name
      let isPlain =
        isPath && !name.isEmpty
        && name.utf8.allSatisfy { byte in
          switch byte | 0x20 {
          case UInt8(ascii: "a")...UInt8(ascii: "z"): true
          default: "0123456789._+-".utf8.contains(byte)
          }
        }
      let shown = ApprovalQuestion.cut(name, to: Self.maximumShown)
      return isPlain ? shown : ApprovalQuestion.quoted(shown)
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
  /// The command that would get the item, as the question shows it; `nil` where there is none.
  package var command: String?
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
  /// Whether the answer can be kept with the item, beyond the end of who serves.
  package var mayBeAlways = false

  package init(
    item: String, use: String, purpose: String? = nil, command: String? = nil, sentence: String,
    programs: [Program] = [], folder: String? = nil, reason: String? = nil,
    isOnlyRefused: Bool = false, mayBeAlways: Bool = false
  ) {
    (self.isOnlyRefused, self.mayBeAlways) = (isOnlyRefused, mayBeAlways && !isOnlyRefused)
    (self.item, self.use) = (Self.cut(item, to: Self.maximumItem), use)
    self.command = command.map { Self.cut($0, to: Self.maximumCommand) }
    self.sentence = Self.cut(sentence, to: Self.maximumSentence)
    self.purpose = purpose.flatMap(Self.bounded)
    self.programs = programs
    self.folder = folder.map { Self.cut($0, to: Self.maximumFolder, keepsEnd: true) }
    self.reason = reason.flatMap(Self.bounded)
  }

  /// A text of a program's in one line that is not too long; `nil` if nothing is left.
  package static func bounded(_ reason: String) -> String? {
    let scalars = cut(reason, to: maximumReason).unicodeScalars.map { scalar in
      scalar.properties.isWhitespace ? " " : scalar
    }
    let isEmpty = scalars.allSatisfy { $0.value == 0x20 }
    return isEmpty ? nil : String(String.UnicodeScalarView(scalars))
  }

  /// A text that is not too long, with a mark where something is missing.
  private static func cut(_ text: String, to count: Int, keepsEnd: Bool = false) -> String {
    let scalars = text.unicodeScalars
    // What has fewer bytes has fewer scalars.
    guard text.utf8.count > count, scalars.count > count else { return text }
    return keepsEnd
      ? "…" + String(String.UnicodeScalarView(scalars.suffix(count)))
      : String(String.UnicodeScalarView(scalars.prefix(count))) + "…"
  }

  /// A text of a program's in quotes, in which nothing looks like the end of them.
  package static func quoted(_ text: String) -> String {
    var shown = "\""
    for scalar in text.unicodeScalars {
      if looksLikeQuote(scalar) || isUnseen(scalar) {
        shown += escape(scalar)
      } else {
        shown.unicodeScalars.append(scalar)
      }
    }
    return Quoting.visible(shown + "\"")
  }

  /// A command of a program's in quotes, as JSON has them.
  ///
  /// Nothing in it looks like their end, is invisible, or moves what follows out of sight. Two
  /// commands never look the same: a backslash of the command is doubled, and one alone is ours.
  package static func quotedCommand(_ words: [String]) -> String {
    let words = words.map { word in
      let typed = Quoting.typed(word)
      return typed.isSame(as: word) ? typed : Quoting.shell(word)
    }
    var shown = ""
    var blanks = 0
    for scalar in Quoting.json(words.joined(separator: " ")).unicodeScalars {
      if scalar == " " {
        blanks += 1
        continue
      }
      // The last scalar is a quote, so that no blank is left over.
      shown +=
        blanks > maximumBlanks
        ? "\\u{20 x \(blanks)}" : String(repeating: " ", count: blanks)
      blanks = 0
      if !scalar.isASCII, looksLikeQuote(scalar) || isUnseen(scalar) || isMark(scalar) {
        shown += escape(scalar)
      } else {
        shown.unicodeScalars.append(scalar)
      }
    }
    return shown
  }

  /// The most blanks in a row that a command shows as they are.
  private static let maximumBlanks = 4

  private static func escape(_ scalar: Unicode.Scalar) -> String {
    "\\u{\(String(scalar.value, radix: 16))}"
  }

  /// Whether nothing, or only room, is seen of a scalar, other than of a blank.
  package static func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
    guard !scalar.isASCII else { return scalar.value < 0x20 || scalar.value == 0x7F }
    // A braille pattern without dots is a symbol to Unicode.
    if scalar.value == 0x2800 { return true }
    let properties = scalar.properties
    switch properties.generalCategory {
    case .control, .format, .privateUse, .surrogate, .unassigned: return true
    default: return properties.isWhitespace || properties.isDefaultIgnorableCodePoint
    }
  }

  /// Whether a scalar is drawn over the one before.
  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark: true
    default: false
    }
  }

  /// Whether a scalar may look like the quote that ends a text; an apostrophe is in many words.
  private static func looksLikeQuote(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "'", "\u{2019}": false
    // Double primes and the like, which Unicode does not count as quotation marks.
    case "\u{2BA}", "\u{2EE}", "\u{2033}", "\u{2036}", "\u{3003}": true
    default: scalar.properties.isQuotationMark
    }
  }

  /// A text that is one word as it is, else in quotes.
  private static func word(_ text: String) -> String {
    let isWord = text.unicodeScalars.allSatisfy {
      !$0.properties.isWhitespace && !looksLikeQuote($0)
    }
    return isWord ? Quoting.visible(text) : quoted(text)
  }

  /// Whether another question shows the same, but for the numbers of processes.
  package func shows(_ other: ApprovalQuestion) -> Bool {
    item == other.item && use == other.use && purpose == other.purpose && folder == other.folder
      && reason == other.reason && programs.map(\.name) == other.programs.map(\.name)
  }

  /// How often it asks, in words; `nil` for once.
  package var times: String? {
    guard count > 1 else { return nil }
    let mixed = isMixed ? ", not all for that, by these programs, there, or for that reason" : ""
    return "\(Plural.of(count, "time"))\(mixed)"
  }

  /// The answers that there are, in words, with what is typed for each.
  package var choices: String {
    if isOnlyRefused { return "once, or never? (o/n" }
    return mayBeAlways
      ? "once, for this run, for an hour, always, or never? (o/r/h/a/n"
      : "once, for this run, for an hour, or never? (o/r/h/n"
  }

  /// The programs, the nearest first: `git < bash < tmux`.
  package var chain: String {
    programs.map(\.shown).joined(separator: " < ")
  }

  /// The question in one line, for those that show no more; what a program says itself is last.
  package var line: String {
    var line = Quoting.visible(sentence)
    if let purpose { line += " It is for \(Self.word(purpose))." }
    if let folder { line += " It works in \(Self.word(folder))." }
    if let times { line += " It asks \(times)." }
    if let reason { line += " It says why: \(Self.quoted(reason))." }
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
  /// Until a person takes it back: it is kept with the item, where the question says that it may be.
  case always
  /// Not these uses.
  case refused
  /// Not until who serves ends.
  case never

  package var isAllowed: Bool {
    switch self {
    case .once, .run, .hour, .always: true
    case .refused, .never: false
    }
  }

  /// What it means for the use that was asked about.
  package var words: String {
    switch self {
    case .once: "allowed once"
    case .run: "allowed for this run"
    case .hour: "allowed for an hour"
    case .always: "allowed always"
    case .refused: "refused"
    case .never: "refused for this run"
    }
  }

  /// No word has more bytes, with the blanks around it.
  package static let maximumTyped = 64

  /// What was typed: one whole word or its letter; refused by anything else, so that neither a "no"
  /// in other words nor a key that sends a sequence is a yes.
  package init(typed bytes: some Collection<UInt8>) {
    guard bytes.count <= Self.maximumTyped else {
      self = .refused
      return
    }
    let words = bytes.split(separator: UInt8(ascii: " "))
    // Only letters become others by this bit; anything else fits no word.
    let word = words.count == 1 ? words[0].map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 } : []
    self =
      switch String(decoding: word, as: UTF8.self) {
      case "o", "once", "y", "yes": .once
      case "r", "run": .run
      case "h", "hour": .hour
      case "a", "always": .always
      case "n", "no", "never": .never
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
  /// The command that it holds for; `nil` where it holds for more, or for none.
  package var command: String?
  package var chain: String
  package var isAllowed: Bool
  /// Seconds for which it still holds; `nil` until who serves ends.
  package var seconds: Int?

  package init(_ question: ApprovalQuestion, number: Int, isAllowed: Bool, seconds: Int?) {
    (item, use, purpose) = (question.item, question.use, question.purpose)
    command = question.command
    (chain, self.number, self.isAllowed) = (question.chain, number, isAllowed)
    self.seconds = seconds
  }
}
