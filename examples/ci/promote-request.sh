#!/usr/bin/env bash
# Opens a pull request for every version that waits for an approval: merging it approves it, `apply.sh` applies it, and
# `promote.sh` verifies and records it. A stage that changes in batches gets one pull request for each batch, after the one
# before was verified. A rollback of such a stage is a pull request too.
# PIPELINE names the Pipeline, STACK the Stack's folder (default: .), BASE the branch that is merged into (default: main).
# The name of a branch contains a hash of its change. A branch that is not merged is not requested again. Writes into REPORTS
# (default: svc-reports).
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
stack=${STACK:-.}
base=${BASE:-main}
reports=${REPORTS:-svc-reports}

mkdir -p "$reports"
"$here/inventory.sh" get
svc promote why "$PIPELINE" "$stack" --json >"$reports/why.json"
# One line for each stage that waits for an approval only, with the version, or for the request of a promotion in progress.
node -e '
  const { stages } = JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8"));
  for (const { stage, candidate, reasons } of stages) {
    const ignored = ["version-not-listed", "soaking", "mixed-versions"];
    const missing = reasons.filter(({ code }) => !ignored.includes(code));
    if (reasons.some(({ code }) => code === "needs-request")) console.log(stage);
    else if (candidate && missing.length === 1 && missing[0].code === "needs-approval") console.log(stage, candidate);
  }
' "$reports/why.json" >"$reports/waiting.txt"

request=svc/promote-request
while read -r stage version; do
  git switch --quiet --force-create "$request" "$base"
  # The merge approves the version, so the shared record contains no approval.
  svc promote run "$PIPELINE" "$stack" --write --request --to "$stage" ${version:+--version "$version"} --yes \
    --output markdown >"$reports/request.md"
  # Without a change, a merged batch is not recorded yet.
  if git diff --quiet "$base" HEAD; then continue; fi
  id=$(git diff --unified=0 "$base" HEAD | git patch-id --stable | cut -c 1-8)
  title=$(git log -1 --format=%s)
  branch=svc/promote-$stage-${title##* }-$id
  tip=$(git ls-remote --heads origin "refs/heads/$branch" | cut -f 1)
  if [ -n "$tip" ]; then
    git fetch --quiet origin "refs/heads/$branch"
    if ! git merge-base --is-ancestor FETCH_HEAD "$base"; then continue; fi
  fi
  git push --quiet --force-with-lease="refs/heads/$branch:$tip" origin "HEAD:refs/heads/$branch"
  node "$here/request.mjs" "$branch" "$base" "$title" "$reports/request.md"
done <"$reports/waiting.txt"
git switch --quiet "$base"
