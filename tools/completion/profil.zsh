#compdef profil
# SPDX-License-Identifier: GPL-2.0-only
#
# Zsh completion of profil(1), installed as _profil in a directory of fpath.

typeset -ga _profil_common=(
	'(- *)--help[list the options]'
	'(- *)--usage[list the options briefly]'
	'(- *)--version[print the version]'
)

# of results
typeset -ga _profil_selecting=(
	'--no-debuginfod[fetch no debug information]'
	'--no-demangle[mangled names]'
	'--object=[only samples in this object]:object:_files'
	'--process=[only samples of this process]:process ID:'
	'--program=[only samples of this program]:program:_files'
	'--refresh[read names from the files again]'
	'--thread=[only samples of this thread]:name or ID:'
)

# of tables
typeset -ga _profil_tables=(
	'(--top)--all[all rows]'
	'(--lines)--by=[what a row stands for]:what:(function line object address process thread program)'
	'--full-names[all columns and full names]'
	'(--by)--lines[the same as --by=line]'
	'(--min-percent --percent-limit)'{--min-percent=,--percent-limit=}'[one row for those below]:percent:'
	'--sort=[order of the rows]:key:(samples name object address)'
	'(--all)--top=[only so many rows]:rows:'
)

# Functions with samples in the result of the line, or in profil.out
_profil_functions() {
	local file=profil.out word
	local -a names

	for word in $words[2,CURRENT-1]; do
		[[ -f $word ]] && file=$word
	done
	names=(${(f)"$($service export --folded --no-debuginfod $file 2>/dev/null |
		sed -nE 's/^[^;]*;([^[(].*) [0-9]+$/\1/; T; s/\([^()]*\)( const)?( \[.*\])?$//; p')"})
	compadd -a names
}

_profil_run() {
	_arguments -s -S $_profil_common $_profil_tables \
		'--cgroup=[profile the processes of this control group]:control group:_path_files -/ -W /sys/fs/cgroup' \
		'(-c --clock)'{-c+,--clock=}'[when samples are taken]:clock:(random timer tick)' \
		'--duration=[end the profile after this time]:seconds:' \
		'--force[run the command even if it cannot be profiled]' \
		'--interval=[write the result at this interval]:seconds:' \
		'*--label=[add a label to what is pushed]:name=value:' \
		'--push=[push the samples to this server]:URL:_urls' \
		'(--no-follow --no-inherit)'{--no-follow,--no-inherit}'[not the programs that processes execute]' \
		'--no-arguments[keep no command lines in the result]' \
		'(-t --table)--no-table[print no table]' \
		'(-o --output)'{-o+,--output=}'[file of the result]:file:_files' \
		'*'{-p+,--pid=}'[profile these processes]:process ID:_pids' \
		'--progress=-[print the progress]::seconds:' \
		'(-r -F --rate)'{-r+,-F+,--rate=}'[samples per second of CPU time]:Hz:' \
		'(-t --table --no-table)'{-t+,--table=}'[file of the table]:file:_files' \
		'(-): :{ _alternative "commands:command:_path_commands" "files:program:_files" }' \
		'*:: :_normal'
}

_profil_top() {
	_arguments -s -S $_profil_common \
		'--by=[what a row stands for]:what:(function thread program)' \
		'--cgroup=[profile the processes of this control group]:control group:_path_files -/ -W /sys/fs/cgroup' \
		'(-c --clock)'{-c+,--clock=}'[when samples are taken]:clock:(random timer tick)' \
		'(-d --delay)'{-d+,--delay=}'[how often the screen is renewed]:seconds:' \
		'(--no-follow --no-inherit)'{--no-follow,--no-inherit}'[not the programs that processes execute]' \
		'--once[print one table]' \
		'*'{-p+,--pid=}'[profile these processes]:process ID:_pids' \
		'(-r -F --rate)'{-r+,-F+,--rate=}'[samples per second of CPU time]:Hz:' \
		'--sort=[order of the rows]:key:(cpu total system name object)' \
		'--top=[only so many rows]:rows:' \
		'(-): :{ _alternative "commands:command:_path_commands" "files:program:_files" }' \
		'*:: :_normal'
}

_profil_report() {
	_arguments -s -S $_profil_common $_profil_selecting $_profil_tables \
		'--annotate=[print the source of this function]:function:_profil_functions' \
		'--asm[its instructions]' \
		'--color=-[use colors]::when:(auto always never)' \
		'--inline[count for inlined functions]' \
		'(--annotate)--json[print JSON]' \
		'(--root --symfs)'{--root=,--symfs=}'[objects are below this directory]:directory:_files -/' \
		'::result:_files'
}

_profil_diff() {
	_arguments -s -S $_profil_common $_profil_selecting \
		'--color=-[use colors]::when:(auto always never)' \
		'--fail-above=[exit with 3 if slower by more]:percent:' \
		'--full-names[all columns and full names]' \
		'(--markdown)--json[print JSON]' \
		'(--json)--markdown[print a table for a pull request]' \
		'(--min-percent --percent-limit)'{--min-percent=,--percent-limit=}'[omit rows below]:percent:' \
		'--new-root=[objects of the new result are below this directory]:directory:_files -/' \
		'--old-root=[objects of the old result are below this directory]:directory:_files -/' \
		'--shares[compare shares, not seconds]' \
		'--top=[only so many rows]:rows:' \
		':old result:_files' \
		':new result:_files'
}

_profil_export() {
	local formats='(--autofdo --bolt --callgrind --firefox --folded --gmon --html --json --order --pprof)'

	_arguments -s -S $_profil_common $_profil_selecting \
		$formats'--autofdo[for create_gcov and create_llvm_prof]' \
		$formats'--bolt=-[for BOLT]::variant:(fdata)' \
		$formats'--callgrind[for kcachegrind]' \
		$formats'--firefox[for Firefox Profiler]' \
		$formats'--folded[for flamegraph.pl]' \
		$formats'--gmon[for gprof]' \
		$formats'--html[a page for browsers, also of two results]' \
		$formats'--json[for scripts]' \
		$formats'--order[functions, hottest first, for lld]' \
		$formats'--pprof[for pprof]' \
		'(-o --output)'{-o+,--output=}'[file or directory of the export]:file:_files' \
		'(--root --symfs)'{--root=,--symfs=}'[objects are below this directory]:directory:_files -/' \
		'::result:_files' \
		'::new result:_files'
}

_profil_merge() {
	_arguments -s -S $_profil_common \
		'--no-arguments[drop all command lines]' \
		'(-o --output)'{-o+,--output=}'[file of the sum]:file:_files' \
		'*:result:_files'
}

_profil_compare() {
	_arguments -S $_profil_common \
		'--fail-above=[exit status 3 above this change]:percent:' \
		'--runs=[runs of each command]:number:' \
		'*:command:_files'
}

_profil_optimize() {
	_arguments -s -S $_profil_common \
		'(-o --output)'{-o+,--output=}'[name of the copy]:file:_files' \
		'--profile=[use this result]:result:_files' \
		'(-r --rate)'{-r+,--rate=}'[samples per second of CPU time]:Hz:' \
		'--runs=[runs of each program]:number:' \
		'(-): :{ _alternative "commands:command:_path_commands" "files:program:_files" }' \
		'*:: :_normal'
}

_profil_info() {
	_arguments -s -S $_profil_common '--json[print JSON]'
}

_profil_help() {
	_arguments '::subcommand:(run record top report diff compare merge export optimize info)'
}

# The default subcommand may be omitted.
_profil() {
	case $words[2] in
	(run|record|top|report|diff|compare|merge|export|optimize|info|help)
		if (( CURRENT > 2 )); then
			local subcommand=${words[2]/#record/run}

			shift words
			(( CURRENT-- ))
			_profil_$subcommand
			return
		fi
		;;
	esac
	if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
		_alternative 'subcommands:subcommand:(run record top report diff compare merge export optimize info help)' \
			'commands:command:_path_commands' 'files:program:_files'
	else
		_profil_run
	fi
}

_profil "$@"
