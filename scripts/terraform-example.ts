// Converts the quickstart's manifests to a Terraform configuration.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { globSync } from "tinyglobby";
import { parseAllDocuments } from "yaml";
import { valueAt } from "../core/pointer.ts";
import { readProjectTexts } from "../reconciler/manifest/project-files.ts";
import type { JsonObject } from "../core/json.ts";
import { publication } from "../core/publication.ts";
import { type ManifestDoc, resourceText } from "./hcl.ts";

interface ParsedDocument {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: JsonObject;
}

/** Returns the configuration equivalent to the manifests in `folder`. Stack variables become local values. */
export function exampleText(folder: string, version: string): string {
  const all = globSync("*.yaml", { cwd: folder })
    .toSorted()
    .flatMap((name) => parseAllDocuments(readFileSync(join(folder, name), "utf8")))
    .map((document) => document.toJS() as ParsedDocument);
  const variables = all.find(({ kind }) => kind === "Stack")?.spec["variables"] ?? {};
  const documents = all
    .filter(({ kind }) => kind !== "Stack")
    .map(({ kind, metadata: { name }, spec }): ManifestDoc => ({
      kind,
      name,
      spec: withFiles(spec, folder),
    }));
  const resources = documents.map((doc) => resourceText(doc, documents));
  return [requiredProvidersText(version), localsText(variables as JsonObject), ...resources]
    .join("\n")
    .replace(/\$\$\{(\w+)\}/g, "${local.$1}");
}

function requiredProvidersText(version: string): string {
  return `# The objects of examples/quickstart, generated from its manifests by \`npm run generate\`.
terraform {
  required_providers {
    svc = {
      source  = "${publication.terraformSource}"
      version = "${version}"
    }
  }
}

# The address and the key come from SVC_API_URL and SVC_API_KEY.
provider "svc" {}
`;
}

function localsText(variables: JsonObject): string {
  const lines = Object.entries(variables).map(
    ([name, value]) => `  ${name} = ${JSON.stringify(value)}`,
  );
  return `locals {\n${lines.join("\n")}\n}\n`;
}

/** Replaces `valueFrom: { folder }` by the files of the folder. */
function withFiles(spec: JsonObject, stack: string): JsonObject {
  const source = valueAt(spec, ["files", "valueFrom", "folder"]);
  return typeof source === "string"
    ? { ...spec, files: readProjectTexts(join(stack, source)) }
    : spec;
}
