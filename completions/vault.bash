#!/bin/bash

__vault_cursor_index_in_current_word() {
    local remaining="${COMP_LINE}"

    local word
    for word in "${COMP_WORDS[@]::COMP_CWORD}"; do
        remaining="${remaining##*([[:space:]])"${word}"*([[:space:]])}"
    done

    local -ir index="$((COMP_POINT - ${#COMP_LINE} + ${#remaining}))"
    if [[ "${index}" -le 0 ]]; then
        printf 0
    else
        printf %s "${index}"
    fi
}

# positional arguments:
#
# - 1: the current (sub)command's count of positional arguments
#
# required variables:
#
# - repeating_flags: the repeating flags that the current (sub)command can accept
# - non_repeating_flags: the non-repeating flags that the current (sub)command can accept
# - repeating_options: the repeating options that the current (sub)command can accept
# - non_repeating_options: the non-repeating options that the current (sub)command can accept
# - positional_number: value ignored
# - unparsed_words: unparsed words from the current command line
#
# modified variables:
#
# - non_repeating_flags: remove flags for this (sub)command that are already on the command line
# - non_repeating_options: remove options for this (sub)command that are already on the command line
# - positional_number: set to the current positional number
# - unparsed_words: remove all flags, options, and option values for this (sub)command
__vault_offer_flags_options() {
    local -ir positional_count="${1}"
    positional_number=0

    local was_flag_option_terminator_seen=false
    local is_parsing_option_value=false

    local -ar unparsed_word_indices=("${!unparsed_words[@]}")
    local -i word_index
    for word_index in "${unparsed_word_indices[@]}"; do
        if "${is_parsing_option_value}"; then
            # This word is an option value:
            # Reset marker for next word iff not currently the last word
            [[ "${word_index}" -ne "${unparsed_word_indices[${#unparsed_word_indices[@]} - 1]}" ]] && is_parsing_option_value=false
            unset "unparsed_words[${word_index}]"
            # Do not process this word as a flag or an option
            continue
        fi

        local word="${unparsed_words["${word_index}"]}"
        if ! "${was_flag_option_terminator_seen}"; then
            case "${word}" in
            --)
                unset "unparsed_words[${word_index}]"
                # by itself -- is a flag/option terminator, but if it is the last word, it is the start of a completion
                if [[ "${word_index}" -ne "${unparsed_word_indices[${#unparsed_word_indices[@]} - 1]}" ]]; then
                    was_flag_option_terminator_seen=true
                fi
                continue
                ;;
            -*)
                # ${word} is a flag or an option
                # If ${word} is an option, mark that the next word to be parsed is an option value
                local option
                for option in "${repeating_options[@]}" "${non_repeating_options[@]}"; do
                    [[ "${word}" = "${option}" ]] && is_parsing_option_value=true && break
                done

                # Remove ${word} from ${non_repeating_flags} or ${non_repeating_options} so it isn't offered again
                local not_found=true
                local -i index
                for index in "${!non_repeating_flags[@]}"; do
                    if [[ "${non_repeating_flags[${index}]}" = "${word}" ]]; then
                        unset "non_repeating_flags[${index}]"
                        non_repeating_flags=("${non_repeating_flags[@]}")
                        not_found=false
                        break
                    fi
                done
                if "${not_found}"; then
                    for index in "${!non_repeating_flags[@]}"; do
                        if [[ "${non_repeating_flags[${index}]}" = "${word}" ]]; then
                            unset "non_repeating_flags[${index}]"
                            non_repeating_flags=("${non_repeating_flags[@]}")
                            break
                        fi
                    done
                fi
                unset "unparsed_words[${word_index}]"
                continue
                ;;
            esac
        fi

        # ${word} is neither a flag, nor an option, nor an option value
        if [[ "${positional_number}" -lt "${positional_count}" || "${positional_count}" -lt 0 ]]; then
            # ${word} is a positional
            ((positional_number++))
            unset "unparsed_words[${word_index}]"
        else
            if [[ -z "${word}" ]]; then
                # Could be completing a flag, option, or subcommand
                positional_number=-1
            else
                # ${word} is a subcommand or invalid, so stop processing this (sub)command
                positional_number=-2
            fi
            break
        fi
    done

    unparsed_words=("${unparsed_words[@]}")

    if\
        ! "${was_flag_option_terminator_seen}"\
        && ! "${is_parsing_option_value}"\
        && [[ ("${cur}" = -* && "${positional_number}" -ge 0) || "${positional_number}" -eq -1 ]]
    then
        COMPREPLY+=($(compgen -W "${repeating_flags[*]} ${non_repeating_flags[*]} ${repeating_options[*]} ${non_repeating_options[*]}" -- "${cur}"))
    fi
}

