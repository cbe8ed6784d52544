# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Bash completion of profil(1). bash-completion sources this file at the first use.

# The build appends what the options are: _profil_options SUBCOMMAND prints them; _profil_values
# SUBCOMMAND OPTION prints the values of one, or fails if it has none, where the option ends with = if
# that was typed; _profil_takes_argument OPTION is true if the next word is its argument.

# _profil_command FIRST: print the index of the command that is run, if there is one yet. The
# options start at index FIRST.
_profil_command() {
	local i=$1

	while ((i < COMP_CWORD)); do
		if _profil_takes_argument "${COMP_WORDS[i]}"; then
			# bash splits --rate=7 into three words
			[[ ${COMP_WORDS[i + 1]} == "=" ]] && ((i++))
			((i += 2))
		elif [[ ${COMP_WORDS[i]} == -* ]]; then
			((i++))
		else
			echo "$i"
			return
		fi
	done
}

# Complete the function of --annotate: those with samples in the result of the line, or in profil.out.
# bash splits words at colons, so what is before the last one in the line is not completed again.
_profil_functions() {
	local typed=${COMP_LINE:0:COMP_POINT} file=profil.out word name before=""

	typed=${typed##*--annotate[= ]}
	for word in "${COMP_WORDS[@]:2:COMP_CWORD-2}"; do
		[[ -f $word ]] && file=$word
	done
	[[ $typed == *:* && $COMP_WORDBREAKS == *:* ]] && before=${typed%"${typed##*:}"}
	while read -r name; do
		[[ $name == "$typed"* ]] && COMPREPLY+=("${name#"$before"}")
	done < <("${COMP_WORDS[0]}" export --folded --no-debuginfod "$file" 2>/dev/null |
		sed -nE 's/^[^;]*;([^[(].*) [0-9]+$/\1/; T; s/\([^()]*\)( const)?( \[.*\])?$//
			# template arguments may fill a screen: --annotate finds the name without them
			/.{81}/{ /operator *[-<>]/!{ :next; s/<[^<>]*>//g; t next
				s/\([^()]*\)( const)?( \[.*\])?$//; s/^[^()]* ([^ ]+)$/\1/ } }; p')
}

_profil() {
	local word=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]}
	local subcommand=run first=1 equals="" command values

	COMPREPLY=()
	case ${COMP_WORDS[1]} in
	run | record | top | report | diff | compare | merge | export | optimize | info | help)
		if ((COMP_CWORD > 1)); then
			subcommand=${COMP_WORDS[1]/#record/run}
			first=2
		fi
		;;
	esac
	if [[ $subcommand == run || $subcommand == top ]]; then
		command=$(_profil_command $first)
		# the rest is completed as for the command alone
		if [[ -n $command ]] && declare -F _command_offset >/dev/null; then
			_command_offset "$command"
			return
		fi
	fi
	# bash splits --by=fu into three words, and --by= into two
	if [[ $word == "=" ]]; then
		word=
		equals="="
	elif [[ $option == "=" ]]; then
		option=${COMP_WORDS[COMP_CWORD - 2]}
		equals="="
	fi
	if [[ $option == --annotate || $COMP_LINE =~ --annotate[=\ ][^\ ]*$ ]]; then
		_profil_functions
	elif values=$(_profil_values "$subcommand" "$option$equals"); then
		mapfile -t COMPREPLY < <(compgen -W "$values" -- "$word")
	elif [[ $option == --cgroup ]]; then
		# also a path from /, which is that of a directory
		mapfile -t COMPREPLY < <(cd /sys/fs/cgroup && compgen -d -- "$word")
	elif [[ $option == --*root || $option == --symfs ]]; then
		mapfile -t COMPREPLY < <(compgen -d -- "$word")
	elif [[ $word == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_profil_options "$subcommand")" -- "$word")
		[[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace
	elif [[ $subcommand == help ]]; then
		mapfile -t COMPREPLY < <(compgen -W "run record top report diff compare merge export optimize info" -- "$word")
	elif [[ $subcommand == top ]]; then
		mapfile -t COMPREPLY < <(compgen -c -- "$word")
	elif [[ $subcommand == run && $option != -[to] && $option != --output &&
		$option != --table ]]; then
		mapfile -t COMPREPLY < <(compgen -c -- "$word"
			((COMP_CWORD > 1)) ||
				compgen -W "run record top report diff compare merge export optimize info help" -- "$word")
	elif [[ $subcommand != info ]]; then
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
	fi
} && complete -o filenames -F _profil profil
