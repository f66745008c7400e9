# fish completion for pcielat. Commands and options are read from the program's own --help.

function __pcielat_help
    set -l words (commandline -opc)
    if set -q words[2]; and string match -qr '^[a-z]' -- $words[2]
        $words[1] $words[2] --help 2>/dev/null
    else
        $words[1] --help 2>/dev/null
    end
end

# "  -a, --all-slots   words" becomes "--all-slots<tab>words".
function __pcielat_options
    __pcielat_help | sed -nE 's/^ {2,}(-., )?(--[a-z-]+)(\[?=[^ ]*)? */\2\t/p'
end

function __pcielat_commands
    __pcielat_help | sed -nE '/^Commands/,/^$/s/^  ([a-z]+) +/\1\t/p'
end

complete -c pcielat -n 'string match -qr "^-" -- (commandline -ct)' -a '(__pcielat_options)'
complete -c pcielat -n 'test (count (commandline -opc)) -eq 1' -f -a '(__pcielat_commands)'
complete -c pcielat -n 'test (count (commandline -opc)) -gt 1' \
    -a '(ls /sys/bus/pci/devices 2>/dev/null)'
