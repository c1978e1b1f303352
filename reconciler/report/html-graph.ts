// Draws which changes of a plan need which others, as an SVG image.
import { limits } from "../../core/limits/limits.ts";
import { escapeHtml } from "../../core/text/escape-html.ts";
import { escapeInvisible, truncate } from "../../core/text/escape-text.ts";
import type { Change } from "../model/index.ts";
import { actionStyles } from "./actions.ts";

const size = { width: 260, height: 28, columnGap: 60, rowGap: 10, labelCharacters: 34 } as const;

/** Returns the image: what a change needs is to its left. Undefined without dependencies, and for too many objects. */
export function graphSvg(changes: readonly Change[], part: string): string | undefined {
  const byAddress = new Map(changes.map((change) => [change.address, change]));
  const edges = changes.flatMap(({ address, dependsOn }) =>
    dependsOn.filter((needed) => byAddress.has(needed)).map((needed) => ({ address, needed })),
  );
  const linked = new Set(edges.flatMap(({ address, needed }) => [address, needed]));
  if (linked.size === 0 || linked.size > limits.htmlGraphObjects) return undefined;
  const nodes = changes.filter(({ address }) => linked.has(address));
  const columns = [...new Set(nodes.map(({ layer }) => layer))].toSorted((a, b) => a - b);
  const rows = new Map<number, number>();
  const places = new Map(
    nodes.map(({ address, layer }) => {
      const column = columns.indexOf(layer);
      const row = rows.get(column) ?? 0;
      rows.set(column, row + 1);
      const x = column * (size.width + size.columnGap);
      return [address, { x, y: row * (size.height + size.rowGap) }] as const;
    }),
  );
  const width = columns.length * (size.width + size.columnGap) - size.columnGap;
  const height = Math.max(...rows.values()) * (size.height + size.rowGap);
  const lines = edges.map(({ address, needed }) =>
    edgeText(places.get(needed) ?? origin, places.get(address) ?? origin),
  );
  const boxes = nodes.map((change) =>
    nodeText(change, { ...(places.get(change.address) ?? origin), part }),
  );
  return `<div class="graph"><svg width="${width}" height="${height}" viewBox="-2 -2 ${width + 4} ${height + 4}" role="img" aria-label="Dependencies of the changes">
${[...lines, ...boxes].join("\n")}
</svg></div>`;
}

const origin = { x: 0, y: 0 };

function edgeText(from: typeof origin, to: typeof origin): string {
  const [left, right] = [from.x + size.width, to.x];
  const [top, bottom] = [from.y + size.height / 2, to.y + size.height / 2];
  const middle = (left + right) / 2;
  return `<path d="M${left} ${top}C${middle} ${top} ${middle} ${bottom} ${right} ${bottom}"/>`;
}

function nodeText(
  { address, action }: Change,
  { x, y, part }: typeof origin & { readonly part: string },
): string {
  const { sign, color } = actionStyles[action];
  const label = truncate(`${sign} ${escapeInvisible(address)}`, size.labelCharacters);
  return `<a href="#${anchorOf(address, part)}"><rect x="${x}" y="${y}" width="${size.width}" height="${size.height}" rx="6"/><text x="${x + 10}" y="${y + 18}" class="${color}">${escapeHtml(label)}</text></a>`;
}

/** Returns the id of the element of an address in a part of the page, which also follows `#` in a link. */
export function anchorOf(address: string, part: string): string {
  return `${part}${encodeURIComponent(address.toWellFormed()).replaceAll("%", ".")}`;
}
