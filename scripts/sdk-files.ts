// The generated SDKs: Pulumi's, the constructs of the CDK libraries, and the builders for manifests. Git does not keep them.
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { packageSchema } from "../provider/pulumi/schema.ts";
import { schemasOf } from "../provider/terraform/schema.ts";
import { components, kinds } from "../resources/index.ts";
import { componentClasses } from "./cdk-components.ts";
import { cdkLibraries, constructsFor } from "./cdk-constructs.ts";
import { documentSchemas } from "./document-schemas.ts";
import { buildersText } from "./manifest-builders.ts";
import { sdkFiles } from "./pulumi-sdk.ts";

const folders = ["pulumi", "manifests", ...cdkLibraries].map((name) => `provider/${name}/sdk`);

/** Returns the text of each file of the SDKs, by its path in the repository. */
export function sdkTexts(version: string): ReadonlyMap<string, string> {
  const pulumi = sdkFiles(packageSchema({ kinds, components }, version));
  const schemas = schemasOf(kinds);
  const classes = componentClasses(components);
  return new Map([
    ...[...pulumi].map(([name, text]): [string, string] => [`provider/pulumi/sdk/${name}`, text]),
    ...cdkLibraries.map((library): [string, string] => [
      `provider/${library}/sdk/index.ts`,
      constructsFor(library, schemas, { version, components: classes }),
    ]),
    ["provider/manifests/sdk/index.ts", buildersText({ kinds, components }, documentSchemas)],
  ]);
}

/**
 * Writes the SDKs below a folder and removes their obsolete files. Writes each file even if it is unchanged, because
 * its time shows when it was generated. Renames complete files, so that a concurrent reader never sees a partial file.
 */
export function writeSdks(root: string, texts: ReadonlyMap<string, string>): void {
  for (const [path, text] of texts) {
    const file = join(root, path);
    const fresh = `${file}.${process.pid}.tmp`;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(fresh, text);
    renameSync(fresh, file);
  }
  for (const folder of folders) {
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      const file = join(entry.parentPath, entry.name);
      if (entry.isFile() && file.endsWith(".ts") && !texts.has(relative(root, file))) rmSync(file);
    }
  }
}
