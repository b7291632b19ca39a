import ArgumentParser

@main
struct Books: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Keeps a list of books.",
    subcommands: [Add.self, List.self, Finish.self, Remove.self, Authors.self])
}

struct Add: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Add a book.")
  @Argument var title: String
  @Option(help: "Who wrote it.") var by: String
  @Option(help: "A tag; may be repeated.") var tag: [String] = []

  func run() throws { try Shelf().add(title, by: by, tags: tag) }
}

struct List: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "List books.")
  @Argument(help: "A word of the title, author or tags.") var word: String?
  @Flag(help: "Leave out what was read.") var unread = false

  func run() throws {
    for book in try Shelf().books(matching: word, unread: unread) {
      let mark = book.finished == nil ? " " : "x"
      let tags = book.tags.isEmpty ? "" : " (\(book.tags.joined(separator: ", ")))"
      print("[\(mark)] \(book.author?.name ?? "?"): \(book.title)\(tags)")
    }
  }
}

struct Finish: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Mark a book as read.")
  @Argument var title: String

  func run() throws { try Shelf().finish(title) }
}

struct Remove: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Remove a book.")
  @Argument var title: String

  func run() throws { try Shelf().remove(title) }
}

struct Authors: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "List authors by their books.")

  func run() throws {
    for author in try Shelf().authors() { print("\(author.books) \(author.name)") }
  }
}