__vault_add_completions() {
    local completion
    while IFS='' read -r completion; do
        COMPREPLY+=("${completion}")
    done < <(IFS=$'\n' compgen "${@}" -- "${cur}")
}

__vault_custom_complete() {
    if [[ -n "${cur}" || -z ${COMP_WORDS[${COMP_CWORD}]} || "${COMP_LINE:${COMP_POINT}:1}" != ' ' ]]; then
        local -ar words=("${COMP_WORDS[@]}")
    else
        local -ar words=("${COMP_WORDS[@]::${COMP_CWORD}}" '' "${COMP_WORDS[@]:${COMP_CWORD}}")
    fi

    "${COMP_WORDS[0]}" "${@}" "${words[@]}"
}

_vault() {
    local state
    state="$(shopt -p;shopt -po)"
    trap "${state//$'\n'/;}" RETURN
    shopt -s extglob
    set +o history +o posix

    local -xr SAP_SHELL=bash
    local -x SAP_SHELL_VERSION
    SAP_SHELL_VERSION="$(IFS='.';printf %s "${BASH_VERSINFO[*]}")"
    local -r SAP_SHELL_VERSION

    local -r cur="${2}"
    local -r prev="${3}"

    local -i positional_number
    local -a unparsed_words=("${COMP_WORDS[@]:1:${COMP_CWORD}}")

    local -a repeating_flags=()
    local -a non_repeating_flags=(--version -h --help)
    local -a repeating_options=()
    local -a non_repeating_options=()
    __vault_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    set|get|list|show|remove|rename|copy|history|restore|run|read|init|unlock|lock|status|check|key|backup|defaults|completions|help)
        # Offer subcommand argument completions
        "_vault_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'set get list show remove rename copy history restore run read init unlock lock status check key backup defaults completions help' -- "${cur}"))
        ;;
    esac
}

