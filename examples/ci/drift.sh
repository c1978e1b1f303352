#!/usr/bin/env bash
# Looks for drift of the stacks below STACK on a schedule: writes drift.md and drift.json into REPORTS (default: svc-reports).
# Exits with 2 if the server was changed, so that the job fails. Writes nothing on the server.
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
svc drift "${stacks[@]}" --output markdown --json-into "$reports/drift.json" >"$reports/drift.md" || code=$?
exit "$code"
