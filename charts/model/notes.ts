// The texts of charts in English, by key. Pages translate by the key.

/** The texts by their keys. `{name}` stands for a value. */
export const chartTexts = {
  "chart.other": "Other",
  "chart.total": "Total",
  "chart.noData": "No data",
  "chart.cutSeries": "{shown} of {total} series",
  "chart.cutCategories": "First {shown} of {total} categories",
  "chart.cutSmallest": "Largest {shown} of {total} categories",
  "chart.cutTimes": "Last {shown} of {total} periods",
  "chart.cutPoints": "First {shown} of {total} points",
  "chart.cutColumns": "First {shown} of {total} columns",
  "chart.moreRows": "First {shown} rows",
  "chart.someLabels": "{shown} of {total} labels",
  "chart.hiddenLegend": "No room for the legend",
  "chart.withoutTime": "{count} rows without a time are left out",
  "chart.firstValues": "Several rows have one place: the first is drawn",
  "chart.notCompared": "The period is still running, so it is not compared",
  "chart.otherHolds": "Other holds {count} of {total} series",
  "chart.compared": "vs. {with}",
  "chart.target": "target",
  "chart.summary": "{chart} of {measures} by {dimensions}, {count} values from {least} to {most}.",
  "chart.summaryAlone": "{chart} of {measures}, {count} values from {least} to {most}.",
  "chart.name.bar": "Bar chart",
  "chart.name.line": "Line chart",
  "chart.name.area": "Area chart",
  "chart.name.scatter": "Scatter chart",
  "chart.name.pie": "Pie chart",
  "chart.name.heatmap": "Heatmap",
  "chart.name.funnel": "Funnel",
  "chart.name.boxplot": "Box plot",
  "chart.name.sankey": "Sankey diagram",
  "chart.name.number": "Number",
  "chart.name.pivot": "Pivot table",
  "chart.refused.negative": "{chart}: negative values cannot be shown. Use a bar chart.",
  "chart.refused.negativeShares":
    "Shares of 100 % cannot show negative values. Use stacking without percent.",
  "chart.refused.map": "Maps are not drawn, because no shapes of regions are installed.",
  "chart.refused.measures": "{chart}: {count} numeric measures are needed.",
  "chart.refused.dimensions": "{chart}: {count} dimensions are needed.",
  "chart.refused.member": "The result has no column {member}.",
} as const;

/** A key of {@link chartTexts}. */
export type ChartTextKey = keyof typeof chartTexts;

/** A text of a chart for translation. */
export interface ChartNote {
  readonly key: ChartTextKey;
  readonly values: Readonly<Record<string, string | number>>;
}

/** Returns a note. */
export function note(key: ChartTextKey, values: ChartNote["values"] = {}): ChartNote {
  return { key, values };
}

/** Returns a note in English. */
export function noteText({ key, values }: ChartNote): string {
  return chartTexts[key].replace(/\{(\w+)\}/gu, (_, name: string) => String(values[name] ?? ""));
}

/** Returns a note in the language of the viewer. */
export function textIn(
  space: { readonly translate?: (note: ChartNote) => string | undefined },
  one: ChartNote,
): string {
  return space.translate?.(one) ?? noteText(one);
}

/** Returns the name of a type of chart in the language of the viewer. */
export function nameOf(chart: string, space: Parameters<typeof textIn>[0]): string {
  return textIn(space, note(`chart.name.${chart}` as ChartTextKey));
}
