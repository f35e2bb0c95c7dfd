# SPDX-License-Identifier: Apache-2.0
#
# For the scripts beside it: says what failed, and keeps for their exit that something did.
failures=0
failed() {
  echo "FAILED: $1" >&2
  failures=1
}
