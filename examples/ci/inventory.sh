#!/usr/bin/env bash
# Keeps a stack's inventory on its own branch, because a runner loses its files: `inventory.sh get` fetches it, `put` pushes it.
# If someone else pushed first, `put` merges both inventories and tries again. An inventory that cannot be merged is pushed
# to another branch, which the script names, and the script exits with 1. Run it in a clone. STACK is the Stack's folder
# (default: .), SVC_INVENTORY_BRANCH the branch (default: svc-inventory). Without a remote origin the files stay where they are.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
stack=${STACK:-.}
branch=${SVC_INVENTORY_BRANCH:-svc-inventory}
seen=refs/svc/inventory

has_remote() { git config --get remote.origin.url >/dev/null; }

get() {
  local code=0
  has_remote || return 0
  git ls-remote --exit-code --heads origin "refs/heads/$branch" >/dev/null || code=$?
  case $code in
    0) ;;
    2) git update-ref -d "$seen"; return 0 ;; # the first run: there is no inventory yet
    *) exit "$code" ;;
  esac
  git fetch --quiet --depth 1 origin "+refs/heads/$branch:$seen"
  git archive "$seen" | tar -x -C "$stack"
}

# Commits the inventory in the folder on top of the last one that was fetched; sets `commit`, to nothing if nothing changed.
record() {
  local tree parent
  in_stack add --force -- '.svc/*.inventory.json'
  tree=$(in_stack write-tree)
  parent=$(git rev-parse --verify --quiet "$seen" || true)
  commit=
  if [ -n "$parent" ] && [ "$(git rev-parse "$parent^{tree}")" = "$tree" ]; then return 0; fi
  commit=$(git commit-tree "$tree" ${parent:+-p "$parent"} -m "Inventory after $(git rev-parse HEAD)")
}

# Merges what others pushed meanwhile into the files in the folder; fails if they cannot be merged.
merge() {
  local base theirs file code=0
  base=$(git rev-parse --verify --quiet "$seen" || true)
  git fetch --quiet --depth 1 origin "refs/heads/$branch" || return 1
  theirs=$(git rev-parse FETCH_HEAD)
  [ "$theirs" != "$base" ] || return 1 # No other push came first: the push itself failed.
  while IFS= read -r file; do
    git show "${base:-none}:$file" >"$work/base" 2>/dev/null || : >"$work/base"
    git show "$theirs:$file" >"$work/theirs"
    if [ ! -e "$folder/$file" ] || cmp -s "$folder/$file" "$work/base"; then
      mkdir -p "$(dirname "$folder/$file")"
      cp "$work/theirs" "$folder/$file"
    elif cmp -s "$work/theirs" "$work/base" || cmp -s "$work/theirs" "$folder/$file"; then
      continue
    elif [[ $file == *@promotions.inventory.json ]]; then
      node "$here/merge-record.mjs" "$work/base" "$folder/$file" "$work/theirs" >"$work/merged" || code=1
      [ "$code" != 0 ] || cp "$work/merged" "$folder/$file"
    else
      code=1
    fi
  done < <(git ls-tree -r --name-only "$theirs")
  [ "$code" != 0 ] || git update-ref "$seen" "$theirs"
  return "$code"
}

put() {
  local commit kept
  folder=$(cd "$stack" && pwd)
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  in_stack() {
    GIT_DIR=$(git rev-parse --absolute-git-dir) GIT_WORK_TREE=$folder GIT_INDEX_FILE=$work/index git -C "$folder" "$@"
  }
  # Without an inventory, nothing was ever applied.
  compgen -G "$folder/.svc/*.inventory.json" >/dev/null || return 0
  if ! has_remote; then
    echo "inventory.sh: there is no remote origin; the inventory is in $folder/.svc only" >&2
    return 0
  fi
  export GIT_AUTHOR_NAME=${GIT_AUTHOR_NAME:-svc} GIT_AUTHOR_EMAIL=${GIT_AUTHOR_EMAIL:-svc@localhost}
  export GIT_COMMITTER_NAME=$GIT_AUTHOR_NAME GIT_COMMITTER_EMAIL=$GIT_AUTHOR_EMAIL
  for _ in 1 2 3 4 5; do
    record
    [ -n "$commit" ] || return 0
    # Not forced: the push is refused if another run pushed first.
    if git push --quiet origin "$commit:refs/heads/$branch"; then
      git update-ref "$seen" "$commit"
      return 0
    fi
    merge || break
  done
  kept=$branch-kept-$(git rev-parse --short "$commit")
  git push --quiet origin "$commit:refs/heads/$kept" || kept="$folder/.svc, because that push failed too"
  echo "inventory.sh: the inventory could not be pushed to $branch; what this run recorded is kept in $kept" >&2
  exit 1
}

case ${1:-} in
  get) get ;;
  put) put ;;
  *)
    echo "usage: inventory.sh get|put" >&2
    exit 64
    ;;
esac
