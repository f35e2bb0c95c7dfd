#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
#   statistics.sh ROOT
# docs/statistics.md names every reason of a miss that is printed.
set -euo pipefail
root=$1
. "$(dirname "$0")/failures.sh"

reasons=$(sed -n '/^const char\* to_string(miss/,/^}/s/.*case miss::.*//; /^const char\* to_string(miss/,/^}/s/^      return "\(.*\)";/\1/p' "$root/runtime/src/stats.cpp")
[ -n "$reasons" ] || failed "no reasons were found"
while IFS= read -r reason; do
  grep "^| \`" "$root/docs/statistics.md" | cut -d'|' -f2 | grep -qF "\`$reason\`" || failed "docs/statistics.md has no row for the miss '$reason'"
done <<<"$reasons"
exit "$failures"
