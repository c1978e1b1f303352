// Reads the files of a data model: hashes first, and texts only if one of them is not known.
import { type FileNode, type FileHashes, listDataModelFiles } from "../api/data-model.ts";
import { fileText } from "../core/text/file-text.ts";
import type { Reader } from "../core/kind/kind.ts";
import type { Static } from "typebox";

/** Files by path. */
export type Files = Readonly<Record<string, string>>;

/** Hashes of files by path. */
export type Hashes = Static<typeof FileHashes>;

/** Returns whether a branch has a data model. New deployments have only a README file. */
export function hasModel(paths: readonly string[]): boolean {
  return paths.some((path) => !/(?:^|\/)README\.md$/u.test(path));
}

/** Returns the files of a branch. */
export async function readFiles(
  reader: Reader,
  {
    deploymentId,
    branchName,
    hashes,
  }: { readonly deploymentId: number; readonly branchName: string; readonly hashes: Hashes },
): Promise<Files> {
  const entries = Object.entries(hashes);
  const known = entries.map(([path, { hash }]) => [path, reader.knownText(hash)] as const);
  const isKnown = (one: (typeof known)[number]): one is readonly [string, string] =>
    one[1] !== undefined;
  if (known.every(isKnown)) return Object.fromEntries(known.filter(isKnown));
  const nodes = await reader.all(listDataModelFiles, {
    params: { deploymentId },
    query: { branchName, withContent: true },
  });
  return Object.fromEntries(nodes.flatMap(filesIn));
}

type Node = Static<typeof FileNode>;

function filesIn({ path, type, content = "", encoding, children = [] }: Node): [string, string][] {
  if (type === "directory") return (children as readonly Node[]).flatMap(filesIn);
  const text = encoding === "base64" ? fileText(Buffer.from(content, "base64")) : content;
  return [[path.replace(/^\//u, ""), text]];
}
