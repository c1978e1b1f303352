// Defines which folder may import which others, and which folders may import which packages.
import type { Source } from "./source.ts";
import { resolveImport } from "./repository-files.ts";

/** The folders that each folder may import in addition to itself; "*" means all. */
const allowedImports: Readonly<Record<string, readonly string[]>> = {
  core: [],
  files: ["core"],
  git: ["core"],
  api: ["core"],
  charts: ["core"],
  resources: ["core", "api", "charts"],
  client: ["core", "files", "api"],
  "git-hosts": ["core", "client"],
  lifecycle: ["core", "api", "resources", "client"],
  service: ["core", "files", "git", "api", "charts"],
  reconciler: ["core", "files", "api", "resources", "client", "lifecycle"],
  promotion: ["core", "files", "git", "api", "resources", "client", "lifecycle", "reconciler"],
  controller: [
    "core",
    "files",
    "git",
    "git-hosts",
    "api",
    "resources",
    "client",
    "lifecycle",
    "reconciler",
    "promotion",
  ],
  web: ["core", "charts"],
  provider: ["core", "api", "resources", "client", "lifecycle", "schemas"],
  cli: [
    "core",
    "files",
    "git-hosts",
    "api",
    "resources",
    "client",
    "lifecycle",
    "reconciler",
    "promotion",
    "controller",
  ],
  examples: ["core", "resources", "reconciler", "provider"],
  scripts: ["*"],
  bench: ["*"],
  test: ["*"],
  "": ["test"],
};

/** What the page of the controller shares with its API: types alone. */
const pageTypes = "controller/api-types.ts";

/** The only commands that may import more than the rest of cli/. */
const commandExceptions: readonly { readonly path: RegExp; readonly folder: string }[] = [
  { path: /^cli\/commands\/service\.ts$/, folder: "service" },
  {
    path: /^cli\/(?:.+\/)?install(?:[.-][a-z.-]+|\/.+)?\.ts$|^cli\/(?:.+\/)?install\//,
    folder: "provider",
  },
];

/** Packages that only the named folders may load. A rule holds for `name` and `name/...`. */
const packageFolders: readonly { readonly packages: readonly string[]; readonly homes: RegExp }[] =
  [
    {
      packages: ["@pulumi/pulumi", "cdktf", "cdktn", "constructs"],
      homes: /^(?:provider|examples|test\/(?:slow\/)?(?:engines|equivalence))\//,
    },
    { packages: ["fastify", "@fastify"], homes: /^(?:service|bench|test)\// },
    {
      packages: ["kysely", "better-sqlite3"],
      homes: /^(?:service\/(?:store|jobs)|bench|test)\//,
    },
    {
      packages: ["pg"],
      homes:
        /^(?:(?:service\/(?:store|jobs|engine)|bench|test)\/|reconciler\/inventory\/postgres(?:-database)?\.ts$)/,
    },
    { packages: ["@duckdb/node-api"], homes: /^(?:service\/engine|bench|test)\// },
    {
      packages: ["vitest", "fast-check"],
      homes: /(?:\.test\.ts$)|^(?:test\/|vitest\.config\.ts$)/,
    },
  ];

/** Folders that only compute: no files, sockets or processes. */
const pureFolders = /^(?:core|api|resources)\//;
const impurePackages =
  /^(?:node:(?!crypto$|util$|assert$|buffer$)|undici$|pino$|tinyglobby$|commander$|fastify$)/;

/** Returns one line for every import of `source` that the table does not allow. */
export function importProblems(source: Source): readonly string[] {
  const problems: string[] = [];
  for (const { specifier, line } of source.imports) {
    const target = resolveImport(source.path, specifier);
    const problem =
      target === undefined ? packageProblem(source, specifier) : folderProblem(source, target);
    if (problem) problems.push(`${source.path}:${line}: ${problem}`);
  }
  return problems;
}

function folderProblem(source: Source, target: string): string | undefined {
  if (target.startsWith("..")) return `imports ${target}, outside the repository`;
  if (!target.includes("/")) return undefined;
  const to = target.slice(0, target.indexOf("/"));
  if (source.path.startsWith("test/wire/") && !["test", "service"].includes(to)) {
    return `test/wire relies on the specification alone and may not import ${target}`;
  }
  const allowed = allowedImports[source.folder];
  if (!allowed) return `${source.folder}/ is not a folder of the repository`;
  if (to === source.folder || allowed.includes("*") || allowed.includes(to)) return undefined;
  if (source.path.startsWith("web/controller/") && target === pageTypes) return undefined;
  // Unit tests may import shared helpers; the other code of the folder never does.
  if (source.isTest && target.startsWith("test/support/")) return undefined;
  if (commandExceptions.some(({ path, folder }) => folder === to && path.test(source.path)))
    return undefined;
  return `${source.folder || "the root"} may not import ${target}`;
}

function packageProblem(source: Source, specifier: string): string | undefined {
  for (const { packages, homes } of packageFolders) {
    const named = packages.some((name) => specifier === name || specifier.startsWith(`${name}/`));
    if (named && !homes.test(source.path)) return `${specifier} may not be loaded here`;
  }
  if (!source.isTest && pureFolders.test(source.path) && impurePackages.test(specifier)) {
    return `${source.folder}/ only computes and may not load ${specifier}`;
  }
  return undefined;
}
