#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
#   misuse.sh PREFIX WORK
# Each wrong use of add_graphed_target stops CMake with a message that begins with its name and says what is wrong.
set -euo pipefail
prefix=$1 work=$2
source=$(dirname "$0")/misuse
. "$(dirname "$0")/common.sh"
copy_sources

failures=0
refuses() { # CASE TEXT
  if configure -DCASE="$1" >"$work/$1.log" 2>&1; then
    echo "FAILED: $1 was accepted" >&2
    failures=1
  # CMake breaks the lines of a message.
  elif ! tr -s ' \n' ' ' <"$work/$1.log" | grep -qF "add_graphed_target: $2"; then
    echo "FAILED: $1 did not say \"add_graphed_target: $2\" but:" >&2
    cat "$work/$1.log" >&2
    failures=1
  fi
}

configure -DCASE=right >"$work/right.log" 2>&1 || { cat "$work/right.log" >&2; fail "the right use was refused"; }
configure -DCASE=checked >"$work/checked.log" 2>&1 || { cat "$work/checked.log" >&2; fail "CHECKS was refused"; }
refuses no_name "the first argument must be the target's name"
refuses keyword_first "the first argument must be the target's name"
refuses bad_name "\"a/b\" is not a name for a target"
refuses no_sources "app is given no SOURCES"
refuses empty_sources "app is given no SOURCES"
refuses unknown_keyword "unknown argument: HEADERS nets.h"
refuses two_kinds "nets cannot be STATIC and SHARED"
refuses misspelt "there is no target ap. The targets of this folder: app. Make the target before this call, or give a type"
refuses misspelt_alone "there is no target ap. Make the target before this call, or give a type"
refuses kind_of_target "app is a target already, STATIC is for a new library"
refuses missing_file "there is no file absent.h in $work/source"
refuses folder "there is no file below in $work/source"
refuses outside "../nets.h is not below $work/source"
refuses absolute "/nowhere/nets.h is not below $work/source"
refuses not_cpp "CMakeLists.txt is neither a C++ header nor a C++ source"
refuses twice "nets.h is named twice"
refuses twice_apart "nets.graphed.h would be written twice, the second time from nets.h"
refuses same_stem "nets.graphed.h would be written twice, the second time from nets.cpp"
refuses alias "other is an alias, name the target itself: app"
refuses imported "far is an imported target"
refuses interface "headers is of type INTERFACE_LIBRARY, which compiles nothing"
refuses utility "custom is of type UTILITY, which compiles nothing"
refuses other_folder "deep is a target of $work/source/below, call it there"
refuses cuda "kernels.cu needs the language CUDA, which the project has not enabled"
refuses empty_checks "CHECKS is given nothing"
refuses bad_checks "\" \" cannot be in the name of a check: -graphed-host-copy graphed-host-item"
refuses no_check "CHECKS of app: 'nonsense' matches no check"
refuses no_check_to_fail "WARNINGS_AS_ERRORS of app: 'graphed-host-itm' matches no check"
refuses no_generator "there is no graphgen to run: find_package(graphgen) was asked for the component runtime alone"
refuses no_runtime "there is no runtime to link: find_package(graphgen) was asked for the component generator alone"
exit "$failures"
