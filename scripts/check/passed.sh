# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What passed is not run again with the same inputs. Sourced by scripts/vm/run and scripts/check/steps.sh.
#
# A digest of all inputs names a folder below ~/.cache/profil/passed, with what the run printed and
# the commit at which it ran. With CHECK_FRESH=1 nothing is found, so that everything runs.

passed_folder=${PROFIL_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/profil}/passed

# find_passed DIGEST: print the commit at which a run with these inputs passed. Return 1 if none did.
find_passed() {
	[ "${CHECK_FRESH-}" != 1 ] && touch -c "$passed_folder/$1" &&
		cat "$passed_folder/$1/commit" 2>/dev/null
}

# remember_passed DIGEST [FILE...]: a run passed, and FILEs are what it printed. What was not used for
# 30 days is removed.
remember_passed() {
	local work

	mkdir -p "$passed_folder" && work=$(mktemp -d "$passed_folder/.XXXXXX") || return
	(($# == 1)) || cp "${@:2}" "$work" || return
	{ git describe --always --dirty 2>/dev/null || echo "no commit"; } >"$work/commit"
	rm -rf "${passed_folder:?}/$1"
	mv -T "$work" "$passed_folder/$1" 2>/dev/null || rm -rf "$work" # another was faster
	find "$passed_folder" -mindepth 1 -maxdepth 1 -mtime +30 -exec rm -rf {} +
}
