// Generates schemas/, docs/reference/ and the SDKs from the declarations. With `--check` it writes nothing, and
// fails if a file is stale or if generating the SDKs twice gives different files.
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { operations } from "../api/index.ts";
import { openapi } from "../api/openapi.ts";
import {
  componentBodies,
  componentDocumentSchema,
  documentSchema,
  manifestSchema,
} from "../core/kind/json-schema.ts";
import type { JsonObject } from "../core/json.ts";
import { kebabCase, snakeCase } from "../core/text/naming.ts";
import { packageSchema } from "../provider/pulumi/schema.ts";
import { grantsSchema } from "../reconciler/policy/grants-file.ts";
import { controllerSchema } from "../controller/config-schema.ts";
import { controllerEventSchema } from "../controller/events.ts";
import { policyFileSchema } from "../reconciler/policy/policy-file.ts";
import { promotionReportSchema } from "../promotion/report-schema.ts";
import { failureSchema } from "../reconciler/report/failure-schema.ts";
import { commandOutputSchema } from "../reconciler/report/command-output-schema.ts";
import { progressSchema } from "../reconciler/report/progress-schema.ts";
import { reportSchema } from "../reconciler/report/schema.ts";
import { components, kinds } from "../resources/index.ts";
import { environmentOperations } from "../api/data-plane.ts";
import { areas } from "../cli/areas/index.ts";
import { wholeProgram } from "../cli/program.ts";
import { coveragePage } from "./coverage-page.ts";
import { linesJson } from "./lines-json.ts";
import { documentSchemas } from "./document-schemas.ts";
import { helpTopics } from "./help-topics.ts";
import { commandPages } from "./command-pages.ts";
import { sdkTexts, writeSdks } from "./sdk-files.ts";
import { schemasOf } from "../provider/terraform/schema.ts";
import { exampleText } from "./terraform-example.ts";
import { modulesFolder, terraformModules } from "./terraform-modules.ts";
import { operationsPage, proposedPage } from "./operation-pages.ts";
import { chartsPage } from "./charts-page.ts";
import { modelConstructsPage } from "./model-constructs.ts";
import { permissionsPage } from "./permissions-page.ts";
import { componentPage, indexPage, kindPage } from "./reference-docs.ts";

const root = join(import.meta.dirname, "..");
const moduleFolders = components.map(({ name }) => `${modulesFolder}/${snakeCase(name)}`);
const folders = ["schemas", "docs/reference", "docs/reference/cli", ...moduleFolders];
const packageFile = readFileSync(join(root, "package.json"), "utf8");
const { version } = JSON.parse(packageFile) as { version: string };

const program = await wholeProgram(version);
const constructsPage = await modelConstructsPage();
const areaCommands = await Promise.all(areas.map(({ load }) => load()));

/** Returns the files that Git keeps: users link to them. */
function publishedTexts(): ReadonlyMap<string, string> {
  const json = (value: JsonObject): string => `${JSON.stringify(value, undefined, 2)}\n`;
  const lines = (value: JsonObject): string => `${linesJson(value, 4)}\n`;
  return new Map([
    ...kinds.map((kind) => [`schemas/${kebabCase(kind.name)}.json`, json(documentSchema(kind))]),
    ...components.map((one) => [
      `schemas/${kebabCase(one.name)}.json`,
      json(componentDocumentSchema(one)),
    ]),
    [
      "schemas/manifest.json",
      lines(
        manifestSchema(kinds, {
          ...componentBodies(components),
          ...documentSchemas,
        }),
      ),
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
    ["schemas/openapi.json", lines(openapi(operations))],
    ["schemas/pulumi.json", lines(packageSchema({ kinds, components }, version))],
    ["schemas/terraform.json", lines(plainJson(schemasOf(kinds)))],
    ...terraformModules(version),
    ["examples/terraform/main.tf", exampleText(join(root, "examples", "quickstart"), version)],
    ...kinds.map((kind) => [`docs/reference/${kebabCase(kind.name)}.md`, kindPage(kind)]),
    ...components.map((one) => [`docs/reference/${kebabCase(one.name)}.md`, componentPage(one)]),
    ["docs/reference/README.md", indexPage(kinds, components)],
    ["docs/reference/coverage.md", coveragePage([...operations, ...environmentOperations])],
    ["cli/shared/help/topics.json", helpTopics(root)],
    ...commandPages(program, areaCommands),
    ["docs/reference/operations.md", operationsPage(operations)],
    ["docs/reference/proposed.md", proposedPage(operations)],
    ["docs/reference/charts.md", chartsPage()],
    ["docs/reference/unsupported-declarations.md", constructsPage],
    ["docs/reference/permissions.md", permissionsPage(operations)],
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

/** Returns whether a page of the reference lacks the header of generated pages. */
function isHandWritten(path: string): boolean {
  if (!path.startsWith("docs/reference/")) return false;
  return !readFileSync(join(root, path), "utf8").startsWith("<!-- Generated");
}

function isStale(path: string, text: string): boolean {
  const file = join(root, path);
  return !existsSync(file) || readFileSync(file, "utf8") !== text;
}

/** Returns the files of the SDKs that a second process writes differently, in another time zone and language. */
function unstableSdkFiles(texts: ReadonlyMap<string, string>): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), "svc-sdks-"));
  try {
    const script = join(import.meta.dirname, "generate-sdks.ts");
    const env = { ...process.env, TZ: "Pacific/Chatham", LC_ALL: "tr_TR.UTF-8" };
    const run = spawnSync(process.execPath, [script, folder], { env, encoding: "utf8" });
    if (run.status !== 0) throw new Error(`${run.stderr}${run.error?.message ?? ""}`);
    return [...texts].flatMap(([path, text]) => {
      const file = join(folder, path);
      return existsSync(file) && readFileSync(file, "utf8") === text ? [] : [path];
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } });
const published = publishedTexts();
const sdks = sdkTexts(version);
const stale = [...published].filter(([path, text]) => isStale(path, text));
const orphaned = orphanedFiles(published);

if (!values.check) {
  for (const [path, text] of stale) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  for (const path of orphaned) rmSync(join(root, path));
  writeSdks(root, sdks);
  console.log(
    `${stale.length} of ${published.size} written, ${orphaned.length} removed; ${sdks.size} files of SDKs`,
  );
} else {
  const problems = [
    ...stale.map(([path]) => `stale: ${path}`),
    ...orphaned.map((path) => `not generated: ${path}`),
    ...[...sdks].filter((entry) => isStale(...entry)).map(([path]) => `stale: ${path}`),
  ];
  const unstable = unstableSdkFiles(sdks).map((path) => `differs when generated again: ${path}`);
  for (const line of [...problems, ...unstable]) console.error(line);
  if (problems.length > 0) console.error("Run: npm run generate");
  process.exitCode = problems.length + unstable.length > 0 ? 1 : 0;
}
