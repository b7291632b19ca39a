# bash completion for vault; written by: vault completions bash
# Offers files (-f) or folders (-d) for the word, or for the value of --option=VALUE.
_vault_paths() {
  local option=''
  if [[ $cur == --*=* ]]; then
    option=${cur%%=*}= cur=${cur#--*=}
  fi
  compopt -o filenames 2>/dev/null
  if declare -F _filedir >/dev/null; then
    _filedir ${2-}
  else
    mapfile -t COMPREPLY < <(compgen "$1" -- "$cur")
  fi
  COMPREPLY=("${COMPREPLY[@]/#/$option}")
  COMPREPLY=("${COMPREPLY[@]#"$before"}")
}
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
  # What stands before the last '=' or ':' is on the line already.
  local before='' breaks=${COMP_WORDBREAKS//[^=:]}
  if [[ $breaks && $cur == *[$breaks]* ]] && declare -F _get_comp_words_by_ref >/dev/null; then
    before=${cur%"${cur##*[$breaks]}"}
  fi
  case ${lines[0]} in
    files) _vault_paths -f ;;
    directories) _vault_paths -d -d ;;
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
    printf -v line %q "${line#"$before"}"
    COMPREPLY+=("$line")
  done
}
complete -F _vault vault
