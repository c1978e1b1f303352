#!/usr/bin/env bash
# Keeps a stack's inventory in a branch of its own, since a runner forgets its files: `inventory.sh get` fetches it, `put` pushes it.
# Run in a clone. STACK is the Stack's folder (default: .), SVC_INVENTORY_BRANCH the branch (default: svc-inventory).
set -euo pipefail

stack=${STACK:-.}
branch=${SVC_INVENTORY_BRANCH:-svc-inventory}
seen=refs/svc/inventory

get() {
  local code=0
  git ls-remote --exit-code --heads origin "refs/heads/$branch" >/dev/null || code=$?
  case $code in
    0) ;;
    2) git update-ref -d "$seen"; return 0 ;; # the first run: there is none yet
    *) exit "$code" ;;
  esac
  git fetch --quiet --depth 1 origin "+refs/heads/$branch:$seen"
  git archive "$seen" | tar -x -C "$stack"
}

put() {
  local tree parent commit folder
  folder=$(cd "$stack" && pwd)
  index=$(mktemp -u)
  trap 'rm -f "$index"' EXIT
  in_stack() {
    GIT_DIR=$(git rev-parse --absolute-git-dir) GIT_WORK_TREE=$folder GIT_INDEX_FILE=$index git -C "$folder" "$@"
  }
  # Nothing was ever applied where there is no inventory.
  compgen -G "$folder/.svc/*.inventory.json" >/dev/null || return 0
  in_stack add --force -- '.svc/*.inventory.json'
  tree=$(in_stack write-tree)
  parent=$(git rev-parse --verify --quiet "$seen" || true)
  if [ -n "$parent" ] && [ "$(git rev-parse "$parent^{tree}")" = "$tree" ]; then return 0; fi
  export GIT_AUTHOR_NAME=${GIT_AUTHOR_NAME:-svc} GIT_AUTHOR_EMAIL=${GIT_AUTHOR_EMAIL:-svc@localhost}
  export GIT_COMMITTER_NAME=$GIT_AUTHOR_NAME GIT_COMMITTER_EMAIL=$GIT_AUTHOR_EMAIL
  commit=$(git commit-tree "$tree" ${parent:+-p "$parent"} -m "Inventory after $(git rev-parse HEAD)")
  # Not forced: a push that another run overtook is refused.
  git push --quiet origin "$commit:refs/heads/$branch"
  git update-ref "$seen" "$commit"
}

case ${1:-} in
  get) get ;;
  put) put ;;
  *)
    echo "usage: inventory.sh get|put" >&2
    exit 64
    ;;
esac
