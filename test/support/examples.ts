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

/** Returns the URL of the repository that replaces one of an example. Both have the branches and folders of the examples. */
function localRemote(address: string): string {
  const known = remotes.get(address);
  if (known !== undefined) return known;
  const remote = createRemote();
  const model = "cubes: []\n";
  for (const branch of ["main", "release"]) {
    const folders = ["analytics", "reporting"];
    const files = folders.map((folder) => [`${folder}/model/cubes/empty.yml`, model]);
    remote.commit(Object.fromEntries(files) as Record<string, string>, "Begin", branch);
  }
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
  const text = JSON.stringify(kind.examples).replaceAll(
    /https:\/\/git\.example\.com\/[^"]+/g,
    localRemote,
  );
  const local = JSON.parse(text) as readonly Example[];
  known.set(kind, local);
  return local;
}
