# fish completion for vault; written by: vault completions fish
function __vault
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines ($words[1] __complete (count $words) $words $current 2>/dev/null)
    switch "$lines[1]"
        case files
            __fish_complete_path $current
        case directories
            __fish_complete_directories $current ''
        case 'command *'
            __fish_complete_subcommand --fcs-skip=(string replace 'command ' '' -- $lines[1])
    end
    test (count $lines) -gt 1; and printf '%s\n' $lines[2..]
end
complete -c vault -f -a '(__vault)'
