# bash completion for vault; written by: vault completions bash
# Sets words, cword and cur as the shell sees them: readline also splits at '=' and ':'.
_vault_words() {
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
_vault_paths() {
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
_vault() {
  local cur='' cword=0 before='' quoted=''
  local -a words=()
  _vault_words
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
    line=${line#"$before"}
    if [[ ! $quoted ]]; then printf -v line %q "$line"; fi
    COMPREPLY+=("$line")
  done
}
complete -F _vault vault
