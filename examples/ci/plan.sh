#!/usr/bin/env bash
# Plans the stacks below STACK for a pull request: writes plan.md, the comment, and plan.json into REPORTS (default: svc-reports).
# Ends with 0 also where there are changes, and with 1 where the plan has errors or breaks a policy. Writes nothing on the server.
# With BASE, a commit, plans only stacks that the commits since changed, in their folders or in what they share.
# SVC_POLICY is a file of policies (default: recommended), SVC_FAIL_ON a severity (default: error).
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
reports=${REPORTS:-svc-reports}

mkdir -p "$reports"
"$here/inventory.sh" get
svc stacks "${STACK:-.}" ${BASE:+--changed-since "$BASE"} >"$reports/stacks.txt"
mapfile -t stacks < <(grep . "$reports/stacks.txt" || true)
if [ "${#stacks[@]}" -eq 0 ]; then
  echo "no stack changed"
  exit 0
fi
code=0
svc plan "${stacks[@]}" --policy "${SVC_POLICY:-recommended}" --fail-on "${SVC_FAIL_ON:-error}" \
  --output markdown --json-into "$reports/plan.json" >"$reports/plan.md" || code=$?
case $code in
  0 | 2) exit 0 ;;
  *) exit "$code" ;;
esac
