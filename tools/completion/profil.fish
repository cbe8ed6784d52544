# SPDX-License-Identifier: GPL-2.0-only
#
# Fish completion of profil(1).

# The subcommand of the line, which is run if there is none
function __profil_subcommand
    set -l words (commandline -opc)
    switch "$words[2]"
        case top report diff compare merge export optimize info help
            echo $words[2]
        case '*'
            echo run
    end
end

# __profil_in SUBCOMMAND...: whether the options of one of these are completed
function __profil_in
    contains -- (__profil_subcommand) $argv
end

# Print the index of the command that is run in the line; fail if there is none yet.
function __profil_command_index
    set -l words (commandline -opc)
    set -l i 2
    contains -- "$words[2]" run record top; and set i 3
    while test $i -le (count $words)
        switch $words[$i]
            case $__profil_with_argument
                set i (math $i + 2)
            case '-*'
                set i (math $i + 1)
            case '*'
                echo $i
                return 0
        end
    end
    return 1
end

# Options of run are those before the command.
function __profil_in_run
    __profil_in run; and not __profil_command_index >/dev/null
end

function __profil_in_top
    __profil_in top; and not __profil_command_index >/dev/null
end

# The command and its arguments are completed as without profil.
function __profil_complete_command
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    set -l i (__profil_command_index)
    if test -n "$i"
        complete "-C"(string join -- ' ' (string escape -- $words[$i..-1]) "$word")
    else if not string match -q -- '-*' "$word"
        # the space: without a text, complete(1) takes the whole line
        complete "-C $word"
    end
end

# Directories below the mount of control groups; a path from / is that of a directory
function __profil_cgroups
    set -l word (string replace -r -- '^--cgroup=' '' (commandline -ct))
    if string match -q -- '/*' $word
        __fish_complete_directories $word
    else
        for directory in /sys/fs/cgroup/$word*/
            string replace -- /sys/fs/cgroup/ '' $directory
        end
    end
end

# Functions with samples in the result of the line, or in profil.out
function __profil_functions
    set -l file profil.out
    for word in (commandline -opc)[2..]
        test -f $word; and set file $word
    end
    profil export --folded --no-debuginfod $file 2>/dev/null |
        sed -nE 's/^[^;]*;([^[(].*) [0-9]+$/\1/; T; s/\([^()]*\)( const)?( \[.*\])?$//; p'
end

complete -c profil -f
complete -c profil -n 'test (count (commandline -opc)) = 1' -a 'run record' -d 'Profile a command or processes'
complete -c profil -n 'test (count (commandline -opc)) = 1' -a report -d 'Print a result'
complete -c profil -n 'test (count (commandline -opc)) = 1' -a top -d 'Show live where CPU time is spent'
complete -c profil -n 'test (count (commandline -opc)) = 1' -a diff -d 'Compare two results'
complete -c profil -n 'test (count (commandline -opc)) = 1' -a merge -d 'Add up results'
complete -c profil -n 'test (count (commandline -opc)) = 1' -a export -d 'Convert a result'
complete -c profil -n 'test (count (commandline -opc)) = 1' -a compare -d 'Compare the CPU time of two commands'
complete -c profil -n 'test (count (commandline -opc)) = 1' -a optimize -d 'Make a faster copy of a program'
complete -c profil -n 'test (count (commandline -opc)) = 1' -a info -d 'Check whether a profile can be started'
complete -c profil -n 'test (count (commandline -opc)) = 1' -a help -d 'List options'
complete -c profil -n '__profil_in help' -a 'run record top report diff compare merge export optimize info'
complete -c profil -n '__profil_in run top' -a '(__profil_complete_command)'
complete -c profil -n '__profil_in report diff compare merge export' -F

complete -c profil -n '__profil_in report diff compare merge export optimize info help; or __profil_in_run; or __profil_in_top' -l help -d 'List the options'
complete -c profil -n '__profil_in report diff compare merge export optimize info help; or __profil_in_run; or __profil_in_top' -l usage -d 'List the options briefly'
complete -c profil -n '__profil_in report diff compare merge export optimize info help; or __profil_in_run; or __profil_in_top' -l version -d 'Print the version'

complete -c profil -n '__profil_in compare optimize' -F

# The build appends the options of each subcommand.
