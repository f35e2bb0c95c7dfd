#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
#   makefile.sh PREFIX WORK PAGE
# The Makefile of the page builds a program with nothing but what is installed, and again only what an edit calls for.
set -euo pipefail
prefix=$1 work=$2 page=$3
source=$(dirname "$0")/makefile
. "$(dirname "$0")/common.sh"
for tool in make pkg-config; do
  command -v "$tool" >/dev/null || { echo "skipped: there is no $tool"; exit 77; }
done

rm -rf "$work"
copy_sources
# The prefix may be moved: what it holds is found from where it is.
cp -r "$prefix" "$work/moved"
PKG_CONFIG_PATH=$(dirname "$(find "$work/moved" -name graphed.pc)")
export PKG_CONFIG_PATH PATH="$work/moved/bin:$PATH"
cd "$work/source"
sed -n '/^```make$/,/^```$/{//!p}' "$page" >Makefile

make CXXFLAGS="-std=c++20 -Wall -Wextra"  # not optimized, which takes its time
prints ./app "policy: equal"
make | tee second.log
grep -qF "'app' is up to date" second.log || fail "a second make ran something"

sleep 1.1
touch sizes.h
make -n >third.log
grep -qF "graphgen --out-dir graphed" third.log || fail "an edit of a header that policy.h includes does not reach graphgen"
grep -qF -- "-c main.cpp" third.log || fail "an edit of a header does not reach main.cpp"

echo 'at::Tensor policy(const at::Tensor& x) { return x.add(x.item<float>()); }' >>policy.cpp
sed -i '/return x.mul/d' policy.cpp
! make >failed.log 2>&1 || fail "a body that reads a value on the host was accepted"
grep -qE "policy.cpp:[0-9]+:[0-9]+: error: 'item' reads" failed.log || { cat failed.log >&2; fail "not the check's error"; }

# The same from compile_commands.json, which knows no generated file.
echo "[{\"directory\": \"$PWD\", \"file\": \"policy.cpp\", \"command\": \"c++ -std=c++20 -I. $(pkg-config --cflags graphed) -c policy.cpp\"}]" \
  >compile_commands.json
graphgen -p . --out-dir by-database policy.h
cmp by-database/policy.graphed.h graphed/policy.graphed.h || fail "flags from compile_commands.json give other code"
! graphgen -p . --check-definitions policy.cpp 2>failed.log || fail "the check passed by compile_commands.json"
grep -qE "policy.cpp:[0-9]+:[0-9]+: error: 'item' reads" failed.log || { cat failed.log >&2; fail "not the check's error"; }
