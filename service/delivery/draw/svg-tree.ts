// Reads the SVG that blocks and ECharts write: elements, attributes in quotes, and texts. Pure.
import { invariant } from "../../../core/errors.ts";

/** An element of SVG. */
export interface SvgElement {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly SvgElement[];
  /** The text in it, without that of its children. */
  readonly text: string;
}

interface OpenElement extends SvgElement {
  readonly children: SvgElement[];
  text: string;
}

const token =
  /<!\[CDATA\[[\s\S]*?\]\]>|<(?<end>\/?)(?<tag>[\w:]+)(?<attributes>(?:\s+[\w:-]+="[^"]*")*)\s*(?<empty>\/?)>|(?<text>[^<]+)/gy;

/** Returns the root element of a text of SVG. */
export function parseSvg(svg: string): SvgElement {
  const root: OpenElement = { tag: "", attributes: {}, children: [], text: "" };
  const open = [root];
  let read = 0;
  for (const match of svg.matchAll(token)) {
    read += match[0].length;
    const { end, tag, attributes = "", empty, text } = match.groups ?? {};
    const parent = open.at(-1) ?? root;
    if (text !== undefined) parent.text += unescapeXml(text);
    if (tag === undefined) continue;
    if (end === "/") {
      open.pop();
      continue;
    }
    const element = { tag, attributes: attributesOf(attributes), children: [], text: "" };
    parent.children.push(element);
    if (empty !== "/") open.push(element);
  }
  const [only] = root.children;
  invariant(only && read === svg.length && open.length === 1, "a drawing is not SVG");
  return only;
}

function attributesOf(text: string): Readonly<Record<string, string>> {
  const pairs = [...text.matchAll(/([\w:-]+)="([^"]*)"/gu)];
  return Object.fromEntries(pairs.map(([, name = "", value = ""]) => [name, unescapeXml(value)]));
}

const entities: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};

function unescapeXml(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|#39);/gu, (entity) => entities[entity] ?? entity);
}
