// The fonts of pictures and documents, and which of them has each character of a text.
import { createRequire } from "node:module";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { create, type Font } from "fontkit";
import { limits } from "../../../core/limits/limits.ts";

const require = createRequire(import.meta.url);

/** Fonts that packages bring, so that texts are visible on a machine without fonts. */
const packaged = {
  regular: require.resolve("@expo-google-fonts/inter/400Regular/Inter_400Regular.ttf"),
  bold: require.resolve("@expo-google-fonts/inter/600SemiBold/Inter_600SemiBold.ttf"),
  // Scripts and symbols that Inter lacks.
  other: require.resolve("dejavu-fonts-ttf/ttf/DejaVuSans.ttf"),
} as const;

/** The files of the fonts that packages bring. */
export const fontFiles: readonly string[] = Object.values(packaged);

/** A font. */
export interface FontFace {
  readonly bytes: Uint8Array;
  /** The PostScript name. */
  readonly name: string;
  /** Whether the bytes are a collection, from which the name selects the font. */
  readonly isCollected: boolean;
  /** The middle between ascent and descent above the baseline, as a share of the size. */
  readonly middle: number;
  has(character: string): boolean;
}

/** A part of a line in one font. Parts follow each other from left to right. */
export interface TextRun {
  readonly text: string;
  readonly face: FontFace;
  /** The text in whose place this one is shown, because no font has it. */
  readonly instead?: string;
}

/** Finds fonts for texts. */
export interface FontChooser {
  /** Returns the font of a text, whose metrics place it. */
  main(isBold: boolean): FontFace;
  /** Returns the parts of a line. */
  runsOf(line: string, isBold: boolean): readonly TextRun[];
  /** Returns the characters of a text that no font has, each once. */
  missingIn(text: string): readonly string[];
}

/** Folders of a system's fonts. */
const systemFolders = [
  "/usr/share/fonts",
  "/usr/local/share/fonts",
  "/System/Library/Fonts",
  "/Library/Fonts",
  "C:/Windows/Fonts",
];

const kinds: readonly (readonly [RegExp, string])[] = [
  [/\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}/u, "Chinese or Japanese characters"],
  [/\p{Script=Hangul}/u, "Korean characters"],
  [/\p{Extended_Pictographic}/u, "emoji"],
];

/** Returns what the characters that no font has are, in words; "" if there are none. */
export function missingText(characters: readonly string[]): string {
  if (characters.length === 0) return "";
  const names = characters.map(
    (one) => kinds.find(([pattern]) => pattern.test(one))?.[1] ?? "other characters",
  );
  const list = [...new Set(names)].join(", ");
  return `${replacement} stands for ${list} that no font of the server has`;
}

/** Creates a chooser, which opens fonts of the system only for characters that the packaged ones lack. */
export function createFontChooser(folders: readonly string[] = systemFolders): FontChooser {
  const [regular, bold, other] = [packaged.regular, packaged.bold, packaged.other].map((file) =>
    facesOf(file),
  );
  const system = systemFaces(folders);
  const found = new Map<string, FontFace | undefined>();
  const main = (isBold: boolean): FontFace => (isBold ? bold : regular)?.[0] as FontFace;
  const faceOf = (character: string, isBold: boolean): FontFace | undefined => {
    const own = [main(isBold), ...(other ?? [])].find((face) => face.has(character));
    if (own !== undefined) return own;
    if (!found.has(character)) found.set(character, system(character));
    return found.get(character);
  };
  return {
    main,
    runsOf: (line, isBold) =>
      fromLeft(line).flatMap((part) => runsOfPart(part, { faceOf, isBold, main })),
    missingIn: (text) =>
      [...new Set(text)].filter(
        (one) => !/[\p{Cc}\s]/u.test(one) && !isInvisible(one) && faceOf(one, false) === undefined,
      ),
  };
}

/** Stands for a character that no font has. */
export const replacement = "\ufffd";

/** Returns whether a character only changes others, such as a joiner. */
function isInvisible(character: string): boolean {
  return /\p{Default_Ignorable_Code_Point}/u.test(character);
}