_vault_set() {
    repeating_flags=()
    non_repeating_flags=(--stdin --exact --json --accept-rollback --no-session --version -h --help)
    repeating_options=(--tag --attribute)
    non_repeating_options=(--file --field --note --expires --kind --home --vault --passphrase --key-file --keyring-timeout)
    __vault_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--file')
        __vault_add_completions -f
        return
        ;;
    '--field')
        return
        ;;
    '--tag')
        return
        ;;
    '--note')
        return
        ;;
    '--expires')
        return
        ;;
    '--attribute')
        return
        ;;
    '--kind')
        __vault_add_completions -W 'secret'$'\n''generic-password'$'\n''internet-password'$'\n''login'$'\n''token'$'\n''certificate'$'\n''note'$'\n''otp'
        return
        ;;
    '--home')
        __vault_add_completions -d
        return
        ;;
    '--vault')
        __vault_add_completions -W "$(__vault_custom_complete ---completion set -- --vault "${COMP_CWORD}" "$(__vault_cursor_index_in_current_word)")"
        return
        ;;
    '--passphrase')
        return
        ;;
    '--key-file')
        __vault_add_completions -f
        return
        ;;
    '--keyring-timeout')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __vault_add_completions -W "$(__vault_custom_complete ---completion set -- positional@0 "${COMP_CWORD}" "$(__vault_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_vault_get() {
    repeating_flags=()
    non_repeating_flags=(--json --accept-rollback --no-session --version -h --help)
    repeating_options=()
    non_repeating_options=(--field --version --out -o --home --vault --passphrase --key-file --keyring-timeout)
    __vault_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--field')
        return
        ;;
    '--version')
        return
        ;;
    '--out'|'-o')
        __vault_add_completions -f
        return
        ;;
    '--home')
        __vault_add_completions -d
        return
        ;;
    '--vault')
        __vault_add_completions -W "$(__vault_custom_complete ---completion get -- --vault "${COMP_CWORD}" "$(__vault_cursor_index_in_current_word)")"
        return
        ;;
    '--passphrase')
        return
        ;;
    '--key-file')
        __vault_add_completions -f
        return
        ;;
    '--keyring-timeout')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __vault_add_completions -W "$(__vault_custom_complete ---completion get -- positional@0 "${COMP_CWORD}" "$(__vault_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_vault_list() {
    repeating_flags=()
    non_repeating_flags=(--long -l --tree --expired --trash --json --accept-rollback --no-session --version -h --help)
    repeating_options=()
    non_repeating_options=(--tag --expiring --home --vault --passphrase --key-file --keyring-timeout)
    __vault_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--tag')
        return
        ;;
    '--expiring')
        return
        ;;
    '--home')
        __vault_add_completions -d
        return
        ;;
    '--vault')
        __vault_add_completions -W "$(__vault_custom_complete ---completion list -- --vault "${COMP_CWORD}" "$(__vault_cursor_index_in_current_word)")"
        return
        ;;
    '--passphrase')
        return
        ;;
    '--key-file')
        __vault_add_completions -f
        return
        ;;
    '--keyring-timeout')
        return
        ;;
    esac
}

