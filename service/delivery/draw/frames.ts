// What is around widgets and containers: the cards that they have as such, and what their styles make of them. Pure.
import { colorAt, type Look, pixelsOf, type WidgetStyle } from "../../../charts/index.ts";
import { gridGap } from "../../../charts/layout/grid.ts";
import type { WidgetContent } from "./picture-input.ts";
import { type Box, drawFrame, type Frame } from "./svg.ts";

/** A widget that has its place. */
interface Placed {
  readonly box: Box;
  readonly inside: readonly string[];
}

/** Returns the frame of a widget. */
export function frameOf(kind: WidgetContent["kind"], style: WidgetStyle, look: Look): Frame {
  const { backgroundColor, borderColor, borderStyle, borderWidth, borderRadius } = style;
  const plain = plainFrame(kind, look);
  return {
    fill: backgroundColor ?? plain.fill,
    border: borderColor ?? plain.border,
    line: borderStyle ?? plain.line,
    width: borderWidth === undefined ? plain.width : pixelsOf(borderWidth),
    radius: borderRadius === undefined ? plain.radius : pixelsOf(borderRadius),
  };
}

function plainFrame(kind: WidgetContent["kind"], look: Look): Frame {
  const { card, border, radius, dangerSurface, danger, text } = look;
  switch (kind) {
    case "chart":
    case "control":
      return { fill: card, border, width: 1, line: "solid", radius };
    case "error": {
      const edge = colorAt([dangerSurface, danger], 0.2);
      return { fill: dangerSurface, border: edge, width: 1, line: "solid", radius };
    }
    default:
      // The border of an element of a page, once it has a style.
      return { fill: "none", border: text, width: 3, line: "none", radius: 0 };
  }
}

/** Returns a box without the padding of a style. */
export function paddedBox(box: Box, { padding }: WidgetStyle): Box {
  const most = Math.min(box.width, box.height) / 4;
  const by = padding === undefined ? 0 : Math.min(most, pixelsOf(padding));
  return grown(box, -by);
}

/** Draws the frames of the containers around widgets, as far as they reach on this sheet. */
export function drawContainers(
  blocks: readonly Placed[],
  frames: Readonly<Record<string, WidgetStyle>>,
  look: Look,
): string {
  const ids = new Set(blocks.flatMap(({ inside }) => inside));
  return [...ids]
    .map((id) => {
      const boxes = blocks.flatMap(({ box, inside }) => (inside.includes(id) ? [box] : []));
      const style = frames[id] ?? {};
      const by = style.padding === undefined ? 0 : Math.min(gridGap / 2, pixelsOf(style.padding));
      return drawFrame(grown(union(boxes), by), frameOf("tab", style, look));
    })
    .join("");
}

function union(boxes: readonly Box[]): Box {
  const x = Math.min(...boxes.map((box) => box.x));
  const y = Math.min(...boxes.map((box) => box.y));
  const width = Math.max(...boxes.map((box) => box.x + box.width)) - x;
  return { x, y, width, height: Math.max(...boxes.map((box) => box.y + box.height)) - y };
}

function grown({ x, y, width, height }: Box, by: number): Box {
  return { x: x - by, y: y - by, width: width + 2 * by, height: height + 2 * by };
}
