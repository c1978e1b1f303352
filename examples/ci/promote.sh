#!/usr/bin/env bash
# Promotes versions whose soak time is over, on a schedule: writes pinned versions into the manifests, one commit a batch,
# and pushes them after their record, so that a failure remains recorded.
# PIPELINE names the Pipeline, STACK the Stack's folder (default: .). With PROMOTE=direct it applies immediately instead.
# Writes promote.md and promote.json into REPORTS (default: svc-reports). Exits with the code of `svc promote`,
# but with 0 if a stage waits for an approval or a pull request, for which promote-request.sh asks. What was merged is
# verified and recorded here, and a version that fails is 1 in every run until it passes, is replaced, or the stage is held.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
stack=${STACK:-.}
reports=${REPORTS:-svc-reports}
how=(--write)
if [ "${PROMOTE:-write}" = direct ]; then how=(--direct); fi

mkdir -p "$reports"
"$here/inventory.sh" get
code=0
svc promote run "$PIPELINE" "$stack" "${how[@]}" --yes \
  --output markdown --json-into "$reports/promote.json" >"$reports/promote.md" || code=$?
"$here/inventory.sh" put
# 5 stands for a missing grant too, for which nothing asks a person.
if [ "$code" -eq 5 ] && node -e '
  const { stages } = JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8"));
  const has = ({ reasons }, codes) => reasons.some(({ code }) => codes.includes(code));
  const isAsked = (stage) => has(stage, ["needs-approval", "needs-request", "held"]);
  const isStuck = (stage) => !isAsked(stage) && has(stage, ["not-granted", "not-confirmed", "mixed-versions"]);
  if (stages.some(isStuck)) process.exit(1);
' "$reports/promote.json"; then code=0; fi
if [ "${PROMOTE:-write}" != direct ]; then git push --quiet origin HEAD; fi
exit "$code"
