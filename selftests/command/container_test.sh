#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The device in containers (doc/containers.md): what works in those that podman starts for an
# ordinary user with its default seccomp profile and capabilities, what in those with less, and what
# `profil info` says where the device cannot be opened. No image is needed: containers have this
# machine's /usr. PROFIL: path of the command (default: the tree's).

cd "$(dirname "$0")/.." || exit 1
# nobody's second user IDs, in a mount namespace, so that the machine's file stays as it is. There,
# the tree is at /mnt, as nobody may not reach it where it is.
if [ "$1" != inside ] && [ "$(id -u)" = 0 ] && [ -e /etc/subuid ] && [ -e /etc/subgid ]; then
	# shellcheck disable=SC2016
	exec unshare -m sh -c 'mount --make-rshared / && ids=$(mktemp) &&
		echo nobody:100000:65536 >"$ids" && chmod 644 "$ids" && mount --bind "$ids" /etc/subuid &&
		mount --bind "$ids" /etc/subgid && rm "$ids" &&
		mount --bind .. /mnt && cd /mnt/selftests && exec "$@"' \
		sh bash command/container_test.sh inside
fi
# shellcheck source=../lib/ktap.sh
. lib/ktap.sh

PROFIL=$(realpath "${PROFIL:-../tools/profil}")
top=$(realpath ..)
cdi=$top/containers/profil.yaml

# Below /run: podman refuses directories of other users above its own
state=$(mktemp -d /run/profil-containers.XXXXXX) || exit 1
trap 'rm -rf "$work" "$state"' EXIT
chmod 755 "$state" "$work"
root=$state/root
mkdir -p "$root"/{usr,proc,sys,dev,run,tmp,etc} "$state"/{home,run,images}
chmod 1777 "$root/tmp"
chmod 700 "$state/run"
ln -s usr/bin usr/sbin usr/lib usr/lib64 "$root"

# The options of a container. This machine may be without networks, systemd and a file system that
# podman could stack.
options=(--rm --network none -e "COLUMNS=$COLUMNS" -v /usr:/usr:ro -v "$top:$top:ro"
	-w "$top/selftests" --rootfs "$root")

# as_nobody COMMAND...: with a home and a runtime directory
as_nobody() {
	setpriv --reuid nobody --regid nogroup --clear-groups env -i PATH="$PATH" \
		HOME="$state/home" XDG_RUNTIME_DIR="$state/run" "$@"
}

podman_run() {
	podman --root "$state/images/$1" --runroot "$state/run/$1" --storage-driver vfs \
		--cgroup-manager cgroupfs --events-backend none run "${@:2}"
}

# contained_by USER OPTION... -- COMMAND...: in a container of root or nobody
contained_by() {
	local run=("$1")

	shift
	while [ "$1" != -- ]; do
		run+=("$1")
		shift
	done
	run+=("${options[@]}" "${@:2}")
	if [ "${run[0]}" = root ]; then
		podman_run "${run[@]}"
	else
		# shellcheck disable=SC2016
		as_nobody state="$state" bash -c "$(declare -f podman_run)"'; podman_run "$@"' \
			bash "${run[@]}"
	fi >"$work/out" 2>"$work/err"
}

contained() { contained_by nobody "$@"; }

# What pods of Kubernetes have at least
restricted=(--cap-drop all --security-opt no-new-privileges --user 1000)

# says TEXT: whether `profil info` has ended with the status for "no profile", and printed that
says() {
	[ "$2" = 1 ] && grep -qF -- "$1" "$work/out" || { sed 's/^/# /' "$work/out"; false; }
}

ready() {
	contained --device /dev/profil "$@" -- "$PROFIL" info &&
	grep -q '^/dev/profil  *can be opened' "$work/out" &&
	grep -q '^profile  *can be started' "$work/out"
}

# The program counts its own samples, 0.3 s at 100 Hz.
itself() {
	contained --device /dev/profil "$@" -e LD_PRELOAD="$top/lib/libprofil.so" -- \
		programs/old profil || return
	read -r nr by <"$work/out"
	[ "$by" = kernel ] && between 28 "$nr" 31
}

