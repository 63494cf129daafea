#!/bin/sh
# Runs a Windows program in Wine, in the Debian system in a folder, in which the project has the
# same path as outside: wine.sh <system> <project> <output> <program> [argument…]. Mounts end with
# the process, which is to be in mount and process namespaces of its own. The output goes through a
# file, because Node cannot write to what Wine makes of other outputs.

set -eu
system=$1
project=$2
output=$3
shift 3

mkdir -p "$system$project"
mount --bind "$project" "$system$project"
mount -t proc proc "$system/proc"
mount --rbind /dev "$system/dev"

export HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin WINEDEBUG=-all
code=0
chroot "$system" sh -c 'cd "$0" && exec "$@"' "$project" "$@" >"$output" 2>&1 </dev/null || code=$?
cat "$output"
exit "$code"
