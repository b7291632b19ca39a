# bash completion for vault; written by: vault completions bash
# Reads the line up to the cursor as the shell does. Sets words, without their quotes, and cur, the last of them;
# quote, the one that is open; before, the part of cur that stays: readline puts a candidate in the place of
# what is behind an open quote, or else behind the last break that is not quoted; and redirect, if cur is the
# file of a redirection.
_vault_scan() {
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
_vault_escape() {
  local text=${!1}
  text=${text//\\/\\\\} text=${text//\"/\\\"} text=${text//\$/\\\$} text=${text//\`/\\\`}
  printf -v "$1" %s "$text"
}
# Offers files (-f) or folders (-d) for the word, or for the value of --option=VALUE.
_vault_paths() {
  local option='' value=$cur path i
  if [[ $cur == --*=* ]]; then option=${cur%%=*}= value=${cur#*=}; fi
  compopt -o filenames 2>/dev/null
  # compgen takes quotes away, as the open one has it, and expands ~.
  case $quote in
    \') ;;
    \") _vault_escape value ;;
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
_vault_command() {
  local word i count=0
  if ! declare -F _command_offset >/dev/null; then
    if ((${#words[@]} - 1 > $1)); then
      _vault_paths -f
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
_vault() {
  local cur='' quote='' before='' redirect='' line
  local -a words=() lines=()
  COMPREPLY=()
  _vault_scan
  if [[ $redirect ]]; then
    _vault_paths -f
    return
  fi
  local program=${COMP_WORDS[0]/#\~/${HOME-}}
  # An alias is no program.
  if ! type -P -- "$program" >/dev/null; then program=vault; fi
  while IFS= read -r line; do lines+=("$line"); done < <(
    "$program" __complete "$((${#words[@]} - 1))" "${words[@]}" 2>/dev/null
  )
  case ${lines[0]-} in
    files) _vault_paths -f ;;
    directories) _vault_paths -d ;;
    command\ *) _vault_command "${lines[0]#command }"; return ;;
    '') return ;;
  esac
  for line in "${lines[@]:1}"; do
    line=${line%%$'\t'*}
    if [[ $line == "$before" ]]; then continue; fi
    line=${line#"$before"}
    case $quote in
      \') line=${line//\'/\'\\\'\'} ;;
      \")
        _vault_escape line
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
complete -F _vault vault
