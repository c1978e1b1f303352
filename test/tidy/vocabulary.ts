// The words of this project: those of Terraform, Pulumi, Kubernetes and Flux. Reports every private word in prose, names and paths.
import type { Source } from "./source.ts";
import type { Node, TemplateLiteral } from "oxc-parser";
import { lineAt, walk } from "./source.ts";

/** A word that may not be used, and the standard term for it. */
interface Banned {
  readonly pattern: RegExp;
  readonly use: string;
}

/** Banned in comments, messages, documents, names and paths alike. */
const everywhere: readonly Banned[] = [
  { pattern: /\bwish(?:es|ed|ing)?\b/giu, use: "desired object, declared" },
  { pattern: /\b(?:whence|thereof|whereof|hitherto|whereabouts)\b/giu, use: "field origin, where" },
  { pattern: /\banew\b/giu, use: "again; replace" },
  { pattern: /\bmend(?:s|ed|ing)?\b/giu, use: "fix" },
  { pattern: /\bunshipped\b/giu, use: "pending" },
  { pattern: /\b(?:nobody|somebody)\b/giu, use: "name the actor" },
  { pattern: /\b(?:shelf|shelved|shelves)\b/giu, use: "remote backend" },
  { pattern: /\b(?:discreet|veil(?:s|ed)?)\b/giu, use: "redact, mask" },
  { pattern: /\bsightings?\b/giu, use: "observed object, read cache" },
  { pattern: /\b(?:remade|remakes?|remaking)\b/giu, use: "replace" },
  { pattern: /\btall(?:y|ies)\b/giu, use: "results" },
  { pattern: /\bcomplaints?\b/giu, use: "validation error" },
  { pattern: /\bmint(?:s|ed|ing)?\b/giu, use: "create, generate; generated secret" },
];

/** `Returns what finds …`: the thing that is returned has no name. Nouns may follow. */
const subjectless =
  /\b(?:Returns|Creates) what (?!(?:is|was|has|does|its|this|others|policies|access|documents|items|members)\b)[a-z]+s\b/gu;

