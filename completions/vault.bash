# bash completion for vault; written by: vault completions bash
_vault() {
  local cur=${COMP_WORDS[COMP_CWORD]} cword=$COMP_CWORD
  local -a words=("${COMP_WORDS[@]}")
  # Names may hold what bash takes for the end of a word.
  if declare -F _get_comp_words_by_ref >/dev/null; then
    _get_comp_words_by_ref -n =: cur words cword
  fi
  local -a lines=()
  local line
  while IFS= read -r line; do lines+=("$line"); done < <(
    "${words[0]/#\~/$HOME}" __complete "$cword" "${words[@]}" 2>/dev/null
  )
  COMPREPLY=()
  case ${lines[0]} in
    files) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    directories) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
    command\ *)
      if declare -F _command_offset >/dev/null; then
        _command_offset "${lines[0]#command }"
      else
        mapfile -t COMPREPLY < <(compgen -c -- "$cur")
      fi
      return ;;
  esac
  # What stands before the last '=' or ':' is on the line already.
  local before=''
  if [[ $cur == *[=:]* ]] && declare -F _get_comp_words_by_ref >/dev/null; then
    before=${cur%"${cur##*[=:]}"}
  fi
  for line in "${lines[@]:1}"; do
    line=${line%%$'\t'*}
    printf -v line %q "${line#"$before"}"
    COMPREPLY+=("$line")
  done
}
complete -F _vault vault
