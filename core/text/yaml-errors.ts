// Describes syntax errors of YAML: finds the cause where the library reports a consequence, and says how to correct it.
import { pluralize } from "./escape-text.ts";
import { lowerFirst } from "./naming.ts";
import {
  type Document as YamlDocument,
  type ErrorCode,
  isCollection,
  visit,
  type YAMLError,
} from "yaml";
import { appendTo } from "../append-to.ts";

/** A syntax error. */
export interface YamlSyntaxError {
  /** Characters from the start of the file. */
  readonly offset: number;
  readonly message: string;
  /** The remedy, if the message does not contain it. */
  readonly remedy?: string;
  /** True if the errors that the library reports after it follow from it. */
  readonly isLast?: true;
}

/** Returns a function that describes the errors of a document. `text` is the whole file. */
export function describeYamlErrors(
  yaml: YamlDocument.Parsed,
  text: string,
): (error: YAMLError) => YamlSyntaxError {
  let found: Openings | undefined;
  return (error) => {
    const { code, message } = error;
    const [end] = error.pos;
    const indented = isNested(error) ? deeperField(text, end) : undefined;
    if (indented !== undefined) return indented;
    const character = text.charAt(end);
    if (code === "UNEXPECTED_TOKEN" && / flow-(?:map|seq)-end token/u.test(message))
      return unopened(character, end);
    const isQuote = code === "MISSING_CHAR" && /closing .quote/u.test(message);
    const isCollectionEnd = / end with a [}\]]/u.test(message);
    if (isQuote || isCollectionEnd) found ??= openingsIn(yaml, text);
    const quoted = isQuote ? found?.quoted.findLast((start) => start < end) : undefined;
    const inner = isCollectionEnd ? innermostOpen(found?.byEnd.get(end), text, end) : undefined;
    const opening = pairs.find(([, closing]) => closing === character)?.[0];
    if (inner !== undefined && opening !== undefined && !inner.around.has(opening))
      return unopened(character, end);
    const start = quoted ?? inner?.start;
    if (start !== undefined) return unclosed(text.charAt(start), start);
    const known = plainErrors.find(({ pattern }) => pattern.test(message));
    const { remedy = remedies[code], message: plain = lowerFirst(message) } = known ?? {};
    return { offset: end, message: plain, ...(remedy && { remedy }) };
  };
}

const pairs = [
  ["{", "}"],
  ["[", "]"],
] as const;

type Opening = (typeof pairs)[number][0];

/** The start offsets of values in a document. */
interface Openings {
  /** Texts in quotes, in the order of the document. */
  readonly quoted: readonly number[];
  /** The objects and lists in braces and brackets by where they end, the innermost last. */
  readonly byEnd: ReadonlyMap<number, readonly FlowCollection[]>;
}

interface FlowCollection {
  readonly start: number;
  /** The characters that open it and the collections around it. */
  readonly around: ReadonlySet<Opening>;
}

/** Visits the nodes once: a file can have an error for each of its characters. */
function openingsIn(yaml: YamlDocument.Parsed, text: string): Openings {
  const quoted: number[] = [];
  const byEnd = new Map<number, FlowCollection[]>();
  const openedBy = new Map<unknown, ReadonlySet<Opening>>();
  visit(yaml, {
    Scalar(_, { range, type }) {
      const isQuoted = type === "QUOTE_DOUBLE" || type === "QUOTE_SINGLE";
      if (isQuoted && range != null) quoted.push(range[0]);
    },
    Collection(_, node, path) {
      const { range, flow } = node;
      const outer = path.findLast((one) => isCollection(one));
      const before = (outer && openedBy.get(outer)) ?? new Set();
      const own = pairs.find(([one]) => one === text.charAt(range?.[0] ?? 0))?.[0];
      const isNew = flow === true && own !== undefined && !before.has(own);
      const around = isNew ? new Set([...before, own]) : before;
      openedBy.set(node, around);
      if (flow === true && range != null) appendTo(byEnd, range[1], { start: range[0], around });
    },
  });
  return { quoted, byEnd };
}

/** Returns the innermost of the collections that end here and are not closed. */
function innermostOpen(
  ending: readonly FlowCollection[] = [],
  text: string,
  end: number,
): FlowCollection | undefined {
  const last = ending.at(-1);
  const closing = pairs.find(([one]) => one === text.charAt(last?.start ?? 0))?.[1];
  // Only the innermost one can have the character before the end.
  return text.charAt(end - 1) === closing ? ending.at(-2) : last;
}

