// Finds the files of a data-model project in a folder, and hashes them. Shared by `svc deploy` and manifests.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "../../core/errors.ts";
import { fileText } from "../../core/text/file-text.ts";
import { limits } from "../../core/limits/limits.ts";
import { isModelFileName, isModelFolderName } from "../../core/data-model/model-path.ts";
import { systemErrorText } from "../../core/system/system-error.ts";

/** The place of a file of a project. */
interface ProjectPath {
  /** Path relative to the project, with `/`, in Unicode normal form C as the service stores it. */
  readonly path: string;
  /** Path relative to the project as the file system has it. */
  readonly source: string;
}

/** A file of a project. */
export interface ProjectFile extends ProjectPath {
  /** SHA-1 of the content, hexadecimal. */
  readonly hash: string;
  readonly bytes: number;
}

/** A project in a folder. */
export interface Project {
  readonly files: readonly ProjectFile[];
  /** Paths of symbolic links, which are skipped. */
  readonly links: readonly string[];
}

/** Returns the texts of a project by path, for a spec. Fails like {@link readProject}. */
export function readProjectTexts(folder: string): Readonly<Record<string, string>> {
  const { files, links } = findFiles(folder);
  if (links.length > 0) {
    throw new Failure("invalid", `${folder} has symbolic links: ${links.slice(0, 10).join(", ")}`, {
      remedy: "Replace them by files.",
    });
  }
  let bytes = 0;
  return Object.fromEntries(
    files.map(({ path, source }) => {
      const content = readProjectFile(folder, source);
      bytes += content.length;
      if (bytes > limits.modelBytes) {
        throw new Failure("invalid", `${folder} has more than ${limits.modelBytes} bytes`);
      }
      return [path, fileText(content)];
    }),
  );
}

/**
 * Returns the files of a project, sorted by path. Skips hidden files except `.gitignore`, `node_modules` and
 * `dashboard-app`. Follows no symbolic links. Fails with `usage` for a folder that cannot be read, and with `invalid`
 * for too many or too large files.
 */
export function readProject(folder: string): Project {
  const { files, links } = findFiles(folder);
  const hashed = files.map((file) => {
    const content = readProjectFile(folder, file.source);
    const hash = createHash("sha1").update(content).digest("hex");
    return { ...file, hash, bytes: content.length };
  });
  return { files: hashed, links };
}

interface FoundFiles extends Pick<Project, "links"> {
  readonly files: readonly ProjectPath[];
}

function findFiles(folder: string): FoundFiles {
  const byPath = new Map<string, ProjectPath>();
  const links: string[] = [];
  const waiting = [""];
  for (let parent = waiting.pop(); parent !== undefined; parent = waiting.pop()) {
    for (const entry of entriesOf(join(folder, parent))) {
      const source = parent === "" ? entry.name : `${parent}/${entry.name}`;
      if (!isModelFileName(entry.name)) continue;
      if (entry.isDirectory() && isModelFolderName(entry.name)) waiting.push(source);
      if (entry.isSymbolicLink()) links.push(source);
      if (!entry.isFile()) continue;
      const file = { path: source.normalize("NFC"), source };
      if (byPath.has(file.path)) {
        throw new Failure(
          "invalid",
          `two files of ${folder} have the name ${file.path} in different Unicode forms; rename one of them`,
        );
      }
      byPath.set(file.path, file);
      if (byPath.size > limits.modelFiles) {
        throw new Failure("invalid", `${folder} has more than ${limits.modelFiles} files`, {
          remedy: "Name the folder of the data model, not one that contains other projects.",
        });
      }
    }
  }
  const files = [...byPath.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return { files, links: links.toSorted() };
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (cause) {
    const message = `cannot read the folder ${folder}: ${systemErrorText(cause)}`;
    throw new Failure("usage", message, { cause });
  }
}

/** Reads a file of a project. */
export function readProjectFile(folder: string, path: string): Buffer {
  const file = join(folder, path);
  const { size } = statSync(file);
  if (size <= limits.modelFileBytes) return readFileSync(file);
  throw new Failure(
    "invalid",
    `${file} has ${size} bytes; a file can have at most ${limits.modelFileBytes}`,
  );
}
