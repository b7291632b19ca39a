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
    # Reads the line up to the cursor as the shell does. Sets words, without their quotes, and cur, the last of them;
    # quote, the one that is open; before, the part of cur that stays: readline puts a candidate in the place of
    # what is behind an open quote, or else behind the last break that is not quoted; and redirect, if cur is the
    # file of a redirection.
    @FUNCTION@_scan() {
      local line=${COMP_LINE:0:COMP_POINT} breaks=${COMP_WORDBREAKS//[[:space:]\'\"]} isWord='' unquoted='' depth=0
      local char next i
      for ((i = 0; i < ${#line}; i++)); do
        char=${line:i:1} next=${line:i+1:1}
        if ((depth > 0)) || [[ $quote != \' && $char$next == [\$\<\>]\( ]]; then
          # A command in the line is one piece.
          case $char in
            \() ((++depth)) ;;
            \)) ((--depth)) ;;
            *) if ((depth == 0)); then cur+=$char char='(' depth=1; ((++i)); fi ;;
          esac
          cur+=$char
        elif [[ $char == \\ && $quote != \' ]]; then
          ((++i))
          if [[ $next == $'\n' ]]; then continue; fi
          if [[ $quote && $next && $next != [\"\\\$\`] ]]; then cur+=\\; fi
          cur+=$next
        elif [[ $quote && $char == "$quote" ]]; then
          quote='' before=$unquoted
        elif [[ $quote ]]; then
          cur+=$char
        elif [[ $char == [\'\"] ]]; then
          quote=$char unquoted=$before before=$cur
        elif [[ $char == [[:space:]] ]]; then
          if [[ $isWord && ! $redirect ]]; then words+=("$cur"); fi
          if [[ $isWord ]]; then redirect=''; fi
          cur='' before='' isWord=''
          continue
        elif [[ $char == [\<\>] || $redirect && ! $isWord && $char == [\&\|] ]]; then
          # A number or '&' before it belongs to it.
          if [[ $isWord && ! $redirect && $cur != '&' && $cur == *[!0-9]* ]]; then words+=("$cur"); fi
          cur='' before='' isWord='' redirect=yes
          continue
        else
          # readline takes '@' along, which may begin the name of a machine.
          if [[ $char == @ && $breaks == *@* ]]; then before=$cur; fi
          cur+=$char
          if [[ $char != @ && $breaks == *"$char"* ]]; then before=$cur; fi
        fi
        isWord=yes
      done
      words+=("$cur")
    }
    # Escapes the value of a variable for double quotes.
    @FUNCTION@_escape() {
      local text=${!1}
      text=${text//\\/\\\\} text=${text//\"/\\\"} text=${text//\$/\\\$} text=${text//\`/\\\`}
      printf -v "$1" %s "$text"
    }
    # Offers files (-f) or folders (-d) for the word, or for the value of --option=VALUE.
    @FUNCTION@_paths() {
      local option='' value=$cur path i
      if [[ $cur == --*=* ]]; then option=${cur%%=*}= value=${cur#*=}; fi
      compopt -o filenames 2>/dev/null
      # compgen takes quotes away, as the open one has it, and expands ~.
      case $quote in
        \') ;;
        \") @FUNCTION@_escape value ;;
        *) if [[ $value ]]; then printf -v value %q "$value"; fi ;;
      esac
      mapfile -t COMPREPLY < <(compgen "$1" -- "${value/#\\~/\~}")
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
    # Completes the command behind '--', whose number among the words is given.
    @FUNCTION@_command() {
      local word i count=0
      if ! declare -F _command_offset >/dev/null; then
        if ((${#words[@]} - 1 > $1)); then
          @FUNCTION@_paths -f
        else
          mapfile -t COMPREPLY < <(compgen -c -- "$cur")
        fi
        return
      fi
      # The same '--' in COMP_WORDS, which are also split at '=' and ':'.
      for word in "${words[@]:0:$1}"; do
        if [[ $word == -- ]]; then ((++count)); fi
      done
      for ((i = 0; i < ${#COMP_WORDS[@]} && count > 0; i++)); do
        if [[ ${COMP_WORDS[i]} == -- ]]; then ((--count)); fi
      done
      _command_offset "$i"
    }
    @FUNCTION@() {
      local cur='' quote='' before='' redirect='' line
      local -a words=() lines=()
      COMPREPLY=()
      @FUNCTION@_scan
      if [[ $redirect ]]; then
        @FUNCTION@_paths -f
        return
      fi
      local program=${COMP_WORDS[0]/#\~/${HOME-}}
      # An alias is no program.
      if ! type -P -- "$program" >/dev/null; then program=@COMMAND@; fi
      while IFS= read -r line; do lines+=("$line"); done < <(
        "$program" __complete "$((${#words[@]} - 1))" "${words[@]}" 2>/dev/null
      )
      case ${lines[0]-} in
        files) @FUNCTION@_paths -f ;;
        directories) @FUNCTION@_paths -d ;;
        command\ *) @FUNCTION@_command "${lines[0]#command }"; return ;;
        '') return ;;
      esac
      for line in "${lines[@]:1}"; do
        line=${line%%$'\t'*}
        if [[ $line == "$before" ]]; then continue; fi
        line=${line#"$before"}
        case $quote in
          \') line=${line//\'/\'\\\'\'} ;;
          \")
            @FUNCTION@_escape line
            line=${line//!/\"\'!\'\"} ;;
          *) printf -v line %q "$line" ;;
        esac
        COMPREPLY+=("$line")
      done
      # Where no name begins with the word, but several have it, what they begin with must not take its
      # place: a blank begins with nothing.
      local typed=${cur#"$before"}
      if ((${#lines[@]} > 2)) && [[ $typed ]]; then
        for line in "${lines[@]:1}"; do
          line=${line%%$'\t'*}
          if [[ ${line#"$before"} == "$typed"* ]]; then return; fi
        done
        COMPREPLY+=(' ')
      fi
    }
    complete -F @FUNCTION@ @COMMAND@

    """#

  private static let zsh = #"""
    #compdef @COMMAND@
    # zsh completion for @COMMAND@; written by: @COMMAND@ completions zsh
    @FUNCTION@() {
      local -a lines candidates plain before
      local line typed open=${compstate[quote]} result=1
      # A quote that is open closes behind what was typed: else it would be a part of the word.
      typed=${(Q)${:-$open$PREFIX$open}}
      before=("${(@Q)words[1,CURRENT-1]}")
      lines=("${(@f)$(${~words[1]} __complete $((CURRENT - 1)) "${(@)before}" "$typed" 2>/dev/null)}")
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
      if (( $#plain )); then
        if (( ${#${(M)plain:#${(b)typed}*}} )); then
          compadd -a plain && result=0
        else
          # No name begins with the word, but these have it: one after the other takes its place.
          compadd -U -a plain && result=0
          (( $#plain > 1 )) && compstate[insert]=menu
        fi
      fi
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
        set -l typed (commandline -ct)
        # As the command will get it, with an open quote closed behind it.
        set -l current "$typed"
        for quote in '' \' '"'
            if string unescape -- "$typed$quote" >/dev/null
                set current (string unescape -- "$typed$quote")
                break
            end
        end
        set -l lines ($words[1] __complete (count $words) $words "$current" 2>/dev/null)
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