_vault_show() {
    repeating_flags=()
    non_repeating_flags=(--json --accept-rollback --no-session --version -h --help)
    repeating_options=()
    non_repeating_options=(--home --vault --passphrase --key-file --keyring-timeout)
    __vault_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--home')
        __vault_add_completions -d
        return
        ;;
    '--vault')
        __vault_add_completions -W "$(__vault_custom_complete ---completion show -- --vault "${COMP_CWORD}" "$(__vault_cursor_index_in_current_word)")"
        return
        ;;
    '--passphrase')
        return
        ;;
    '--key-file')
        __vault_add_completions -f
        return
        ;;
    '--keyring-timeout')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __vault_add_completions -W "$(__vault_custom_complete ---completion show -- positional@0 "${COMP_CWORD}" "$(__vault_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_vault_remove() {
    repeating_flags=()
    non_repeating_flags=(--purge --json --accept-rollback --no-session --version -h --help)
    repeating_options=()
    non_repeating_options=(--home --vault --passphrase --key-file --keyring-timeout)
    __vault_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--home')
        __vault_add_completions -d
        return
        ;;
    '--vault')
        __vault_add_completions -W "$(__vault_custom_complete ---completion remove -- --vault "${COMP_CWORD}" "$(__vault_cursor_index_in_current_word)")"
        return
        ;;
    '--passphrase')
        return
        ;;
    '--key-file')
        __vault_add_completions -f
        return
        ;;
    '--keyring-timeout')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __vault_add_completions -W "$(__vault_custom_complete ---completion remove -- positional@0 "${COMP_CWORD}" "$(__vault_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_vault_rename() {
    repeating_flags=()
    non_repeating_flags=(--json --accept-rollback --no-session --version -h --help)
    repeating_options=()
    non_repeating_options=(--home --vault --passphrase --key-file --keyring-timeout)
    __vault_offer_flags_options 2

    # Offer option value completions
    case "${prev}" in
    '--home')
        __vault_add_completions -d
        return
        ;;
    '--vault')
        __vault_add_completions -W "$(__vault_custom_complete ---completion rename -- --vault "${COMP_CWORD}" "$(__vault_cursor_index_in_current_word)")"
        return
        ;;
    '--passphrase')
        return
        ;;
    '--key-file')
        __vault_add_completions -f
        return
        ;;
    '--keyring-timeout')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __vault_add_completions -W "$(__vault_custom_complete ---completion rename -- positional@0 "${COMP_CWORD}" "$(__vault_cursor_index_in_current_word)")"
        return
        ;;
    2)
        __vault_add_completions -W "$(__vault_custom_complete ---completion rename -- positional@1 "${COMP_CWORD}" "$(__vault_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_vault_copy() {
    repeating_flags=()
    non_repeating_flags=(--json --accept-rollback --no-session --version -h --help)
    repeating_options=()
    non_repeating_options=(--home --vault --passphrase --key-file --keyring-timeout)
    __vault_offer_flags_options 2

    # Offer option value completions
    case "${prev}" in
    '--home')
        __vault_add_completions -d
        return
        ;;
    '--vault')
        __vault_add_completions -W "$(__vault_custom_complete ---completion copy -- --vault "${COMP_CWORD}" "$(__vault_cursor_index_in_current_word)")"
        return
        ;;
    '--passphrase')
        return
        ;;
    '--key-file')
        __vault_add_completions -f
        return
        ;;
    '--keyring-timeout')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __vault_add_completions -W "$(__vault_custom_complete ---completion copy -- positional@0 "${COMP_CWORD}" "$(__vault_cursor_index_in_current_word)")"
        return
        ;;
    2)
        __vault_add_completions -W "$(__vault_custom_complete ---completion copy -- positional@1 "${COMP_CWORD}" "$(__vault_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_vault_history() {
    repeating_flags=()
    non_repeating_flags=(--json --accept-rollback --no-session --version -h --help)
    repeating_options=()
    non_repeating_options=(--home --vault --passphrase --key-file --keyring-timeout)
    __vault_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--home')
        __vault_add_completions -d
        return
        ;;
    '--vault')
        __vault_add_completions -W "$(__vault_custom_complete ---completion history -- --vault "${COMP_CWORD}" "$(__vault_cursor_index_in_current_word)")"
        return
        ;;
    '--passphrase')
        return
        ;;
    '--key-file')
        __vault_add_completions -f
        return
        ;;
    '--keyring-timeout')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __vault_add_completions -W "$(__vault_custom_complete ---completion history -- positional@0 "${COMP_CWORD}" "$(__vault_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_vault_restore() {
    repeating_flags=()
    non_repeating_flags=(--json --accept-rollback --no-session --version -h --help)
    repeating_options=()
    non_repeating_options=(--version --home --vault --passphrase --key-file --keyring-timeout)
    __vault_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--version')
        return
        ;;
    '--home')
        __vault_add_completions -d
        return
        ;;
    '--vault')
        __vault_add_completions -W "$(__vault_custom_complete ---completion restore -- --vault "${COMP_CWORD}" "$(__vault_cursor_index_in_current_word)")"
        return
        ;;
    '--passphrase')
        return
        ;;
    '--key-file')
        __vault_add_completions -f
        return
        ;;
    '--keyring-timeout')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __vault_add_completions -W "$(__vault_custom_complete ---completion restore -- positional@0 "${COMP_CWORD}" "$(__vault_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_vault_run() {
    repeating_flags=()
    non_repeating_flags=(--json --accept-rollback --no-session --version -h --help)
    repeating_options=(--env)
    non_repeating_options=(--home --vault --passphrase --key-file --keyring-timeout)
    __vault_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--env')
        return
        ;;
    '--home')
        __vault_add_completions -d
        return
        ;;
    '--vault')
        __vault_add_completions -W "$(__vault_custom_complete ---completion run -- --vault "${COMP_CWORD}" "$(__vault_cursor_index_in_current_word)")"
        return
        ;;
    '--passphrase')
        return
        ;;
    '--key-file')
        __vault_add_completions -f
        return
        ;;
    '--keyring-timeout')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __vault_add_completions -W "$(__vault_custom_complete ---completion run -- positional@0 "${COMP_CWORD}" "$(__vault_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_vault_read() {
    repeating_flags=()
    non_repeating_flags=(--json --accept-rollback --no-session --version -h --help)
    repeating_options=()
    non_repeating_options=(--home --vault --passphrase --key-file --keyring-timeout)
    __vault_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--home')
        __vault_add_completions -d
        return
        ;;
    '--vault')
        __vault_add_completions -W "$(__vault_custom_complete ---completion read -- --vault "${COMP_CWORD}" "$(__vault_cursor_index_in_current_word)")"
        return
        ;;
    '--passphrase')
        return
        ;;
    '--key-file')
        __vault_add_completions -f
        return
        ;;
    '--keyring-timeout')
        return
        ;;
    esac
}

