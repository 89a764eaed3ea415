#!/bin/sh
# Installs what the tests of the workbench need beside Python, where this machine lets us: a browser with Chinese fonts,
# and a PostgreSQL server. Where it does not, nothing fails here, and the tests that need them say what is missing.
missing=""
command -v chromium > /dev/null || missing="$missing chromium fonts-noto-cjk"
command -v initdb > /dev/null || ls /usr/lib/postgresql/*/bin/initdb > /dev/null 2>&1 || missing="$missing postgresql"
[ -z "$missing" ] && exit 0
if ! command -v apt-get > /dev/null; then
    echo "Not installed, so some tests will be skipped:$missing"
    exit 0
fi
as_root=""
[ "$(id -u)" = 0 ] || as_root="sudo -n"
echo "Installing$missing"
log=$(mktemp)
if ! { $as_root apt-get update && DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y --no-install-recommends $missing; } > "$log" 2>&1; then
    tail -3 "$log"
    echo "Not installed, so some tests will be skipped:$missing"
fi
rm -f "$log"
exit 0
