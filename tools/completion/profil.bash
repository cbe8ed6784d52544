# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Bash completion of profil(1). bash-completion sources this file at the first use.

# Print the values of an option of a subcommand, or fail if it has none. The option ends with = if
# that was typed: the value of --color is optional, and a word after a space is not its value.
_profil_values() {
	case $2:$1 in
	top:--by | top:--by=) echo function thread program && return ;;
	top:--sort | top:--sort=) echo cpu total system name object && return ;;
	esac
	case $1 in
	-c | --clock | --clock=) echo random timer tick ;;
	--by | --by=) echo function line object address process thread program ;;
	--sort | --sort=) echo samples name object address ;;
	--color=) echo auto always never ;;
	--bolt=) echo fdata ;;
	-p | --pid | --pid=) (cd /proc && echo [0-9]*) ;;
	*) return 1 ;;
	esac
}

_profil_options() {
	case $1 in
	run)
		echo --all --by= --cgroup= --clock= --duration= --force --full-names --interval= \
			--label= --lines --min-percent= --no-arguments --no-follow --no-inherit --no-table --output= \
			--percent-limit= --pid= --progress --push= --rate= --sort= --table= --top=
		;;
	top)
		echo --by= --cgroup= --clock= --delay= --no-follow --no-inherit --once --pid= --rate= \
			--sort= --top=
		;;
	report)
		echo --all --annotate= --asm --by= --color --full-names --inline --json --lines --min-percent= \
			--no-debuginfod --no-demangle --object= --percent-limit= --process= --program= \
			--refresh --root= --sort= --symfs= --thread= --top=
		;;
	export)
		echo --autofdo --bolt --callgrind --firefox --folded --gmon --html --json \
			--no-debuginfod --no-demangle --object= --order --output= --pprof --process= \
			--program= --refresh --root= \
			--symfs= --thread=
		;;
	diff)
		echo --color --fail-above= --full-names --json --markdown --min-percent= --new-root= \
			--no-debuginfod --no-demangle \
			--object= --old-root= --percent-limit= --process= --program= --refresh --shares \
			--thread= --top=
		;;
	compare) echo --fail-above= --runs= ;;
	merge) echo --no-arguments --output= ;;
	optimize) echo --output= --profile= --rate= --runs= ;;
	info) echo --json ;;
	esac
	echo --help --usage --version
}

# _profil_command FIRST: print the index of the command that is run, if there is one yet. The
# options start at index FIRST.
_profil_command() {
	local i=$1

	while ((i < COMP_CWORD)); do
		case ${COMP_WORDS[i]} in
		-[cdFoprt] | --by | --cgroup | --clock | --delay | --duration | --interval | --label | \
			--min-percent | --output | --percent-limit | --pid | --push | --rate | --sort | \
			--table | --top)
			# bash splits --rate=7 into three words
			[[ ${COMP_WORDS[i + 1]} == "=" ]] && ((i++))
			((i += 2))
			;;
		-*) ((i++)) ;;
		*)
			echo "$i"
			return
			;;
		esac
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
		sed -nE 's/^[^;]*;([^[(].*) [0-9]+$/\1/; T; s/\([^()]*\)( const)?( \[.*\])?$//; p')
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
	elif values=$(_profil_values "$option$equals" "$subcommand"); then
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
