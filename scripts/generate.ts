// Generates schemas/, docs/reference/, docs/terraform/, SDKs and builders from the declarations. With `--check` it writes
// nothing and fails if a file is stale.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { operations } from "../api/index.ts";
import { openapi } from "../api/openapi.ts";
import { documentSchema, manifestSchema } from "../core/json-schema.ts";
import type { JsonObject } from "../core/json.ts";
import { kebabCase } from "../core/naming.ts";
import { packageSchema } from "../provider/pulumi/schema.ts";
import { grantsSchema } from "../reconciler/policy/grants-file.ts";
import { controllerSchema } from "../controller/config-schema.ts";
import { controllerEventSchema } from "../controller/events.ts";
import { stackSchema } from "../reconciler/manifest/stack.ts";
import { policyFileSchema } from "../reconciler/policy/policy-file.ts";
import { pipelineSchema } from "../promotion/pipeline.ts";
import { promotionReportSchema } from "../promotion/report-schema.ts";
import { failureSchema } from "../reconciler/report/failure-schema.ts";
import { commandOutputSchema } from "../reconciler/report/command-output-schema.ts";
import { progressSchema } from "../reconciler/report/progress-schema.ts";
import { reportSchema } from "../reconciler/report/schema.ts";
import { components, kinds } from "../resources/index.ts";
import { cdkLibraries, constructsFor } from "./cdk-constructs.ts";
import { buildersText, lifecycleText } from "./manifest-builders.ts";
import { sdkFiles } from "./pulumi-sdk.ts";
import { schemasOf } from "../provider/terraform/schema.ts";
import { exampleText } from "./terraform-example.ts";
import { terraformPages } from "./terraform-docs.ts";
import { indexPage, kindPage, operationsPage, proposedPage } from "./reference-docs.ts";

const root = join(import.meta.dirname, "..");
const pulumiSdkFolder = "provider/pulumi/sdk";
const terraformDocsFolders = [
  "",
  "/resources",
  "/data-sources",
  "/ephemeral-resources",
  "/functions",
].map((name) => `docs/terraform${name}`);
const cdkFolders = cdkLibraries.map((library) => `provider/${library}/sdk`);
const manifestsSdkFolder = "provider/manifests/sdk";
const folders = [
  "schemas",
  ...cdkFolders,
  manifestsSdkFolder,
  "docs/reference",
  ...terraformDocsFolders,
  pulumiSdkFolder,
  `${pulumiSdkFolder}/types`,
];
const command = "npm run generate";
const packageFile = readFileSync(join(root, "package.json"), "utf8");
const { version } = JSON.parse(packageFile) as { version: string };

function generatedFiles(): ReadonlyMap<string, string> {
  const json = (value: JsonObject): string => `${JSON.stringify(value, undefined, 2)}\n`;
  const pulumi = packageSchema({ kinds, components }, version);
  return new Map([
    ...kinds.map((kind) => [`schemas/${kebabCase(kind.name)}.json`, json(documentSchema(kind))]),
    [
      "schemas/manifest.json",
      json(manifestSchema(kinds, { Stack: stackSchema, Pipeline: pipelineSchema })),
    ],
    ["schemas/report.json", json(reportSchema())],
    ["schemas/failure.json", json(failureSchema())],
    ["schemas/command-output.json", json(commandOutputSchema())],
    ["schemas/progress.json", json(progressSchema())],
    ["schemas/promotion.json", json(promotionReportSchema())],
    ["schemas/policy.json", json(policyFileSchema())],
    ["schemas/grants.json", json(grantsSchema())],
    ["schemas/controller.json", json(controllerSchema())],
    ["schemas/controller-event.json", json(controllerEventSchema())],
    ["schemas/openapi.json", json(openapi(operations))],
    ["schemas/pulumi.json", json(pulumi)],
    ...[...sdkFiles(pulumi)].map(([name, text]) => [`${pulumiSdkFolder}/${name}`, text]),
    ["schemas/terraform.json", json(plainJson(schemasOf(kinds)))],
    ...terraformPages(version),
    ["examples/terraform/main.tf", exampleText(join(root, "examples", "quickstart"), version)],
    ...cdkLibraries.map((library) => [
      `provider/${library}/sdk/index.ts`,
      constructsFor(library, schemasOf(kinds), version),
    ]),
    [`${manifestsSdkFolder}/index.ts`, buildersText(kinds)],
    [`${manifestsSdkFolder}/lifecycle.ts`, lifecycleText(kinds)],
    ...kinds.map((kind) => [`docs/reference/${kebabCase(kind.name)}.md`, kindPage(kind)]),
    ["docs/reference/README.md", indexPage(kinds)],
    ["docs/reference/operations.md", operationsPage(operations)],
    ["docs/reference/proposed.md", proposedPage(operations)],
  ] as [string, string][]);
}

/** Returns the value as JSON, without undefined members. */
function plainJson(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}

/** Returns files in the generated folders that are no longer generated. */
function orphanedFiles(wanted: ReadonlyMap<string, string>): readonly string[] {
  return folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => `${folder}/${name}`),
    )
    .filter((path) => !wanted.has(path) && !isHandWritten(path));
}

/** Returns whether a page of the reference has no header of a generated one. */
function isHandWritten(path: string): boolean {
  if (!path.startsWith("docs/reference/")) return false;
  return !readFileSync(join(root, path), "utf8").startsWith("<!-- Generated");
}

function isStale(path: string, text: string): boolean {
  const file = join(root, path);
  return !existsSync(file) || readFileSync(file, "utf8") !== text;
}

const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } });
const wanted = generatedFiles();
const stale = [...wanted].filter(([path, text]) => isStale(path, text));
const orphaned = orphanedFiles(wanted);

if (!values.check) {
  for (const [path, text] of stale) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  for (const path of orphaned) rmSync(join(root, path));
  console.log(`${stale.length} written, ${orphaned.length} removed, ${wanted.size} in all`);
} else if (stale.length + orphaned.length > 0) {
  for (const [path] of stale) console.error(`stale: ${path}`);
  for (const path of orphaned) console.error(`not generated: ${path}`);
  console.error(`Run: ${command}`);
  process.exitCode = 1;
}
