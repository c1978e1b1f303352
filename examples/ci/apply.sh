#!/usr/bin/env bash
# Applies the stack after a merge, and keeps the inventory even if it fails. Deletes and replaces only within the Stack's limits.
# Writes apply.md and apply.json into REPORTS (default: svc-reports). Exits with the code of `svc apply`.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
stack=${STACK:-.}
reports=${REPORTS:-svc-reports}

mkdir -p "$reports"
"$here/inventory.sh" get
code=0
svc apply "$stack" --yes --policy "${SVC_POLICY:-recommended}" --fail-on "${SVC_FAIL_ON:-error}" \
  --output markdown --json-into "$reports/apply.json" >"$reports/apply.md" || code=$?
"$here/inventory.sh" put
exit "$code"
