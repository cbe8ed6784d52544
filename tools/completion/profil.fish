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
            case -c -d -F -o -p -r -t --by --cgroup --clock --delay --duration --interval --label \
                --min-percent --output --percent-limit --pid --push --rate --sort --table --top
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

complete -c profil -n '__profil_in_run; or __profil_in_top' -l cgroup -x -a '(__profil_cgroups)' -d 'Profile a control group'
complete -c profil -n '__profil_in_run; or __profil_in_top' -s c -l clock -x -a 'random timer tick' -d 'When samples are taken'
complete -c profil -n __profil_in_run -l duration -x -d 'End after seconds'
complete -c profil -n __profil_in_run -l force -d 'Run the command even if it cannot be profiled'
complete -c profil -n __profil_in_run -l interval -x -d 'Write the result every so many seconds'
complete -c profil -n '__profil_in_run; or __profil_in_top' -l no-follow -d 'Not the programs that processes execute'
complete -c profil -n '__profil_in_run; or __profil_in_top' -l no-inherit -d 'The same as --no-follow'
complete -c profil -n __profil_in_run -l label -x -d 'Add a label to what is pushed'
complete -c profil -n __profil_in_run -l push -x -d 'Push the samples to a server'
complete -c profil -n __profil_in_run -l no-table -d 'Print no table'
complete -c profil -n __profil_in_run -s o -l output -r -F -d 'File of the result'
complete -c profil -n '__profil_in_run; or __profil_in_top' -s p -l pid -x -a '(__fish_complete_pids)' -d 'Profile these processes'
complete -c profil -n __profil_in_run -l progress -d 'Print the progress'
complete -c profil -n '__profil_in_run; or __profil_in_top' -s r -s F -l rate -x -d 'Samples per second of CPU time'
complete -c profil -n __profil_in_run -s t -l table -r -F -d 'File of the table'

complete -c profil -n __profil_in_top -l by -x -a 'function thread program' -d 'What a row stands for'
complete -c profil -n __profil_in_top -s d -l delay -x -d 'Renew the screen every so many seconds'
complete -c profil -n __profil_in_top -l once -d 'Print one table'
complete -c profil -n __profil_in_top -l sort -x -a 'cpu total system name object' -d 'Order of the rows'
complete -c profil -n __profil_in_top -l top -x -d 'Only so many rows'

complete -c profil -n '__profil_in report; or __profil_in_run' -l all -d 'All rows'
complete -c profil -n '__profil_in report' -l annotate -x -a '(__profil_functions)' -d 'Print the source of a function'
complete -c profil -n '__profil_in report' -l asm -d 'Its instructions'
complete -c profil -n '__profil_in report; or __profil_in_run' -l by -x -a 'function line object address process thread program' -d 'What a row stands for'
complete -c profil -n '__profil_in report' -l inline -d 'Count for inlined functions'
complete -c profil -n '__profil_in report; or __profil_in_run' -l lines -d 'The same as --by=line'
complete -c profil -n '__profil_in report; or __profil_in_run' -l sort -x -a 'samples name object address' -d 'Order of the rows'

complete -c profil -n '__profil_in report diff' -l color -d 'Use colors'
complete -c profil -n '__profil_in report diff; or __profil_in_run' -l full-names -d 'All columns and full names'
complete -c profil -n '__profil_in report diff; or __profil_in_run' -l min-percent -x -d 'Omit rows below'
complete -c profil -n '__profil_in report diff; or __profil_in_run' -l percent-limit -x -d 'The same as --min-percent'
complete -c profil -n '__profil_in report diff; or __profil_in_run' -l top -x -d 'Only so many rows'

complete -c profil -n '__profil_in diff' -l fail-above -x -d 'Exit with 3 if slower by more percent'
complete -c profil -n '__profil_in report diff info' -l json -d 'Print JSON'
complete -c profil -n '__profil_in diff' -l markdown -d 'A table for a pull request'
complete -c profil -n '__profil_in diff' -l new-root -x -a '(__fish_complete_directories)' -d 'Objects of the new result'
complete -c profil -n '__profil_in diff' -l old-root -x -a '(__fish_complete_directories)' -d 'Objects of the old result'
complete -c profil -n '__profil_in diff' -l shares -d 'Compare shares, not seconds'

complete -c profil -n '__profil_in export' -l autofdo -d 'For create_gcov and create_llvm_prof'
complete -c profil -n '__profil_in export' -l bolt -d 'For perf2bolt; =fdata: for llvm-bolt'
complete -c profil -n '__profil_in export' -l callgrind -d 'For kcachegrind'
complete -c profil -n '__profil_in export' -l firefox -d 'For Firefox Profiler'
complete -c profil -n '__profil_in export' -l folded -d 'For flamegraph.pl'
complete -c profil -n '__profil_in export' -l gmon -d 'For gprof'
complete -c profil -n '__profil_in export' -l html -d 'A page for browsers, also of two results'
complete -c profil -n '__profil_in export' -l json -d 'For scripts'
complete -c profil -n '__profil_in export' -l order -d 'Functions, hottest first, for lld'
complete -c profil -n '__profil_in export' -l pprof -d 'For pprof'
complete -c profil -n '__profil_in export' -s o -l output -r -F -d 'File or directory of the export'

complete -c profil -n '__profil_in compare' -l fail-above -x -d 'Exit status 3 above this change in percent'
complete -c profil -n '__profil_in compare' -l runs -x -d 'Runs of each command'
complete -c profil -n '__profil_in compare' -F
complete -c profil -n '__profil_in optimize' -s o -l output -r -F -d 'Name of the copy'
complete -c profil -n '__profil_in optimize' -l profile -r -F -d 'Use this result'
complete -c profil -n '__profil_in optimize' -s r -l rate -x -d 'Samples per second of CPU time'
complete -c profil -n '__profil_in optimize' -l runs -x -d 'Runs of each program'
complete -c profil -n '__profil_in optimize' -F

complete -c profil -n '__profil_in merge' -s o -l output -r -F -d 'File of the sum'

complete -c profil -n '__profil_in report export' -l root -x -a '(__fish_complete_directories)' -d 'Objects are below a directory'
complete -c profil -n '__profil_in report export' -l symfs -x -a '(__fish_complete_directories)' -d 'The same as --root'

complete -c profil -n '__profil_in report diff export' -l no-debuginfod -d 'Fetch no debug information'
complete -c profil -n '__profil_in report diff export' -l no-demangle -d 'Mangled names'
complete -c profil -n '__profil_in report diff export' -l object -r -F -d 'Only samples in an object'
complete -c profil -n '__profil_in report diff export' -l process -x -d 'Only samples of a process'
complete -c profil -n '__profil_in report diff export' -l program -r -F -d 'Only samples of a program'
complete -c profil -n '__profil_in report diff export' -l refresh -d 'Read names from the files again'
complete -c profil -n '__profil_in report diff export' -l thread -x -d 'Only samples of a thread'
complete -c profil -n '__profil_in_run' -l no-arguments -d 'Keep no command lines'
complete -c profil -n '__profil_in merge' -l no-arguments -d 'Drop all command lines'
