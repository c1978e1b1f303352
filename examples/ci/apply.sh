#!/usr/bin/env bash
# Applies all stacks below STACK after a merge, and keeps the inventory even if it fails: also those that an earlier run left.
# Deletes and replaces only within the limits of each Stack.
# Writes apply.md and apply.json into REPORTS (default: svc-reports). Exits with the code of `svc apply`.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
reports=${REPORTS:-svc-reports}

mkdir -p "$reports"
"$here/inventory.sh" get
svc stacks "${STACK:-.}" >"$reports/stacks.txt"
mapfile -t stacks < <(grep . "$reports/stacks.txt" || true)
if [ "${#stacks[@]}" -eq 0 ]; then
  echo "there is no stack"
  exit 1
fi
code=0
svc apply "${stacks[@]}" --yes --keep-going --policy "${SVC_POLICY:-recommended}" --fail-on "${SVC_FAIL_ON:-error}" \
  --output markdown --json-into "$reports/apply.json" >"$reports/apply.md" || code=$?
"$here/inventory.sh" put
exit "$code"
