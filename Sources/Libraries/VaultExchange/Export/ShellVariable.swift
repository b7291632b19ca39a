import VaultStorage

/// Variables that belong to a shell: set to a secret, they keep another value, or end the script.
///
/// Of dash, bash and zsh: dash(1); bash(1), "Shell Variables"; zshparam(1), "Parameters set by the
/// shell" and "Parameters used by the shell"; the modules zsh/parameter, zsh/zle and zsh/sched.
enum ShellVariable {
  /// Whether a shell does not simply keep what a script assigns to a variable.
  ///
  /// - Parameter name: The variable.
  /// - Returns: True for `UID`, `RANDOM`, `path` of zsh and the like.
  static func isTaken(_ name: String) -> Bool {
    names.contains(name) || prefixes.contains { name.begins(with: $0) }
  }

  private static let prefixes = ["BASH_", "ZSH_", "dis_"]
  private static let names: Set<String> = Set(
    """
    _ ARGC BASHOPTS BASHPID COLUMNS COPROC DIRSTACK DIRSTACKSIZE EGID EPOCHREALTIME EPOCHSECONDS
    ERRNO EUID FUNCNAME FUNCNEST GID GROUPS HISTCHARS HISTCMD HISTFILESIZE HISTSIZE KEYBOARD_HACK
    KEYTIMEOUT LINENO LINES LISTMAX LOGCHECK MAILCHECK OPTARG OPTERR OPTIND PIPESTATUS PPID RANDOM
    SAVEHIST SECONDS SHELLOPTS SHLVL SRANDOM TMOUT TRY_BLOCK_ERROR TRY_BLOCK_INTERRUPT TTY TTYIDLE
    UID USERNAME WATCH
    aliases argv builtins cdpath commands dirstack fignore fpath funcfiletrace funcsourcetrace
    funcstack functions functions_source functrace galiases histchars history historywords jobdirs
    jobstates jobtexts keymaps mailpath manpath module_path modules nameddirs options parameters
    patchars path pipestatus prompt psvar reswords saliases signals status termcap terminfo userdirs
    usergroups watch widgets zsh_eval_context zsh_scheduled_events
    """.parts(at: "\n").flatMap { $0.parts(at: " ").map(String.init) })
}
