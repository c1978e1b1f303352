// Reads the skills of agents: Markdown files that begin with front matter, YAML between two lines of `---`.
import { Type, type Static } from "typebox";
import { limits } from "../../core/limits/limits.ts";
import { declaredValidator } from "../../core/schema/validate.ts";
import { parseYaml } from "./parse-yaml.ts";
import { type Problems, SourceFile } from "./problems.ts";
import type { ModelFile } from "./types.ts";

const text = (maxLength: number) => Type.String({ minLength: 1, maxLength });

const FrontMatter = Type.Object(
  {
    name: Type.Optional(text(255)),
    title: Type.Optional(text(255)),
    description: text(2000),
    space: Type.Optional(text(255)),
    input: Type.Optional(text(2000)),
  },
  { additionalProperties: false },
);

const validateFrontMatter = declaredValidator(FrontMatter);

/** A skill, without its instructions. */
export interface Skill extends Readonly<Static<typeof FrontMatter>> {
  /** By default, the name of its file without the extension. */
  readonly name: string;
  readonly title: string;
}

/** Returns the valid skills of files by name, and adds all errors to `problems`. */
export function readSkills(files: readonly ModelFile[], problems: Problems): readonly Skill[] {
  const skills = new Map<string, { readonly skill: Skill; readonly path: string }>();
  for (const { path, content } of files) {
    const file = new SourceFile(path, content);
    if (skills.size >= limits.agentSkills) {
      problems.addAt(file, 0, `the data model has more than ${limits.agentSkills} skills`);
      break;
    }
    const given = readFrontMatter(file, problems);
    if (given === undefined) continue;
    const name = given.name ?? (path.split("/").at(-1) ?? path).replace(/\.md$/iu, "");
    const before = skills.get(name);
    if (before === undefined) skills.set(name, { skill: { title: name, ...given, name }, path });
    else problems.addAt(file, 0, `the skill ${name} is declared in ${before.path} too; rename one`);
  }
  const found = [...skills.values()].map(({ skill }) => skill);
  return found.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

const fence = /^---[ \t]*\r?\n/u;
const closingFence = /^---[ \t]*(?:\r?\n|$)/mu;

function readFrontMatter(
  { path, text: content }: SourceFile,
  problems: Problems,
): Static<typeof FrontMatter> | undefined {
  const whole = new SourceFile(path, content);
  const begin = fence.exec(content)?.[0].length;
  const length = begin === undefined ? -1 : content.slice(begin).search(closingFence);
  if (begin === undefined || length < 0) {
    const message =
      "a skill begins with front matter: a line of ---, a description, and another line of ---";
    problems.addAt(whole, 0, message);
    return undefined;
  }
  if (length > limits.modelTextLength) {
    problems.addAt(whole, 0, `the front matter has more than ${limits.modelTextLength} characters`);
    return undefined;
  }
  // Includes the first line, so that positions match the file.
  const file = new SourceFile(path, content.slice(0, begin + length));
  const parsed = parseYaml(file, problems);
  if (parsed === undefined) return undefined;
  const value = parsed ?? {};
  const errors = validateFrontMatter(value);
  for (const { path: pointer, code, message, remedy } of errors) {
    const name = pointer.slice(1);
    const why = `${name === "" ? "the front matter" : name} ${message}${remedy === undefined ? "" : `. ${remedy}`}`;
    const isKey = code === "unknown-field" || code === "missing-field";
    problems.add({ file, pointer, side: isKey ? "key" : "value" }, why);
  }
  return errors.length === 0 ? (value as Static<typeof FrontMatter>) : undefined;
}
