import VaultCommandCore
import VaultStorage

/// The completion scripts: a few lines that ask the command for candidates and show them.
///
/// `vault __complete INDEX WORD…` prints an action on the first line, then candidates, each
/// followed by a tab and a description.
package enum CompletionScript {
  /// Returns the script for a shell.
  ///
  /// - Parameters:
  ///   - shell: bash, zsh or fish.
  ///   - command: The name that the command is installed under.
  /// - Returns: The script; `nil` for another shell, or for a name that a shell would have to
  ///   quote.
  package static func text(for shell: String, command: String) -> String? {
    // The script does not quote the name, so it must be a plain word.
    guard Quoting.isPlainWord(command) else { return nil }
    let function = "_" + command.substituting("-", with: "_").substituting(".", with: "_")
    let template: String? =
      switch shell {
      case "bash": bash
      case "zsh": zsh
      case "fish": fish
      default: nil
      }
    return template?.substituting("@FUNCTION@", with: function).substituting(
      "@COMMAND@", with: command)
  }

  private static let bash = #"""
    # bash completion for @COMMAND@; written by: @COMMAND@ completions bash
    # Sets words, cword and cur as the shell sees them: readline also splits at '=' and ':'.
    @FUNCTION@_words() {
      local rest=$COMP_LINE last='' word i after
      for ((i = 0; i < ${#COMP_WORDS[@]}; i++)); do
        word=${COMP_WORDS[i]}
        if [[ $i != 0 && $rest != [[:space:]]* && ($word == [=:]* || $last == *[=:]) ]]; then
          words[cword]+=$word
        else
          rest=${rest#"${rest%%[![:space:]]*}"}
          words+=("$word")
          cword=$((${#words[@]} - 1))
        fi
        rest=${rest#"$word"}
        last=$word
        if ((i == COMP_CWORD)); then
          # What is behind the cursor stays.
          after=$((${#COMP_LINE} - ${#rest} - COMP_POINT))
          if ((after > 0)); then words[cword]=${words[cword]:0:${#words[cword]} - after}; fi
          cur=${words[cword]}
          return
        fi
      done
    }
    # Offers files (-f) or folders (-d) for the word, or for the value of --option=VALUE.
    @FUNCTION@_paths() {
      local option='' path i
      if [[ $cur == --*=* ]]; then option=${cur%%=*}= cur=${cur#*=}; fi
      compopt -o filenames 2>/dev/null
      if declare -F _filedir >/dev/null; then
        _filedir ${2-}
      else
        mapfile -t COMPREPLY < <(compgen "$1" -- "${cur//[\\\'\"]/}")
      fi
      for i in "${!COMPREPLY[@]}"; do
        path=${COMPREPLY[i]}
        COMPREPLY[i]=$option$path
        COMPREPLY[i]=${COMPREPLY[i]#"$before"}
        # readline looks for the folder under the name that it is given.
        if [[ ${COMPREPLY[i]} != "$path" && $path != */ && -d $path ]]; then
          COMPREPLY[i]+=/
          compopt -o nospace 2>/dev/null
        fi
      done
    }
    @FUNCTION@() {
      local cur='' cword=0 before='' quoted=''
      local -a words=()
      @FUNCTION@_words
      # What stands before the last '=' or ':', or before a quote, is on the line already.
      local breaks=${COMP_WORDBREAKS//[^=:]}
      if [[ $cur == *[\'\"]* ]]; then
        before=${cur%%[\'\"]*} quoted=yes
      elif [[ $breaks && $cur == *[$breaks]* ]]; then
        before=${cur%"${cur##*[$breaks]}"}
      fi
      before=${before//\\/}
      local -a lines=()
      local line
      while IFS= read -r line; do lines+=("$line"); done < <(
        "${words[0]/#\~/$HOME}" __complete "$cword" "${words[@]//[\\\'\"]/}" 2>/dev/null
      )
      COMPREPLY=()
      case ${lines[0]} in
        files) @FUNCTION@_paths -f ;;
        directories) @FUNCTION@_paths -d -d ;;
        command\ *)
          if declare -F _command_offset >/dev/null; then
            _command_offset "${lines[0]#command }"
          else
            mapfile -t COMPREPLY < <(compgen -c -- "$cur")
          fi
          return ;;
      esac
      for line in "${lines[@]:1}"; do
        line=${line%%$'\t'*}
        line=${line#"$before"}
        if [[ ! $quoted ]]; then printf -v line %q "$line"; fi
        COMPREPLY+=("$line")
      done
    }
    complete -F @FUNCTION@ @COMMAND@

    """#

  private static let zsh = #"""
    #compdef @COMMAND@
    # zsh completion for @COMMAND@; written by: @COMMAND@ completions zsh
    @FUNCTION@() {
      local -a lines candidates plain
      local line result=1
      lines=("${(@f)$(${~words[1]} __complete $((CURRENT - 1)) "${(@Q)words}" 2>/dev/null)}")
      case $lines[1] in
        files) compset -P 1 '--*='; _files && result=0 ;;
        directories) compset -P 1 '--*='; _files -/ && result=0 ;;
        command\ *)
          local offset=${lines[1]#command }
          shift $offset words
          (( CURRENT -= offset ))
          _normal
          return ;;
      esac
      for line in "${(@)lines[2,-1]}"; do
        [[ -n $line ]] || continue
        # _describe puts those with equal descriptions on one row: names have none.
        if [[ -n ${line#*$'\t'} ]]; then
          candidates+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
        else
          plain+=("${line%%$'\t'*}")
        fi
      done
      (( $#candidates )) && _describe -V 'vault' candidates && result=0
      (( $#plain )) && compadd -a plain && result=0
      return $result
    }
    if [[ $funcstack[1] == _@COMMAND@ ]]; then
      @FUNCTION@ "$@"
    else
      compdef @FUNCTION@ @COMMAND@
    fi

    """#

  private static let fish = #"""
    # fish completion for @COMMAND@; written by: @COMMAND@ completions fish
    function _@FUNCTION@
        set -l words (commandline -opc)
        set -l current (commandline -ct)
        set -l lines ($words[1] __complete (count $words) $words $current 2>/dev/null)
        # Paths are completed behind the name of --option=VALUE, as fish does for any command.
        set -l option (string match -r -- '^--[^=]*=' "$current")
        set -l value (string replace -r -- '^--[^=]*=' '' "$current")
        set -l paths
        switch "$lines[1]"
            case files
                set paths (complete -C "'' $value")
            case directories
                set paths (__fish_complete_directories "$value" '')
            case 'command *'
                __fish_complete_subcommand --fcs-skip=(string replace 'command ' '' -- $lines[1])
        end
        for path in $paths
            printf '%s\n' "$option$path"
        end
        test (count $lines) -gt 1; and printf '%s\n' $lines[2..]
    end
    complete -c @COMMAND@ -f -a '(_@FUNCTION@)'

    """#
}
