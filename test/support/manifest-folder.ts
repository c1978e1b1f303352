// A folder of manifests for each test of a file, and what loading it returns.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect } from "vitest";
import { loadStack, type LoadOptions } from "../../reconciler/manifest/load.ts";
import type { ResolveResult } from "../../reconciler/model/index.ts";
import { noGrants } from "../../reconciler/operator/grants.ts";
import { kinds } from "../../resources/index.ts";

/** Returns the text of the Stack document `demo`. */
export function stack(spec = ""): string {
  return `apiVersion: svc/v1\nkind: Stack\nmetadata: { name: demo }\n${spec === "" ? "" : `spec:\n${spec}`}`;
}

/** Returns the document of a group. */
export function group(name: string): string {
  return `apiVersion: svc/v1\nkind: UserGroup\nmetadata: { name: ${name} }\nspec: { name: ${name} }\n`;
}

/** A folder that is empty before each test and removed after it. */
export interface ManifestFolder {
  readonly folder: () => string;
  readonly write: (files: Readonly<Record<string, string>>) => Promise<void>;
  readonly load: (options?: Partial<LoadOptions>) => Promise<ResolveResult>;
  /** Loads a stack with errors and returns them, each as one line. */
  readonly messages: (options?: Partial<LoadOptions>) => Promise<readonly string[]>;
}

/** Makes the folder of the tests of a file. */
export function useManifestFolder(): ManifestFolder {
  let folder = "";
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "manifests-"));
  });
  afterEach(() => rm(folder, { recursive: true }));
  const load: ManifestFolder["load"] = (options = {}) => {
    const caller = { variables: {}, grants: noGrants, env: {} };
    return loadStack({ paths: [], cwd: folder, kinds, ...caller, ...options });
  };
  return {
    folder: () => folder,
    write: async (files) => {
      for (const [name, text] of Object.entries(files)) {
        const file = path.join(folder, name);
        await mkdir(path.dirname(file), { recursive: true });
        await writeFile(file, text);
      }
    },
    load,
    messages: async (options) => {
      const { desired, diagnostics } = await load(options);
      expect(desired).toBeUndefined();
      return diagnostics.map(({ code, place, path: at, summary, remedy }) => {
        const where = place === undefined ? "" : `${place.file}:${place.line}:${place.column} `;
        return [
          `${where}${code} ${at ?? "-"}`,
          summary,
          ...(remedy === undefined ? [] : [remedy]),
        ].join(" | ");
      });
    },
  };
}
