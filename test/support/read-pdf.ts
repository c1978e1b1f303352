// Reads what tests check of a PDF: the size of its pages, their texts in the order in which they are drawn, and pictures.
import { inflateSync } from "node:zlib";

/** A page of a PDF. */
export interface PdfPage {
  readonly width: number;
  readonly height: number;
  /** The texts as somebody who selects them gets them. */
  readonly texts: readonly string[];
}

/** A PDF. */
export interface PdfContent {
  readonly pages: readonly PdfPage[];
  /** Pictures made of pixels. */
  readonly images: number;
  readonly fonts: readonly string[];
  /** The colors of fills, in hexadecimal. */
  readonly fills: readonly string[];
  /** Addresses that links open. */
  readonly links: readonly string[];
}

/** Reads a PDF as the service writes it: each object on its own, streams compressed. */
export function readPdf(file: Uint8Array): PdfContent {
  const text = Buffer.from(file).toString("latin1");
  const objects = new Map(
    [...text.matchAll(/^(\d+) 0 obj\n([\s\S]*?)\nendobj$/gm)].map(([, id = "", body = ""]) => [
      id,
      body,
    ]),
  );
  const all = [...objects.values()];
  const object = (id: string | undefined): string => objects.get(id ?? "") ?? "";
  const pages = all.filter((body) => /\/Type \/Page\n/.test(body));
  const contents = pages.map((body) => stream(object(/\/Contents (\d+)/.exec(body)?.[1])));
  return {
    pages: pages.map((body, at) => {
      const [, width, height] = /\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/.exec(body) ?? [];
      const resources = object(/\/Resources (\d+)/.exec(body)?.[1]);
      const fonts = [...resources.matchAll(/\/(F\d+) (\d+) 0 R/g)].map(
        ([, name = "", id]) =>
          [name, charactersOf(stream(object(/\/ToUnicode (\d+)/.exec(object(id))?.[1])))] as const,
      );
      return {
        width: Number(width),
        height: Number(height),
        texts: textsOf(contents[at] ?? "", new Map(fonts)),
      };
    }),
    images: all.filter((body) => body.includes("/Subtype /Image")).length,
    fonts: all.flatMap(
      (body) => /\/Subtype \/Type0\n\/BaseFont \/\w+\+(\S+)/.exec(body)?.[1] ?? [],
    ),
    fills: contents.flatMap(fillsOf),
    links: all.flatMap((body) => /\/URI \((.*?)\)/.exec(body)?.[1] ?? []),
  };
}

function stream(body: string): string {
  const [, bytes = ""] = /stream\n([\s\S]*)\nendstream/.exec(body) ?? [];
  return inflateSync(Buffer.from(bytes, "latin1")).toString("latin1");
}

/** Returns the characters of the glyphs of a font. */
function charactersOf(map: string): ReadonlyMap<string, string> {
  const ranges = [...map.matchAll(/<(\w{4})> <\w{4}> \[([^\]]*)\]/g)];
  return new Map(
    ranges.flatMap(([, first = "", list = ""]) =>
      [...list.matchAll(/<([\w\s]*)>/g)].map(([, code = ""], at) => [
        (Number.parseInt(first, 16) + at).toString(16).padStart(4, "0"),
        fromUtf16(Buffer.from(code.replaceAll(/\s/g, ""), "hex")),
      ]),
    ),
  );
}

function fromUtf16(bytes: Buffer): string {
  return Buffer.from(bytes).swap16().toString("utf16le");
}

function fillsOf(content: string): readonly string[] {
  return [...content.matchAll(/^([\d.]+) ([\d.]+) ([\d.]+) scn$/gm)].map(
    (found) =>
      `#${found
        .slice(1)
        .map((part) =>
          Math.round(Number(part) * 255)
            .toString(16)
            .padStart(2, "0"),
        )
        .join("")}`,
  );
}

/** What selects a font, replaces a text for who selects it, or draws glyphs. */
const drawn =
  /\/(?<font>F\d+) [\d.]+ Tf|\/ActualText \((?<instead>[\s\S]*?)\)\n>>|\[(?<glyphs><[^\]]*)\] TJ/g;

/** Bytes that a string has escaped. */
const escaped: Readonly<Record<string, string>> = {
  n: "\n",
  r: "\r",
  t: "\t",
  b: "\b",
  f: "\f",
};

function textsOf(content: string, fonts: ReadonlyMap<string, ReadonlyMap<string, string>>) {
  let characters: ReadonlyMap<string, string> | undefined;
  let instead: string | undefined;
  const texts: string[] = [];
  for (const { groups = {} } of content.matchAll(drawn)) {
    if (groups["font"] !== undefined) characters = fonts.get(groups["font"]);
    if (groups["instead"] !== undefined) {
      const bytes = groups["instead"].replaceAll(/\\(.)/g, (_, one: string) => escaped[one] ?? one);
      instead = fromUtf16(Buffer.from(bytes, "latin1").subarray(2));
    }
    if (groups["glyphs"] === undefined) continue;
    const codes = [...groups["glyphs"].matchAll(/<(\w+)>/g)].flatMap(
      ([, one = ""]) => one.match(/.{4}/g) ?? [],
    );
    texts.push(instead ?? codes.map((code) => characters?.get(code) ?? "").join(""));
    instead = undefined;
  }
  return texts;
}
