// What installing a plugin needs: the built files beside the command, written to their place whole or not at all.
import { existsSync } from "node:fs";
import { chmod, mkdir, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Failure } from "../core/errors.ts";

/** A folder of the build, such as `terraform`: beside the built command, or in the checkout's dist. Fails where `file` is not in it. */
export function builtFolder(name: string, file: string): string {
  const places = [name, `../${name}`, `../dist/${name}`, `../../dist/${name}`];
  const folder = places
    .map((place) => join(import.meta.dirname, place))
    .find((one) => existsSync(join(one, file)));
  if (folder !== undefined) return folder;
  throw new Failure("usage", "the provider is not built", { remedy: "run `npm run build` first" });
}

/** Writes a file in one step, so that an engine that starts meanwhile finds the old one or the new one. */
export async function writeWhole(
  path: string,
  content: string | Buffer,
  mode: number,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.new`, content);
  await chmod(`${path}.new`, mode);
  await rename(`${path}.new`, path);
}

/** The launcher with the Node.js that runs now: it is known to be new enough, whatever is first on PATH later. */
export function withOwnNode(launcher: string): string {
  return launcher.replace("${SVC_NODE:-node}", `\${SVC_NODE:-'${process.execPath}'}`);
}