function runsOfPart(
  part: string,
  {
    faceOf,
    isBold,
    main,
  }: {
    readonly faceOf: (character: string, isBold: boolean) => FontFace | undefined;
    readonly isBold: boolean;
    readonly main: FontChooser["main"];
  },
): readonly TextRun[] {
  const runs: { text: string; face: FontFace; instead?: string }[] = [];
  for (const character of part) {
    const last = runs.at(-1);
    // Spaces, marks and joiners stay with what they follow, if its font has them.
    if (last?.instead === undefined && last?.face.has(character) && /[\s\p{M}]/u.test(character)) {
      last.text += character;
      continue;
    }
    const face = faceOf(character, isBold);
    if (face === undefined && isInvisible(character)) continue;
    const instead = face === undefined ? character : undefined;
    const shown = face ?? faceOf(replacement, isBold) ?? main(isBold);
    const text = face === undefined ? replacement : character;
    if (
      last !== undefined &&
      last.face === shown &&
      (last.instead === undefined) === (instead === undefined)
    ) {
      last.text += text;
      if (instead !== undefined) last.instead += instead;
    } else {
      runs.push({ text, face: shown, ...(instead !== undefined && { instead }) });
    }
  }
  return runs;
}

const rightToLeft =
  "\\p{Script=Hebrew}\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Thaana}\\p{Script=Nko}";
// Numbers and brackets after such a letter belong to its stretch, and so does what is between.
const bracketed = `\\((?:[${rightToLeft}\\p{M}]|[^\\p{L}()])*\\)`;
const stretch = new RegExp(
  `[${rightToLeft}](?:[^\\p{L}()]*(?:[${rightToLeft}\\p{M}]|\\p{N}%?|${bracketed})|[^\\p{L}]*(?:[${rightToLeft}\\p{M}]|\\p{N}%?))*`,
  "gu",
);
const words = new RegExp(`[${rightToLeft}\\p{M}]+|\\p{N}+(?:[.,:/]\\p{N}+)*%?|[^]`, "gu");
const mirrored: Readonly<Record<string, string>> = {
  "(": ")",
  ")": "(",
  "[": "]",
  "]": "[",
  "<": ">",
  ">": "<",
};

/**
 * Returns the parts of a line as they stand from left to right: words of scripts that are written from right to left
 * change their order, and the font turns their letters.
 */
export function fromLeft(line: string): readonly string[] {
  const parts: string[] = [];
  let end = 0;
  for (const match of line.matchAll(stretch)) {
    parts.push(line.slice(end, match.index));
    parts.push(...(match[0].match(words) ?? []).map((word) => mirrored[word] ?? word).toReversed());
    end = match.index + match[0].length;
  }
  return [...parts, line.slice(end)].filter((part) => part !== "");
}

/** Returns the fonts of a file that have outlines: pictures, which emoji are in many fonts, are no text of a document. */
function facesOf(file: string): readonly FontFace[] {
  const bytes = readFileSync(file);
  const opened = create(bytes);
  const isCollected = "fonts" in opened;
  const fonts = isCollected ? opened.fonts : [opened];
  return fonts
    .filter((font) => ["glyf", "CFF "].some((table) => table in tablesOf(font)))
    .map((font) => ({
      bytes,
      name: font.postscriptName,
      isCollected,
      middle: (font.ascent + font.descent) / 2 / font.unitsPerEm,
      has: (character) => font.hasGlyphForCodePoint(character.codePointAt(0) ?? 0),
    }));
}

function tablesOf(font: Font): object {
  // The declarations of the package lack it.
  return (font as Font & { readonly directory: { readonly tables: object } }).directory.tables;
}

/** Returns a function that finds a font of the system that has a character. */
function systemFaces(folders: readonly string[]): (character: string) => FontFace | undefined {
  let files: readonly string[] | undefined;
  const used: FontFace[] = [];
  return (character) => {
    const known = used.find((face) => face.has(character));
    if (known !== undefined) return known;
    files ??= folders
      .flatMap((folder) =>
        globSync("**/*.{ttf,otf,ttc}", { cwd: folder }).map((name) => join(folder, name)),
      )
      .toSorted()
      .slice(0, limits.drawFonts);
    for (const file of files) {
      const face = openedFaces(file).find((one) => one.has(character));
      if (face === undefined) continue;
      used.push(face);
      return face;
    }
    return undefined;
  };
}

function openedFaces(file: string): readonly FontFace[] {
  try {
    return facesOf(file);
  } catch {
    // A file that is no font, or of a kind that cannot be read.
    return [];
  }
}
