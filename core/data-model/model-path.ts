// Decides which paths belong to a data model. Other files, such as the workflows of a repository, are neither read nor
// written.
import { limits } from "../limits/limits.ts";
import { reservedCharacterPattern } from "../text/text-patterns.ts";

/** Folders that are never part of a data model. */
const otherFolders: ReadonlySet<string> = new Set(["node_modules", "dashboard-app"]);

/** Returns whether a folder with this name can contain files of a data model. */
export function isModelFolderName(name: string): boolean {
  return isModelFileName(name) && !otherFolders.has(name);
}

/** Returns whether a file with this name, in a folder of a data model, belongs to it: it is not hidden, or is `.gitignore`. */
export function isModelFileName(name: string): boolean {
  return !name.startsWith(".") || name === ".gitignore";
}

/** Returns whether a file belongs to a data model. Its path is relative, with `/`. */
export function belongsToModel(path: string): boolean {
  const names = path.split("/");
  const file = names.pop() ?? "";
  return names.every(isModelFolderName) && isModelFileName(file);
}

/** Names of files in YAML. */
export const yamlFile = /\.ya?ml$/i;

/** Names of files in JavaScript, which the compiler runs. */
export const scriptFile = /\.js$/i;

/** Names of files with code, of which a data model can contain those in JavaScript, and of templates. */
export const [codeFile, templateFile] = [/\.(?:[cm]?[jt]s|py)$/i, /\.(?:jinja2?|j2)$/i] as const;

const skillFile = /^agents\/skills\/(?:[^./][^/]*\/)*[^./][^/]*\.md$/i;

/** Returns whether a file is a skill of agents: Markdown under `agents/skills` that is not hidden. */
export function isSkillFile(path: string): boolean {
  return skillFile.test(path);
}

/** Returns whether the compiler reads a file: a file of the model, a skill of agents, or one that it may refuse. */
export function isCompiledFile(path: string): boolean {
  return isModelFile(path) || isSkillFile(path) || isOtherFile(path);
}

/** Folders outside the model whose files never change a data model. */
const inertFolder = /^(?:__tests__|docs?|examples?|scripts?|tests?)$/i;

/** Files outside the model that never change it: without an extension, documentation, images, binary data, configuration, types and programs of a shell. */
const inertFile = new RegExp(
  [
    "^[^.]+$",
    "\\.d\\.[cm]?ts$",
    "\\.(?:adoc|html?|mdx?|pdf|rst|txt)$",
    "\\.(?:bin|gif|ico|jpe?g|png|svg|webp)$",
    "\\.(?:cfg|hcl|ini|jsonc?|lock|properties|tf|tfvars|toml|xml)$",
    "\\.(?:bat|mk|ps1|sh|sql)$",
  ].join("|"),
  "i",
);

/** Tests, which never change a data model below the root. Other tools read code of the root, whatever its name. */
const testFile = /^(?:conftest|test_\w+|\w+_test)\.py$|\.(?:test|spec)\.[cm]?[jt]s$/i;

const readmeFile = /^readme(?:\.(?:adoc|mdx?|rst|txt))?$/i;

/**
 * Returns whether the compiler must look at a file that it does not read: it is neither a seed file nor known to change
 * nothing. In the folders of the model, only a README changes nothing. YAML may declare cubes in a folder that is not
 * read. Hidden files change nothing.
 */
export function isOtherFile(path: string): boolean {
  const names = path.split("/");
  if (names.some((name) => name.startsWith(".")) || isModelFile(path)) return false;
  if (seedTable(path) !== undefined) return false;
  const file = names.pop() ?? "";
  const [folder] = names;
  if (folder === "model" || folder === "schema") return !readmeFile.test(file);
  if (names.some((name) => inertFolder.test(name)) || inertFile.test(file)) return false;
  return folder === undefined || !testFile.test(file);
}

/** Returns whether the compiler of cubes and views reads a file: YAML, code or a template under `model` or `schema` that is not hidden. */
export function isModelFile(path: string): boolean {
  const [folder, ...rest] = path.split("/");
  const isInFolder = (folder === "model" || folder === "schema") && rest.length > 0;
  const isRead = [yamlFile, codeFile, templateFile].some((pattern) => pattern.test(path));
  return isInFolder && isRead && !rest.some((name) => name.startsWith("."));
}

const seedFile = /^seeds\/([A-Za-z_]\w*)\.(csv|parquet)$/;

/** A seed file, which a build reads as a table: `seeds/orders.csv` becomes the table `orders`. */
export interface SeedTable {
  readonly table: string;
  readonly format: "csv" | "parquet";
}

/** Returns the table of a seed file; undefined for another file. */
export function seedTable(path: string): SeedTable | undefined {
  const [, table, format] = seedFile.exec(path) ?? [];
  if (table === undefined) return undefined;
  return { table, format: format === "parquet" ? "parquet" : "csv" };
}

/** Returns whether a build depends on a file: a file that the compiler reads, or a seed file. */
export function isBuiltFile(path: string): boolean {
  return isCompiledFile(path) || seedTable(path) !== undefined;
}

/** Returns whether the compiler reads a file as YAML. */
export function isModelYaml(path: string): boolean {
  return isModelFile(path) && yamlFile.test(path);
}

/** Returns why a relative path, in Unicode normal form C, is not valid on every file system; undefined if it is. */
export function invalidPathReason(path: string): string | undefined {
  if (path === "") return "it is empty";
  if (path.length > limits.modelPathLength)
    return `it is longer than ${limits.modelPathLength} characters`;
  if (new RegExp(reservedCharacterPattern, "u").test(path)) {
    return 'it contains a control character or one of \\ : * ? " < > |';
  }
  for (const name of path.split("/")) {
    if (name === "") return "it has an empty folder name";
    if (name === "." || name === "..") return `it contains ${name}`;
    if (/^\s|[\s.]$/.test(name))
      return `${JSON.stringify(name)} begins with a space, or ends with a space or dot`;
    if (name.toLowerCase() === ".git") return "it is inside .git";
    if (Buffer.byteLength(name) > 255) return "one of its names is longer than 255 bytes";
  }
  return undefined;
}
