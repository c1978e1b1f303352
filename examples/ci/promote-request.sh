#!/usr/bin/env bash
# Opens a pull request for every version that waits for an approval: merging it approves it, and `apply.sh` brings it in.
# PIPELINE names the Pipeline, STACK the Stack's folder (default: .), BASE the branch that is merged into (default: main).
# A version that was asked for once is not asked for again while its branch is there. Writes into REPORTS (default: svc-reports).
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
stack=${STACK:-.}
base=${BASE:-main}
reports=${REPORTS:-svc-reports}

mkdir -p "$reports"
"$here/inventory.sh" get
svc promote why "$PIPELINE" "$stack" --json >"$reports/why.json"
# One line for a stage that nothing but an approval is missing for: its name and the version.
node -e '
  const stages = JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8"));
  for (const { stage, candidate, reasons } of stages) {
    const missing = reasons.filter(({ code }) => code !== "version-not-listed" && code !== "soaking");
    if (candidate && missing.length === 1 && missing[0].code === "needs-approval") console.log(stage, candidate);
  }
' "$reports/why.json" >"$reports/waiting.txt"

while read -r stage version; do
  branch=svc/promote-$stage-$version
  if [ -n "$(git ls-remote --heads origin "refs/heads/$branch")" ]; then continue; fi
  git switch --quiet --create "$branch" "$base"
  # The merge approves it: the record that others read knows nothing of it.
  svc promote run "$PIPELINE" "$stack" --write --request --to "$stage" --version "$version" --by "pull request" --yes \
    --output markdown >"$reports/request.md"
  git push --quiet origin "HEAD:refs/heads/$branch"
  node "$here/request.mjs" "$branch" "$base" "Promote $stage to $version" "$reports/request.md"
  git switch --quiet "$base"
done <"$reports/waiting.txt"
