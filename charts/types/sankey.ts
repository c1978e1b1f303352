// Sankey diagrams: the flow of a measure from the values of each dimension to those of the next.
import type { ChartConfig } from "../config/config.ts";
import { dimensionsOf, measuresOf, type Place, placesOf, refusal } from "../data/columns.ts";
import { baseOption, fontSize, summaryOf, textStyle } from "../data/echarts.ts";
import { formatValue, numberOf } from "../formats/format-value.ts";
import type { ChartModel, ChartPoint, ChartSpace, ResultTable } from "../model/model.ts";
import { note } from "../model/notes.ts";
import { categoryColors, surfaceColors } from "../scales/colors.ts";
import { extent } from "../scales/ticks.ts";
import { fitText, isolated } from "../scales/text-width.ts";
import { cutNotes, tableOf } from "./table.ts";

/** A value of a dimension. The same value of two dimensions is two nodes, so that flows never run in circles. */
interface FlowNode {
  readonly id: string;
  readonly level: number;
  readonly text: string;
  size: number;
}

interface Flow {
  readonly from: FlowNode;
  readonly to: FlowNode;
  value: number;
  readonly row: number;
}

/** Returns a sankey diagram of two dimensions or more; refuses negative values. */
export function describeSankey(
  result: ResultTable,
  config: ChartConfig,
  space: ChartSpace,
): ChartModel {
  const places = placesOf(result, config);
  const [measure] = measuresOf(places, config);
  if (measure === undefined) throw refusal("chart.refused.measures", "sankey", { count: 1 });
  const levels = dimensionsOf(places);
  if (levels.length < 2) throw refusal("chart.refused.dimensions", "sankey", { count: 2 });
  const { nodes, flows } = readFlows(result, levels, { measure, space });
  if (flows.length === 0) return { kind: "empty" };
  const most = Math.max(2, Math.floor(space.height / 22));
  const kept = new Set(levels.flatMap((_, level) => largestOf(nodes, level, most)));
  const shown = flows.filter(({ from, to }) => kept.has(from) && kept.has(to));
  const notes = [...cutNotes(result)];
  if (kept.size < nodes.length) {
    notes.push(note("chart.cutCategories", { shown: kept.size, total: nodes.length }));
  }
  const write = (value: number) => formatValue(value, measure.column, space);
  const points = shown.map(({ from, to, value, row }, dataIndex): ChartPoint => ({
    seriesIndex: 0,
    dataIndex,
    label: `${isolated(from.text)} → ${isolated(to.text)}: ${write(value)}`,
    row,
  }));
  const range = extent(flows.map(({ value }) => value)) ?? [0, 0];
  return {
    kind: "echarts",
    chart: "sankey",
    option: optionOf([...kept], shown, { levels: levels.length, space, points, write }),
    table: tableOf(result, config, space),
    summary: summaryOf("sankey", { result, values: range.map(write), space }),
    notes,
    points,
  };
}

function readFlows(
  { rows }: ResultTable,
  levels: readonly Place[],
  { measure, space }: { measure: Place; space: ChartSpace },
) {
  const nodes = new Map<string, FlowNode>();
  const flows = new Map<string, Flow>();
  for (const [row, cells] of rows.entries()) {
    const value = numberOf(cells[measure.index]);
    if (value === null || value === 0) continue;
    if (value < 0) throw refusal("chart.refused.negative", "sankey");
    const path = levels.map(({ index, column }, level) => {
      const text = formatValue(cells[index], column, space);
      const id = `${level} ${text}`;
      const node = nodes.get(id) ?? { id, level, text, size: 0 };
      node.size += value;
      nodes.set(id, node);
      return node;
    });
    for (const [level, to] of path.entries()) {
      const from = path[level - 1];
      if (from === undefined) continue;
      const key = `${from.id}\u0000${to.id}`;
      const flow = flows.get(key) ?? { from, to, value: 0, row };
      flow.value += value;
      flows.set(key, flow);
    }
  }
  return { nodes: [...nodes.values()], flows: [...flows.values()] };
}

function largestOf(nodes: readonly FlowNode[], level: number, most: number): readonly FlowNode[] {
  return nodes
    .filter((node) => node.level === level)
    .toSorted((a, b) => b.size - a.size)
    .slice(0, most);
}

interface OptionInput {
  readonly levels: number;
  readonly space: ChartSpace;
  readonly points: readonly ChartPoint[];
  readonly write: (value: number) => string;
}

interface Hovered {
  readonly dataType?: string;
  readonly name: string;
  readonly seriesIndex: number;
  readonly dataIndex: number;
}

function optionOf(
  nodes: readonly FlowNode[],
  flows: readonly Flow[],
  { levels, space, points, write }: OptionInput,
): object {
  const linked = new Set(flows.flatMap(({ from, to }) => [from, to]));
  const shown = nodes.filter((node) => linked.has(node));
  const colors = categoryColors(
    shown.map(({ text }) => text),
    space,
  );
  const room = Math.max(30, (space.width / levels) * 0.7);
  const texts = new Map(shown.map(({ id, text }) => [id, fitText(text, fontSize, room)]));
  const { text: color, line } = surfaceColors(space);
  const base = baseOption(space, points);
  const sizes = new Map(
    shown.map(({ id, text, size }) => [id, `${isolated(text)}: ${write(size)}`]),
  );
  return {
    ...base,
    tooltip: {
      ...base.tooltip,
      formatter: (hovered: Hovered) =>
        hovered.dataType === "node"
          ? escaped(sizes.get(hovered.name) ?? "")
          : base.tooltip.formatter(hovered),
    },
    series: [
      {
        type: "sankey",
        left: 0,
        right: 0,
        top: 4,
        bottom: 4,
        nodeWidth: 12,
        nodeGap: 8,
        draggable: false,
        emphasis: { focus: "adjacency" },
        lineStyle: { color: "source", opacity: 0.3 },
        itemStyle: { borderColor: line, borderWidth: 0 },
        label: {
          ...textStyle(space),
          color,
          formatter: ({ name }: { name: string }) => texts.get(name) ?? "",
        },
        data: shown.map(({ id, level }, at) => ({
          name: id,
          depth: level,
          itemStyle: { color: colors[at] },
          label: { position: level === levels - 1 ? "left" : "right" },
        })),
        links: flows.map(({ from, to, value }) => ({ source: from.id, target: to.id, value })),
      },
    ],
  };
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/gu, (character) => `&#${character.charCodeAt(0)};`);
}
