// Bundles the pages of web/ into static files with hashed names, each also compressed, and a manifest that names what a
// page loads. The service and the controller send these files and build nothing.
import { build } from "esbuild";
import { IntlMessageFormat } from "intl-messageformat";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { bundleEmbedScript } from "./bundle-embed.mjs";
import { withLicenses } from "./bundled-licenses.mjs";
import { root } from "./install.mjs";

/** The pages of the service by their names in the manifest, and the page of the controller. */
const pages = { viewer: "web/dashboard/main.tsx" };
const controllerPages = { controller: "web/controller/main.tsx" };
/** What runs before the other files of a page are there: a script, so that neither they nor the style sheets delay it. */
const first = "web/dashboard/state/open.ts";
/** The components that every dashboard has. */
const dashboardPage = "web/dashboard/DashboardPage.tsx";
/** What nearly every dashboard loads after its data: browsers fetch it meanwhile. */
const later = "web/dashboard/echarts/core.ts";

/** Writes `manifest.json`, `assets/` and `svc-embed.js` into a folder. */
export async function bundleWeb(outdir) {
  rmSync(outdir, { recursive: true, force: true });
  const { outputs } = await bundlePages(outdir, { first }, { format: "iife", splitting: false });
  const metafile = await bundlePages(outdir, pages, { plugins: [besidePage] });
  await bundleEmbedScript(outdir);
  const embedScript = join(outdir, "svc-embed.js");
  writeCompressed(embedScript, readFileSync(embedScript));
  writeManifest(outdir, pages, (entry) => ({
    first: nameOf(Object.keys(outputs)[0]),
    ...filesOf(metafile, entry),
  }));
}

/** Writes `manifest.json` and `assets/` of the page of the controller into a folder. */
export async function bundleControllerPage(outdir) {
  rmSync(outdir, { recursive: true, force: true });
  const metafile = await bundlePages(outdir, controllerPages);
  writeManifest(outdir, controllerPages, (entry) => filesAtOnce(metafile, entry));
}

/** Writes the files of pages into `assets/` of a folder. Returns what the bundler knows about them. */
async function bundlePages(
  outdir,
  entryPoints,
  { format = "esm", splitting = true, plugins = [] } = {},
) {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    bundle: true,
    splitting,
    minify: true,
    format,
    platform: "browser",
    target: ["chrome111", "firefox113", "safari16.4"],
    jsx: "automatic",
    jsxImportSource: "preact",
    entryPoints,
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    assetNames: "[name]-[hash]",
    loader: { ".ttf": "file", ".woff2": "file" },
    legalComments: "none",
    logLevel: "warning",
    metafile: true,
    write: false,
    // Texts are parsed here: browsers load no parser.
    alias: {
      "@formatjs/icu-messageformat-parser": "@formatjs/icu-messageformat-parser/no-parser.js",
    },
    plugins: [...plugins, parsedTexts, withLicenses(outdir)],
    outdir: join(outdir, "assets"),
  });
  mkdirSync(join(outdir, "assets"), { recursive: true });
  for (const { path, contents } of outputFiles) writeCompressed(path, contents);
  return metafile;
}

function writeManifest(outdir, entries, filesOfEntry) {
  const manifest = Object.fromEntries(
    Object.entries(entries).map(([name, entry]) => [name, filesOfEntry(entry)]),
  );
  writeFileSync(join(outdir, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** Reads the texts of a language. Those with plurals become what the formatter parses them into. */
const parsedTexts = {
  name: "parsed-texts",
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]web[/\\]ui[/\\]i18n[/\\][a-zA-Z-]+\.json$/ }, ({ path }) => {
      const texts = JSON.parse(readFileSync(path, "utf8"));
      const parse = (text) =>
        /\{\w+,/u.test(text) ? new IntlMessageFormat(text, "en-US").getAst() : text;
      const parsed = Object.entries(texts).map(([key, text]) => [key, parse(text)]);
      return { contents: JSON.stringify(Object.fromEntries(parsed)), loader: "json" };
    });
  },
};

/**
 * Has the modules that are loaded later import the components of every dashboard, which are there by then. So what they
 * share is one file. The bundler would write one for each group of modules that shares something.
 */
const besidePage = {
  name: "beside-page",
  setup({ onResolve, onLoad }) {
    const paths = new Set();
    onResolve({ filter: /^\.{1,2}\/.*\.tsx?$/ }, ({ path, resolveDir, kind }) => {
      if (kind === "dynamic-import") paths.add(join(resolveDir, path));
    });
    onLoad({ filter: /[/\\]web[/\\].*\.tsx?$/ }, ({ path }) => {
      if (!paths.has(path)) return undefined;
      const page = JSON.stringify(join(root, dashboardPage));
      const contents = `${readFileSync(path, "utf8")}\nimport ${page};`;
      return { contents, loader: path.endsWith("x") ? "tsx" : "ts" };
    });
  },
};

const nameOf = (path) => path.slice(path.lastIndexOf("/") + 1);

/** Returns the script and the style sheets of a page, and the scripts that it imports at once. */
function filesAtOnce({ outputs }, entry) {
  const { script, output, imports } = scriptsOf(outputs, entry);
  return {
    script: nameOf(script),
    imports: [...imports].map(nameOf),
    styles: output.cssBundle === undefined ? [] : [nameOf(output.cssBundle)],
  };
}

/** Returns the same of a dashboard, with its font and the scripts that it imports later. */
function filesOf({ outputs }, entry) {
  const { imports } = scriptsOf(outputs, entry);
  const font = Object.keys(outputs).find((path) => nameOf(path).startsWith("inter-latin-wght-"));
  const drawing = scriptsOf(outputs, later);
  return {
    ...filesAtOnce({ outputs }, entry),
    font: nameOf(font),
    later: [drawing.script, ...drawing.imports].filter((path) => !imports.has(path)).map(nameOf),
  };
}

/** Returns the script that is made of a source, and all that it imports at once. */
function scriptsOf(outputs, source) {
  const [script, output] = Object.entries(outputs).find(([, one]) => one.entryPoint === source);
  const found = new Set();
  const collect = ({ imports }) => {
    for (const { path, kind } of imports) {
      if (kind !== "import-statement" || found.has(path) || !(path in outputs)) continue;
      found.add(path);
      collect(outputs[path]);
    }
  };
  collect(output);
  return { script, output, imports: found };
}

function writeCompressed(path, contents) {
  writeFileSync(path, contents);
  if (/\.(?:woff2|png)$/.test(path)) return;
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };
  writeFileSync(`${path}.br`, brotliCompressSync(contents, quality));
  writeFileSync(`${path}.gz`, gzipSync(contents, { level: 9 }));
}

const [, script, folder, controllerFolder] = process.argv;
if (script === import.meta.filename && folder !== undefined) {
  await bundleWeb(folder);
  if (controllerFolder !== undefined) await bundleControllerPage(controllerFolder);
}
