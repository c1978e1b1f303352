#!/usr/bin/env bash
# Plans the stack for a pull request: writes plan.md, the comment, and plan.json into REPORTS (default: svc-reports).
# Ends with 0 also where there are changes, and with 1 where the plan has errors or breaks a policy. Writes nothing on the server.
# SVC_POLICY is a file of policies (default: recommended), SVC_FAIL_ON a severity (default: error).
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
stack=${STACK:-.}
reports=${REPORTS:-svc-reports}

mkdir -p "$reports"
"$here/inventory.sh" get
code=0
svc plan "$stack" --policy "${SVC_POLICY:-recommended}" --fail-on "${SVC_FAIL_ON:-error}" \
  --output markdown --json-into "$reports/plan.json" >"$reports/plan.md" || code=$?
case $code in
  0 | 2) exit 0 ;;
  *) exit "$code" ;;
esac