_vault_init() {
    repeating_flags=()
    non_repeating_flags=(--recovery --no-recovery --allow-weak --json --accept-rollback --no-session --version -h --help)
    repeating_options=()
    non_repeating_options=(--from --label --home --vault --passphrase --key-file --keyring-timeout)
    __vault_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--from')
        __vault_add_completions -f
        return
        ;;
    '--label')
        return
        ;;
    '--home')
        __vault_add_completions -d
        return
        ;;
    '--vault')
        __vault_add_completions -W "$(__vault_custom_complete ---completion init -- --vault "${COMP_CWORD}" "$(__vault_cursor_index_in_current_word)")"
        return
        ;;
    '--passphrase')
        return
        ;;
    '--key-file')
        __vault_add_completions -f
        return
        ;;
    '--keyring-timeout')
        return
        ;;
    esac
}

_vault_unlock() {
    repeating_flags=()
    non_repeating_flags=(--recovery --json --accept-rollback --no-session --version -h --help)
    repeating_options=()
    non_repeating_options=(--for --home --vault --passphrase --key-file --keyring-timeout)
    __vault_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--for')
        return
        ;;
    '--home')
        __vault_add_completions -d
        return
        ;;
    '--vault')
        __vault_add_completions -W "$(__vault_custom_complete ---completion unlock -- --vault "${COMP_CWORD}" "$(__vault_cursor_index_in_current_word)")"
        return
        ;;
    '--passphrase')
        return
        ;;
    '--key-file')
        __vault_add_completions -f
        return
        ;;
    '--keyring-timeout')
        return
        ;;
    esac
}

_vault_lock() {
    repeating_flags=()
    non_repeating_flags=(--json --accept-rollback --no-session --version -h --help)
    repeating_options=()
    non_repeating_options=(--home --vault --passphrase --key-file --keyring-timeout)
    __vault_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--home')
        __vault_add_completions -d
        return
        ;;
    '--vault')
        __vault_add_completions -W "$(__vault_custom_complete ---completion lock -- --vault "${COMP_CWORD}" "$(__vault_cursor_index_in_current_word)")"
        return
        ;;
    '--passphrase')
        return
        ;;
    '--key-file')
        __vault_add_completions -f
        return
        ;;
    '--keyring-timeout')
        return
        ;;
    esac
}

_vault_status() {
    repeating_flags=()
    non_repeating_flags=(--json --accept-rollback --no-session --version -h --help)
    repeating_options=()
    non_repeating_options=(--home --vault --passphrase --key-file --keyring-timeout)
    __vault_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--home')
        __vault_add_completions -d
        return
        ;;
    '--vault')
        __vault_add_completions -W "$(__vault_custom_complete ---completion status -- --vault "${COMP_CWORD}" "$(__vault_cursor_index_in_current_word)")"
        return
        ;;
    '--passphrase')
        return
        ;;
    '--key-file')
        __vault_add_completions -f
        return
        ;;
    '--keyring-timeout')
        return
        ;;
    esac
}

