// Colors for terminals.

/** Appearance of text. */
export interface TextStyle {
  readonly color: boolean;
  /** Width; values are cut to fit, nothing is wrapped. */
  readonly width: number;
  /** Set to show long lists in full. */
  readonly full?: boolean;
  /** Set to list the checks that could not run. */
  readonly verbose?: boolean;
}

const ansiCodes = {
  red: 31,
  green: 32,
  yellow: 33,
  magenta: 35,
  cyan: 36,
  dim: 2,
  bold: 1,
} as const;

/** The colors by their codes in control sequences; other codes end a color. */
export const ansiInks: ReadonlyMap<number, string> = new Map(
  Object.entries(ansiCodes).map(([ink, code]) => [code, ink]),
);

/** A color, or `plain` for none. */
export type Color = keyof typeof ansiCodes | "plain";

/** Returns the text in a color. The text must not contain control characters. */
export function paint({ color }: Pick<TextStyle, "color">, ink: Color, text: string): string {
  return !color || ink === "plain" || text === ""
    ? text
    : `\u001b[${ansiCodes[ink]}m${text}\u001b[0m`;
}
