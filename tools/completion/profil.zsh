#compdef profil
# SPDX-License-Identifier: GPL-2.0-only
#
# Zsh completion of profil(1), installed as _profil in a directory of fpath.

typeset -ga _profil_common=(
	'(- *)--help[list the options]'
	'(- *)--usage[list the options briefly]'
	'(- *)--version[print the version]'
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

# The options of each subcommand are in arrays, which the build puts in front.
_profil_run() {
	_arguments -s -S $_profil_common $_profil_options_run \
		'(-): :{ _alternative "commands:command:_path_commands" "files:program:_files" }' \
		'*:: :_normal'
}

_profil_top() {
	_arguments -s -S $_profil_common $_profil_options_top \
		'(-): :{ _alternative "commands:command:_path_commands" "files:program:_files" }' \
		'*:: :_normal'
}

_profil_optimize() {
	_arguments -s -S $_profil_common $_profil_options_optimize \
		'(-): :{ _alternative "commands:command:_path_commands" "files:program:_files" }' \
		'*:: :_normal'
}

_profil_report() {
	_arguments -s -S $_profil_common $_profil_options_report '::result:_files'
}

_profil_diff() {
	_arguments -s -S $_profil_common $_profil_options_diff '*:result:_files'
}

_profil_export() {
	_arguments -s -S $_profil_common $_profil_options_export '::result:_files' '::new result:_files'
}

_profil_merge() {
	_arguments -s -S $_profil_common $_profil_options_merge '*:result:_files'
}

_profil_compare() {
	_arguments -s -S $_profil_common $_profil_options_compare '*:command:_files'
}

_profil_info() {
	_arguments -s -S $_profil_common $_profil_options_info
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
