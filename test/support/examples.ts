// The examples of resource types as tests apply them. A connection to a Git remote reads it, so that a Git server of this
// process replaces the host of the examples.
import { basename } from "node:path";
import type { Example } from "../../core/kind/example.ts";
import type { Kind } from "../../core/kind/kind.ts";
import { gitConnection } from "../../resources/git-connection.ts";
import { createRemote, remotesFolder } from "./git-remotes.ts";
import { gitServer } from "./git-server.ts";

const tokens = gitConnection.examples.flatMap(({ spec, variations }) =>
  [spec["token"], variations["token"]].map(String),
);
// It does not keep the process alive.
const { url, server } = await gitServer(remotesFolder, ...tokens);
server.unref();

const remotes = new Map<string, string>();

/** The repository that each example gets a copy of: its branches have the folders of the examples, and one commit in common. */
const origin = createRemote();
const folders = ["analytics", "reporting"];
const commit = origin.commit(
  Object.fromEntries(folders.map((folder) => [`${folder}/model/cubes/empty.yml`, "cubes: []\n"])),
  "Begin",
);
for (const branch of ["main", "release"])
  origin.commit({ [`${folders[0]}/model/cubes/more.yml`]: "cubes: []\n" }, "Continue", branch);

/** Returns the URL of the repository that replaces one of an example. */
function localRemote(address: string): string {
  const known = remotes.get(address);
  if (known !== undefined) return known;
  const remote = createRemote();
  remote.git("fetch", "--quiet", origin.path, "refs/heads/*:refs/heads/*");
  const local = `${url}/${basename(remote.path)}`;
  remotes.set(address, local);
  return local;
}

const known = new Map<Kind, readonly Example[]>();

/** Returns the examples of a resource type. */
export function examplesOf(kind: Kind): readonly Example[] {
  if (kind !== gitConnection) return kind.examples;
  const found = known.get(kind);
  if (found !== undefined) return found;
  const text = JSON.stringify(kind.examples)
    .replaceAll(/https:\/\/git\.example\.com\/[^"]+/g, localRemote)
    .replaceAll(/\b[0-9a-f]{40}\b/g, commit);
  const local = JSON.parse(text) as readonly Example[];
  known.set(kind, local);
  return local;
}