_vault_check() {
    repeating_flags=()
    non_repeating_flags=(--json --accept-rollback --no-session --version -h --help)
    repeating_options=()
    non_repeating_options=(--home --vault --passphrase --key-file --keyring-timeout)
    __vault_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--home')
        __vault_add_completions -d
        return
        ;;
    '--vault')
        __vault_add_completions -W "$(__vault_custom_complete ---completion check -- --vault "${COMP_CWORD}" "$(__vault_cursor_index_in_current_word)")"
        return
        ;;
    '--passphrase')
        return
        ;;
    '--key-file')
        __vault_add_completions -f
        return
        ;;
    '--keyring-timeout')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __vault_add_completions -f
        return
        ;;
    esac
}

_vault_key() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __vault_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    list|add|remove|change-passphrase|rotate|upgrade)
        # Offer subcommand argument completions
        "_vault_key_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'list add remove change-passphrase rotate upgrade' -- "${cur}"))
        ;;
    esac
}

_vault_key_list() {
    repeating_flags=()
    non_repeating_flags=(--json --accept-rollback --no-session --version -h --help)
    repeating_options=()
    non_repeating_options=(--home --vault --passphrase --key-file --keyring-timeout)
    __vault_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--home')
        __vault_add_completions -d
        return
        ;;
    '--vault')
        __vault_add_completions -W "$(__vault_custom_complete ---completion key list -- --vault "${COMP_CWORD}" "$(__vault_cursor_index_in_current_word)")"
        return
        ;;
    '--passphrase')
        return
        ;;
    '--key-file')
        __vault_add_completions -f
        return
        ;;
    '--keyring-timeout')
        return
        ;;
    esac
}

_vault_key_add() {
    repeating_flags=()
    non_repeating_flags=(--keyring --recovery --allow-weak --json --accept-rollback --no-session --version -h --help)
    repeating_options=()
    non_repeating_options=(--new-passphrase --new-key-file --label --home --vault --passphrase --key-file --keyring-timeout)
    __vault_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--new-passphrase')
        return
        ;;
    '--new-key-file')
        __vault_add_completions -f
        return
        ;;
    '--label')
        return
        ;;
    '--home')
        __vault_add_completions -d
        return
        ;;
    '--vault')
        __vault_add_completions -W "$(__vault_custom_complete ---completion key add -- --vault "${COMP_CWORD}" "$(__vault_cursor_index_in_current_word)")"
        return
        ;;
    '--passphrase')
        return
        ;;
    '--key-file')
        __vault_add_completions -f
        return
        ;;
    '--keyring-timeout')
        return
        ;;
    esac
}