# has_spun LOW [HIGH]: the table, on standard error, has that many samples of programs/spin
has_spun() {
	between "$1" "$(awk '$6 == "spin" { n += $3 } END { print n + 0 }' "$work/err")" "${2:-inf}"
}

runs() {
	contained --device /dev/profil "$@" -- "$PROFIL" -c tick -o /dev/null programs/spin 0.4 &&
	has_spun 38 44
}

# Another process of the container, for half a second or more: the first run of profil reads its files
running() {
	contained --device /dev/profil "$@" -- sh -c \
		"programs/spin 100 & $PROFIL -o /dev/null --duration 0.5 -p \$!" && has_spun 40
}

# A process of another user of the container: setpriv drops what root has
other_user() {
	contained_by root --device /dev/profil "$@" -- sh -c \
		"setpriv --reuid 1000 --regid 1000 --clear-groups --bounding-set=-all \
			programs/spin 100 &
		until grep -qx spin /proc/\$!/comm; do sleep 0.1; done
		$PROFIL -o /dev/null --duration 0.5 -p \$!"
}

other_user_needs_ptrace() {
	other_user
	[ $? = 125 ] && grep -q '(EACCES): .*another user, .*--cap-add SYS_PTRACE' "$work/err" &&
	other_user --cap-add SYS_PTRACE && has_spun 40
}

missing() {
	contained -- "$PROFIL" info
	says 'ENOENT): the module is loaded: start this container with --device /dev/profil' $?
}

# The library and the command say the same.
missing_elsewhere() {
	contained -e LD_PRELOAD="$top/lib/libprofil.so" -- programs/old profil
	grep -q 'ENOENT): the module is loaded: start this container with --device' "$work/err" ||
		return
	contained -- "$PROFIL" true
	[ $? = 125 ] &&
	grep -q 'ENOENT): the module is loaded: start this container with --device' "$work/err"
}

# A bind mount makes the node visible, and the device cgroup of root's containers forbids it.
forbidden() {
	contained_by root -v /dev/profil:/dev/profil -- "$PROFIL" info
	says 'EPERM): the device policy of this container forbids it: start it with --device' $? &&
	contained_by root --device /dev/profil -- "$PROFIL" info
}

another_file() {
	contained -v /dev/null:/dev/profil -- "$PROFIL" info
	says 'ENOTTY): this file is not the device of the module' $?
}

cdi_device() {
	local created=false status

	[ -d /etc/cdi ] || created=true
	mkdir -p /etc/cdi && mount -t tmpfs none /etc/cdi && cp "$cdi" /etc/cdi &&
	contained_by root --device profil/device=profil -- "$PROFIL" info &&
	contained --device profil/device=profil -- "$PROFIL" info &&
	grep -q '^profile  *can be started' "$work/out"
	status=$?
	umount /etc/cdi
	! $created || rmdir /etc/cdi
	return $status
}

ktap_print_header
need_root_and_device
for program in podman newuidmap; do
	type -P "$program" >/dev/null || skip_all "no $program"
done
uninterrupted
chown -R nobody:nogroup "$state" || exit 1
mkdir "$state/images/root" "$state/run/root"
ktap_set_plan 14
check "profil info" ready
check "profil(2)" itself
check "profil COMMAND" runs
check "profil -p PID" running
check "profil info, with the least permissions" ready "${restricted[@]}"
check "profil(2), with the least permissions" itself "${restricted[@]}"
check "profil COMMAND, with the least permissions" runs "${restricted[@]}"
check "profil -p PID, with the least permissions" running "${restricted[@]}"
check "profil -p PID of another user: needs CAP_SYS_PTRACE" other_user_needs_ptrace
check "no device: profil info names the option" missing
check "no device: so do the library and the command" missing_elsewhere
check "a volume instead of a device: profil info names the option" forbidden
check "another file: profil info says so" another_file
check "CDI: profil/device=profil" cdi_device
ktap_finished
