#!/usr/bin/env bash
# Looks for drift on a schedule: writes drift.md and drift.json into REPORTS (default: svc-reports).
# Exits with 2 if the server was changed, so that the job fails. Writes nothing on the server.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
stack=${STACK:-.}
reports=${REPORTS:-svc-reports}

mkdir -p "$reports"
"$here/inventory.sh" get
code=0
svc drift "$stack" --output markdown --json-into "$reports/drift.json" >"$reports/drift.md" || code=$?
exit "$code"
