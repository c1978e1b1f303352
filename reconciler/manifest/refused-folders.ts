// Refuses folders of files that contain files of svc itself: secrets, the inventory and the Stack's manifest.
import path from "node:path";
import type { Diagnostic } from "../../core/diagnostics.ts";
import type { Stack } from "../model/index.ts";
import { nearestExisting, realPath } from "../operator/path-containment.ts";
import type { DesiredDocument } from "./document.ts";
import { isReadFrom } from "./other-files.ts";
import { diagnostic } from "./resolve-references.ts";

/** A file that must not be uploaded. */
interface OwnFile {
  /** Absolute. */
  readonly file: string;
  /** With links followed. A file that does not exist yet is read later. */
  readonly real: string;
  readonly what: string;
}

/** Reports each folder of files that contains, or will contain, a file that must not be uploaded. */
export function secretsInFolders(
  stack: Stack,
  documents: readonly DesiredDocument[],
): readonly Diagnostic[] {
  if (documents.every(({ folders = [] }) => folders.length === 0)) return [];
  const stackFiles = ownFiles(stack, documents);
  return documents.flatMap((document) =>
    (document.folders ?? []).flatMap(({ folder, path: pointer }) => {
      const realFolder = realPath(folder);
      return stackFiles.flatMap(({ file, real, what }) => {
        if (!isReadFrom(realFolder, real)) return [];
        const [inner, outer] = [file, folder].map(
          (target) => path.relative(stack.folder, target) || ".",
        );
        const summary = `the folder "${outer}" would upload ${what}, ${inner}`;
        const remedy = "Move the file, or name a folder that contains only the files to upload.";
        const detail = { code: "source-not-allowed", path: pointer, summary, remedy } as const;
        return [diagnostic(document, detail)];
      });
    }),
  );
}

function ownFiles(
  { folder, inventoryFile, namePlace }: Stack,
  documents: readonly DesiredDocument[],
): readonly OwnFile[] {
  const sinks = documents.flatMap(({ secretTo, address }) =>
    secretTo === undefined
      ? []
      : [{ file: path.resolve(folder, secretTo), what: `the secret of ${address}` }],
  );
  const manifest = namePlace && path.join(folder, path.basename(namePlace.file));
  const files = [
    ...sinks,
    { file: inventoryFile, what: "the inventory of the stack" },
    ...(manifest === undefined ? [] : [{ file: manifest, what: "the manifest of the Stack" }]),
  ];
  return files.map((entry) => {
    const existing = nearestExisting(entry.file);
    return { ...entry, real: path.join(realPath(existing), entry.file.slice(existing.length)) };
  });
}
