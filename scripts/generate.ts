// Writes what is made from declarations: schemas/, docs/reference/, SDKs and builders. With `--check` it writes nothing
// and fails when a file is not what it would be.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { operations } from "../api/index.ts";
import { openapi } from "../api/openapi.ts";
import { documentSchema, manifestSchema } from "../core/json-schema.ts";
import type { JsonObject } from "../core/json.ts";
import { kebabCase } from "../core/names.ts";
import { packageSchema } from "../provider/pulumi/schema.ts";
import { grantsSchema } from "../reconciler/caller/grants-file.ts";
import { controllerSchema } from "../reconciler/gitops/config-schema.ts";
import { controllerEventSchema } from "../reconciler/gitops/events.ts";
import { stackSchema } from "../reconciler/manifest/stack.ts";
import { policyFileSchema } from "../reconciler/policy/file.ts";
import { pipelineSchema } from "../reconciler/promote/pipeline.ts";
import { promotionReportSchema } from "../reconciler/promote/report-schema.ts";
import { failureSchema } from "../reconciler/report/failure-schema.ts";
import { answersSchema } from "../reconciler/report/answers-schema.ts";
import { progressSchema } from "../reconciler/report/progress-schema.ts";
import { reportSchema } from "../reconciler/report/schema.ts";
import { components, kinds } from "../resources/index.ts";
import { cdks, constructsFor } from "./cdk-constructs.ts";
import { buildersText, lifecycleText } from "./manifest-builders.ts";
import { sdkFiles } from "./pulumi-sdk.ts";
import { schemasOf } from "../provider/terraform/schema.ts";
import { exampleText } from "./terraform-example.ts";
import { terraformPages } from "./terraform-docs.ts";
import { indexPage, kindPage, operationsPage, proposedPage } from "./reference.ts";

const root = join(import.meta.dirname, "..");
const sdk = "provider/pulumi/sdk";
const terraform = ["", "/resources", "/data-sources", "/ephemeral-resources", "/functions"].map(
  (name) => `docs/terraform${name}`,
);
const constructs = cdks.map((library) => `provider/${library}/sdk`);
const builders = "provider/manifests/sdk";
const folders = [
  "schemas",
  ...constructs,
  builders,
  "docs/reference",
  ...terraform,
  sdk,
  `${sdk}/types`,
];
const command = "npm run generate";
const packageFile = readFileSync(join(root, "package.json"), "utf8");
const { version } = JSON.parse(packageFile) as { version: string };

function generated(): ReadonlyMap<string, string> {
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
    ["schemas/answers.json", json(answersSchema())],
    ["schemas/progress.json", json(progressSchema())],
    ["schemas/promotion.json", json(promotionReportSchema())],
    ["schemas/policy.json", json(policyFileSchema())],
    ["schemas/grants.json", json(grantsSchema())],
    ["schemas/controller.json", json(controllerSchema())],
    ["schemas/controller-event.json", json(controllerEventSchema())],
    ["schemas/openapi.json", json(openapi(operations))],
    ["schemas/pulumi.json", json(pulumi)],
    ...[...sdkFiles(pulumi)].map(([name, text]) => [`${sdk}/${name}`, text]),
    ["schemas/terraform.json", json(plainJson(schemasOf(kinds)))],
    ...terraformPages(version),
    ["examples/terraform/main.tf", exampleText(join(root, "examples", "quickstart"), version)],
    ...cdks.map((library) => [
      `provider/${library}/sdk/index.ts`,
      constructsFor(library, schemasOf(kinds), version),
    ]),
    [`${builders}/index.ts`, buildersText(kinds)],
    [`${builders}/lifecycle.ts`, lifecycleText(kinds)],
    ...kinds.map((kind) => [`docs/reference/${kebabCase(kind.name)}.md`, kindPage(kind)]),
    ["docs/reference/README.md", indexPage(kinds)],
    ["docs/reference/operations.md", operationsPage(operations)],
    ["docs/reference/proposed.md", proposedPage(operations)],
  ] as [string, string][]);
}

/** As JSON has it, without members that are undefined. */
function plainJson(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}

/** Files in the generated folders that nothing makes any more. */
function leftOver(wanted: ReadonlyMap<string, string>): readonly string[] {
  return folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => `${folder}/${name}`),
    )
    .filter((path) => !wanted.has(path));
}

function isStale(path: string, text: string): boolean {
  const file = join(root, path);
  return !existsSync(file) || readFileSync(file, "utf8") !== text;
}

const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } });
const wanted = generated();
const stale = [...wanted].filter(([path, text]) => isStale(path, text));
const surplus = leftOver(wanted);

if (!values.check) {
  for (const [path, text] of stale) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  for (const path of surplus) rmSync(join(root, path));
  console.log(`${stale.length} written, ${surplus.length} removed, ${wanted.size} in all`);
} else if (stale.length + surplus.length > 0) {
  for (const [path] of stale) console.error(`stale: ${path}`);
  for (const path of surplus) console.error(`not generated: ${path}`);
  console.error(`Run: ${command}`);
  process.exitCode = 1;
}