_vault_key_remove() {
    repeating_flags=()
    non_repeating_flags=(--json --accept-rollback --no-session --version -h --help)
    repeating_options=()
    non_repeating_options=(--home --vault --passphrase --key-file --keyring-timeout)
    __vault_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--home')
        __vault_add_completions -d
        return
        ;;
    '--vault')
        __vault_add_completions -W "$(__vault_custom_complete ---completion key remove -- --vault "${COMP_CWORD}" "$(__vault_cursor_index_in_current_word)")"
        return
        ;;
    '--passphrase')
        return
        ;;
    '--key-file')
        __vault_add_completions -f
        return
        ;;
    '--keyring-timeout')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __vault_add_completions -W "$(__vault_custom_complete ---completion key remove -- positional@0 "${COMP_CWORD}" "$(__vault_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_vault_key_change-passphrase() {
    repeating_flags=()
    non_repeating_flags=(--allow-weak --json --accept-rollback --no-session --version -h --help)
    repeating_options=()
    non_repeating_options=(--new-passphrase --home --vault --passphrase --key-file --keyring-timeout)
    __vault_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--new-passphrase')
        return
        ;;
    '--home')
        __vault_add_completions -d
        return
        ;;
    '--vault')
        __vault_add_completions -W "$(__vault_custom_complete ---completion key change-passphrase -- --vault "${COMP_CWORD}" "$(__vault_cursor_index_in_current_word)")"
        return
        ;;
    '--passphrase')
        return
        ;;
    '--key-file')
        __vault_add_completions -f
        return
        ;;
    '--keyring-timeout')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __vault_add_completions -W "$(__vault_custom_complete ---completion key change-passphrase -- positional@0 "${COMP_CWORD}" "$(__vault_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_vault_key_rotate() {
    repeating_flags=()
    non_repeating_flags=(--keyring --recovery --allow-weak --json --accept-rollback --no-session --version -h --help)
    repeating_options=()
    non_repeating_options=(--new-passphrase --new-key-file --label --home --vault --passphrase --key-file --keyring-timeout)
    __vault_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--new-passphrase')
        return
        ;;
    '--new-key-file')
        __vault_add_completions -f
        return
        ;;
    '--label')
        return
        ;;
    '--home')
        __vault_add_completions -d
        return
        ;;
    '--vault')
        __vault_add_completions -W "$(__vault_custom_complete ---completion key rotate -- --vault "${COMP_CWORD}" "$(__vault_cursor_index_in_current_word)")"
        return
        ;;
    '--passphrase')
        return
        ;;
    '--key-file')
        __vault_add_completions -f
        return
        ;;
    '--keyring-timeout')
        return
        ;;
    esac
}

_vault_key_upgrade() {
    repeating_flags=()
    non_repeating_flags=(--json --accept-rollback --no-session --version -h --help)
    repeating_options=()
    non_repeating_options=(--home --vault --passphrase --key-file --keyring-timeout)
    __vault_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--home')
        __vault_add_completions -d
        return
        ;;
    '--vault')
        __vault_add_completions -W "$(__vault_custom_complete ---completion key upgrade -- --vault "${COMP_CWORD}" "$(__vault_cursor_index_in_current_word)")"
        return
        ;;
    '--passphrase')
        return
        ;;
    '--key-file')
        __vault_add_completions -f
        return
        ;;
    '--keyring-timeout')
        return
        ;;
    esac
}

_vault_backup() {
    repeating_flags=()
    non_repeating_flags=(--json --accept-rollback --no-session --version -h --help)
    repeating_options=()
    non_repeating_options=(--home --vault --passphrase --key-file --keyring-timeout)
    __vault_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--home')
        __vault_add_completions -d
        return
        ;;
    '--vault')
        __vault_add_completions -W "$(__vault_custom_complete ---completion backup -- --vault "${COMP_CWORD}" "$(__vault_cursor_index_in_current_word)")"
        return
        ;;
    '--passphrase')
        return
        ;;
    '--key-file')
        __vault_add_completions -f
        return
        ;;
    '--keyring-timeout')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __vault_add_completions -f
        return
        ;;
    esac
}

_vault_defaults() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __vault_offer_flags_options -1

    # Offer positional completions
    case "${positional_number}" in
    *)
        __vault_add_completions -W "$(__vault_custom_complete ---completion defaults -- positional@0 "${COMP_CWORD}" "$(__vault_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_vault_completions() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __vault_offer_flags_options 1

    # Offer positional completions
    case "${positional_number}" in
    1)
        __vault_add_completions -W 'bash'$'\n''zsh'$'\n''fish'
        return
        ;;
    esac
}

_vault_help() {
    repeating_flags=()
    non_repeating_flags=(--version)
    repeating_options=()
    non_repeating_options=()
    __vault_offer_flags_options -1
}

complete -o filenames -F _vault vault