/** Banned in comments, messages and documents; as identifiers they may be another word. */
const inProse: readonly Banned[] = [
  { pattern: /\b(?:is|are|was|were|be|been|being) told\b/giu, use: "reports, shows" },
  {
    pattern: /\btold (?:by|apart|of|where|as|once|how|what|who|which|in|when)\b/giu,
    use: "reported, shown",
  },
  { pattern: /\blet(?:s|ting)? go\b/giu, use: "forget, abandon" },
  { pattern: /\blies?\b/giu, use: "is" },
  { pattern: /\bfirst let\b/giu, use: "first; name the actor" },
  { pattern: /\b(?:go(?:es|ing)?|went) along\b/giu, use: "cascade" },
  {
    pattern: /\b(?:took|taken|takes?|taking)(?:[\s*]+[^\s.,;:()]+){0,3}[\s*]+(?:along|over)\b/giu,
    use: "cascade, adopt",
  },
  { pattern: /\bbudgets?\b/giu, use: "delete limit, limit" },
  { pattern: /\b(?:made|make|makes|making) anew\b/giu, use: "replace" },
  { pattern: /\b(?:by whom|of whom|to whom|with whom|whose wish)\b/giu, use: "name the actor" },
  {
    pattern: /\bbehind (?:our|your|their|its|the manifests'?) backs?\b/giu,
    use: "outside the manifests",
  },
  {
    pattern: /\bthe house\b|\bhouse rules\b|\brules of the house\b/giu,
    use: "the repository, conventions",
  },
  { pattern: /\bother people'?s engines\b/giu, use: "Terraform and Pulumi" },
  { pattern: /\bnot to be had\b|\bis to be had\b/giu, use: "not available" },
  { pattern: /\bheld against\b|\bholds? .{1,30} against\b/giu, use: "compare with, check against" },
  { pattern: /\bpassed over\b/giu, use: "ignored, skipped" },
  { pattern: /(?<!by )\bmistakes?\b/giu, use: "error" },
  { pattern: /\b(?:notwithstanding|lest|hence|thus)\b/giu, use: "although, so that not, so" },
  { pattern: /\bthe ways? back\b/giu, use: "rollback target, undo plan" },
  { pattern: /\bthe rivals?\b/giu, use: "conflict, owner" },
  { pattern: /\bcarr(?:y|ies|ying)(?: [^\s.,;:()]+){0,3} out\b/giu, use: "execute" },
  { pattern: /\bbeside (?:the )?built-in\b/giu, use: "in addition to" },
  { pattern: /\b(?:is|are) (?:that|those) of\b/giu, use: "belongs to, equals; repeat the noun" },
  {
    pattern: /\bst(?:and|ood)s? (?:in|within|before|above|beside|as|between|on)\b(?! for\b)/giu,
    use: "is, appears, precedes",
  },
  { pattern: /\bat once\b/giu, use: "immediately, together, concurrently, in one request" },
  { pattern: /(?<!\bthere )\b(?:is|are) none\b/giu, use: "is not one, is invalid; say what it is" },
  { pattern: /\btells?\b/giu, use: "say, show, report; distinguish" },
  { pattern: /\banybody\b/giu, use: "name the actor" },
  { pattern: /\bof now\b/giu, use: "current" },
  { pattern: /\banother content\b/giu, use: "other contents, different content" },
  { pattern: /\b(?:go|goes|went|going) on\b/giu, use: "continue, resume" },
  { pattern: /\bleft alone\b/giu, use: "not changed, kept" },
  { pattern: /\bpresent (?:address|name)(?:es|s)?\b/giu, use: "current" },
  { pattern: /\bcircles?\b/giu, use: "cycle" },
  { pattern: subjectless, use: "returns the paths that; name what is returned" },
];

/** Phrases of several words in a name. */
const namePhrases: readonly Banned[] = [
  { pattern: /\bheld by\b/gu, use: "holder" },
  { pattern: /\blet go\b/gu, use: "forgotten, orphaned" },
  { pattern: /\b(?:take|takes|taken|took) over\b/gu, use: "adopt" },
  { pattern: /\b(?:go|goes) with\b/gu, use: "cascade" },
  { pattern: /\bpassed over\b/gu, use: "skipped" },
];

/** Names of files and folders that nobody can guess; parts of longer names may be other words. */
const inPaths: readonly Banned[] = [
  { pattern: /(?<=^|\/)keeping\./gu, use: "inventory-admin" },
  { pattern: /(?<=^|\/)ground\./gu, use: "request-context" },
  { pattern: /(?<=^|\/)line\./gu, use: "transport" },
  { pattern: /(?<=^|\/)(?:file-)?(?:hold|held)\./gu, use: "lease" },
  { pattern: /(?<=^|\/)(?:[a-z-]+-)?words\./gu, use: "messages; what the words are for" },
  { pattern: /(?<=^|\/)offer\./gu, use: "api-discovery" },
  { pattern: /(?<=^|\/)round\./gu, use: "reconcile" },
  { pattern: /(?<=^|\/)given-/gu, use: "config-" },
  { pattern: /(?<=^|\/)lifecycle\/routes\./gu, use: "steps" },
  { pattern: /(?<=^|\/)out-of-reach\./gu, use: "undo-conflicts" },
  { pattern: /(?<=^|\/)leave-alone\./gu, use: "ignore-rules" },
  { pattern: /(?<=^|\/)names-then\./gu, use: "historical-names" },
  { pattern: /(?<=^|\/)caller\//gu, use: "operator/" },
];

/** Names of declared types that do not describe the value. */
const typeNames: ReadonlyMap<string, string> = new Map(
  Object.entries({
    Asked: "what is asked for",
    Given: "Prerequisite, or what is given",
    Held: "what is held",
    Home: "Owner",
    Known: "what is known",
    Run: "which run, such as SyncRun",
    Said: "what is said",
    World: "Server, Account, Environment",
  }),
);

/** Names of variables, parameters and functions that do not describe the value. */
const valueNames: ReadonlyMap<string, string> = new Map(
  Object.entries({
    asked: "request, query, questions",
    gone: "deleted, removed, missing",
    made: "created, result",
    said: "message, output, answer",
    there: "target, existing",
  }),
);

/** Whole words of identifiers and of file names: their standard terms are in the project's glossary. */
const inNames: ReadonlyMap<string, string> = new Map(
  Object.entries({
    sight: "observed",
    sights: "observed",
    crew: "executionContext",
    harmless: "sanitize",
    torn: "jsonError",
    unwritten: "confirmation",
    along: "cascaded",
    budget: "deleteLimit, limit, cost",
    budgets: "limits, costs",
    strays: "orphans",
    tell: "report, print",
    tells: "reports, prints",
    told: "reported",
    way: "binding, mode",
    ways: "bindings, modes",
    gate: "throttle, limit",
    gates: "throttles, limits",
    rival: "conflicting",
    rivals: "conflicting",
    tend: "reconcile",
    tends: "reconciles",
    handover: "keyConflict",
    carry: "execute",
    carries: "executes",
    carried: "executed, cascaded",
    world: "server, account, environment",
    worlds: "servers, accounts, environments",
  }),
);

/** One private word that was found. */
export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly word: string;
  readonly use: string;
}

/** Finds private words in the comments, strings and names of one source. */
export function wordsInSource(source: Source): readonly Finding[] {
  const { path, text, comments, program } = source;
  const found: Finding[] = [...wordsInPath(path)];
  for (const { value, start } of comments)
    found.push(...wordsInProse(path, value, { text, start }));
  walk(program, (node) => {
    const place = { text, start: node.start };
    if (node.type === "Literal" && typeof node.value === "string")
      found.push(...wordsInString(path, node.value, place));
    if (node.type === "Literal" && "regex" in node)
      found.push(...wordsInString(path, withoutEscapes(node.regex.pattern), place));
    if (node.type === "TemplateLiteral")
      found.push(...wordsInString(path, templateText(node), place));
    if (node.type === "Identifier" || node.type === "PrivateIdentifier")
      found.push(...wordsInName(path, node.name, place));
    found.push(...wordsInTypeName(path, node, place), ...valueNamesIn(source, node));
    if (isObjectLine(node))
      found.push({ path, line: lineAt(text, node.start), word: "line", use: objectLine });
  });
  return found;
}

/** The standard terms for a `line` that is not a line of text. */
const objectLine = "transport, commandLine, statusLine; a line is text or its number";

/** Returns true for the declaration of a name `line` whose type is that of an object. */
function isObjectLine(node: Node): boolean {
  const named = node.type === "TSPropertySignature" ? node.key : node;
  if (named.type !== "Identifier" || named.name !== "line") return false;
  const annotation = "typeAnnotation" in node ? node.typeAnnotation : undefined;
  return annotation?.type === "TSTypeAnnotation" && objectTypes.has(annotation.typeAnnotation.type);
}

const objectTypes: ReadonlySet<string> = new Set([
  "TSTypeReference",
  "TSTypeLiteral",
  "TSTypeOperator",
  "TSArrayType",
  "TSFunctionType",
]);

/** Returns the text of a template. An ellipsis of the same length stands for each expression, so that positions and phrases remain. */
function templateText({ start, quasis }: TemplateLiteral): string {
  let shown = "";
  for (const { start: from, value } of quasis)
    shown = `${shown.padEnd(from - start, "…")}${value.raw}`;
  return shown;
}

function wordsInString(path: string, value: string, place: Place): readonly Finding[] {
  return /\s/u.test(value) ? wordsInProse(path, value, place) : wordsInName(path, value, place);
}

/** Blanks the escapes of a regular expression, whose letters do not belong to the adjacent words. */
function withoutEscapes(pattern: string): string {
  return pattern.replace(/\\[A-Za-z]/gu, "  ");
}

/** Finds private words in a document, a manifest or a script, which are read as prose. */
export function wordsInDocument(path: string, text: string): readonly Finding[] {
  return [...wordsInPath(path), ...wordsInProse(path, text, { text, start: 0 })];
}

/** Finds the names of declared types that do not describe the value. */
function wordsInTypeName(path: string, node: Node, { text, start }: Place): readonly Finding[] {
  const isType =
    node.type === "TSInterfaceDeclaration" ||
    node.type === "TSTypeAliasDeclaration" ||
    node.type === "ClassDeclaration";
  const word = isType ? (node.id?.name ?? "") : "";
  const use = typeNames.get(word);
  return use === undefined ? [] : [{ path, line: lineAt(text, start), word, use }];
}

/** Finds the names of variables, parameters and functions that do not describe the value. */
function valueNamesIn({ path, text }: Source, node: Node): readonly Finding[] {
  return declaredPatterns(node)
    .flatMap(identifiersIn)
    .flatMap(({ name: word, start }) => {
      const use = valueNames.get(word);
      return use === undefined ? [] : [{ path, line: lineAt(text, start), word, use }];
    });
}

/** Returns the patterns that a node declares: of a variable, of parameters, and the name of a function. */
function declaredPatterns(node: Node): readonly (Node | null)[] {
  if (node.type === "VariableDeclarator") return [node.id];
  if (node.type === "CatchClause") return [node.param];
  const own = "id" in node && /Function/u.test(node.type) ? [node.id] : [];
  return "params" in node && Array.isArray(node.params) ? [...own, ...node.params] : own;
}

/** Returns the identifiers that a pattern declares. The name of a member before a colon is not one. */
function identifiersIn(pattern: Node | null): readonly { name: string; start: number }[] {
  switch (pattern?.type) {
    case "Identifier":
      return [pattern];
    case "ArrayPattern":
      return pattern.elements.flatMap(identifiersIn);
    case "ObjectPattern":
      return pattern.properties.flatMap((one) =>
        identifiersIn(one.type === "Property" ? one.value : one.argument),
      );
    case "AssignmentPattern":
      return identifiersIn(pattern.left);
    case "RestElement":
      return identifiersIn(pattern.argument);
    default:
      return [];
  }
}

/** The start of a text in its file. */
interface Place {
  readonly text: string;
  readonly start: number;
}

/** Returns whether one of the patterns matches, in one pass, because most texts have no banned word. */
function anyOf(list: readonly Banned[]): RegExp {
  return new RegExp(list.map(({ pattern }) => pattern.source).join("|"), "iu");
}

const prosePatterns = [...everywhere, ...inProse];
const anyInProse = anyOf(prosePatterns);
const namePatterns = [...everywhere, ...namePhrases];
const anyInName = anyOf(namePatterns);

function wordsInProse(path: string, prose: string, { text, start }: Place): readonly Finding[] {
  if (!anyInProse.test(prose)) return [];
  return prosePatterns.flatMap(({ pattern, use }) =>
    [...prose.matchAll(pattern)].map((match) => ({
      path,
      line: lineAt(text, start + match.index + 1),
      word: match[0],
      use,
    })),
  );
}

/** Finds private words in the path of any file. */
export function wordsInPath(path: string): readonly Finding[] {
  const place = { text: "", start: 0 };
  const parts = path.split(/[/.]/u).flatMap((part) => wordsInName(path, part, place));
  const whole = matchesOf(inPaths, path).map((found) => ({ ...found, path, line: 1 }));
  return [...parts, ...whole];
}

function wordsInName(path: string, name: string, { text, start }: Place): readonly Finding[] {
  return bannedWordsOf(name).map((word) => ({ ...word, path, line: lineAt(text, start) }));
}

type Word = Pick<Finding, "word" | "use">;

const known = new Map<string, readonly Word[]>();

/** A package and an option of V8 whose names have a banned word. */
const foreignNames = /find-?my-?way|--wasm-tiering-budget/giu;

/** The boundary between two words of a name: `firstWay`, `HTTPWay`, `first-way`. */
const wordBoundary = /[^A-Za-z]+|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/u;

/** Returns the banned words of a name. Most names occur often. */
function bannedWordsOf(name: string): readonly Word[] {
  const before = known.get(name);
  if (before !== undefined) return before;
  const words = name
    .replace(foreignNames, "")
    .split(wordBoundary)
    .map((word) => word.toLowerCase());
  const single = words.flatMap((word) => {
    const use = inNames.get(word);
    return use === undefined ? [] : [{ word, use }];
  });
  const phrase = words.join(" ");
  const banned = anyInName.test(phrase) ? [...single, ...matchesOf(namePatterns, phrase)] : single;
  known.set(name, banned);
  return banned;
}

function matchesOf(list: readonly Banned[], text: string): readonly Word[] {
  return list.flatMap(({ pattern, use }) =>
    [...text.matchAll(pattern)].map(([word]) => ({ word, use })),
  );
}