/** Returns the error for a quote, a brace or a bracket that is not closed. */
function unclosed(opening: string, offset: number): YamlSyntaxError {
  const closing = pairs.find(([one]) => one === opening)?.[1];
  if (closing === undefined) {
    const remedy = `Add the closing ${opening} at the end of the text.`;
    return { offset, message: "the quoted text is not closed", remedy };
  }
  const remedy = `Add the closing ${closing}, and put commas between the items.`;
  return { offset, message: `the ${opening} is not closed`, remedy };
}

/** Returns the error for a brace or a bracket that closes nothing. */
function unopened(closing: string, offset: number): YamlSyntaxError {
  const opening = closing === "}" ? "{" : "[";
  const message = `there is a ${closing} without ${opening}`;
  return { offset, message, remedy: "Remove it.", isLast: true };
}

/** Returns whether the library read the value of a field as an object, or as a name of several lines. */
function isNested({ code, message }: YAMLError): boolean {
  return code === "MULTILINE_IMPLICIT_KEY" || nestedObject.test(message);
}

/**
 * Returns the error of a field that is indented more than the field above it, whose text is at `offset`. The library
 * reads both lines as one text. Undefined if the line of the offset has no field, or the next line is not deeper.
 */
function deeperField(text: string, offset: number): YamlSyntaxError | undefined {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  if (offset - start > longestStart) return undefined;
  const above = /^([ -]*)[^ -][^\n]*:[ ]+$/u.exec(text.slice(start, offset))?.[1];
  const next = /^([^\n]*)\n(?:[ ]*\n)*([ ]+)[^\n]+?:(?:[ \r\n]|$)/u.exec(text.slice(offset));
  const [matched = "", value = "", indentation = ""] = next ?? [];
  if (above === undefined || /:(?:[ ]|$)/u.test(value)) return undefined;
  if (indentation.length <= above.length) return undefined;
  const line = matched.lastIndexOf(`\n${indentation}`) + 1 + indentation.length;
  return {
    offset: offset + line,
    message: `the field is indented by ${pluralize(indentation.length, "space")}, and the field above it by ${above.length}`,
    remedy: indentationRemedy,
  };
}

/** Characters before the text of a field, which are searched. */
const longestStart = 500;

const indentationRemedy =
  "Indent the fields of one object, and the items of one list, by the same number of spaces.";

const nestedObject = /^Nested mappings are not allowed/u;

/** Errors in plain words, where the library uses terms of its parser. */
const plainErrors: readonly {
  readonly pattern: RegExp;
  readonly message: string;
  readonly remedy?: string;
}[] = [
  {
    pattern: nestedObject,
    message: "the text contains a colon and a space",
    remedy: "Put the text in quotes.",
  },
  {
    pattern: /^Block collections are not allowed/u,
    message: "the text inside { } or [ ] contains a colon and a space",
    remedy:
      "Put commas between the items, and put text that contains a colon and a space in quotes.",
  },
  {
    pattern: /^All mapping items must/u,
    message: "the fields of the object are not indented by the same number of spaces",
  },
  {
    pattern: /^(?:All sequence items must|A block sequence may not)/u,
    message: "the items of the list are not indented by the same number of spaces",
    remedy: indentationRemedy,
  },
  {
    pattern: /^Sequence item without/u,
    message: "the line has no hyphen, and is not indented as the fields of the item above it",
    remedy: "Put a hyphen and a space before each item, or correct the indentation.",
  },
  {
    pattern: /^Implicit map keys need to be followed/u,
    message: "the line has no colon",
    remedy: "Put a colon and a space after the name of each field.",
  },
  {
    pattern: /^Implicit keys need to be on a single line/u,
    message: "the name of a field has several lines",
  },
  {
    pattern: /^Map keys must be unique/u,
    message: "the field occurs twice",
  },
];

/** Remedies of errors that the message of the library does not give. */
const remedies: Partial<Record<ErrorCode, string>> = {
  BAD_DQ_ESCAPE: "In double quotes, write \\\\ for a backslash, or use single quotes.",
  BAD_INDENT: indentationRemedy,
  BAD_SCALAR_START: "Put the text in quotes.",
  DUPLICATE_KEY: "Remove one of the two fields.",
  MISSING_CHAR: "Close each { with } and each [ with ], and put commas between the items.",
  MULTILINE_IMPLICIT_KEY: "Put a colon and a space after the name of each field.",
  TAB_AS_INDENT: "Indent with spaces.",
};
