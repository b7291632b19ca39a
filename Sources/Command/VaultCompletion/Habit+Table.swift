extension Habit {
  /// What people type by habit, a line each, by where the words come from.
  ///
  /// What stands first is a word in the verb's place, a word with the next one, or a verb with an
  /// option. `<>` is an argument that is missing, `<value>` one that has no such value, `*` any verb.
  ///
  /// - `WORD => LINE`: it stands for these words. `|| TEXT` is the hint where they are refused.
  /// - `WORD: TEXT`: the hint. `WORD! TEXT`: the same, of HashiCorp's program.
  ///
  /// In a hint `{}` is the program's name, `{attributes}` the options for the attributes that the line
  /// names in another program's way, `{item}` an item's name that is made of these.
  static let parts = [words, wordsOfTools, wordsOfManagers, wordsBehindVerbs]
}
