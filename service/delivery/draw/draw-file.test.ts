// Files of dashboards: their pages, texts and pixels.
import { describe, expect, it } from "vitest";
import { colorAt, lookOf, type ResultColumn, type ResultTable } from "../../../charts/index.ts";
import { chartTypes } from "../../../core/spec/chart-config.ts";
import { readPdf } from "../../../test/support/read-pdf.ts";
import { drawFile } from "./draw-file.ts";
import { createFontChooser } from "./fonts.ts";
import { drawPages, drawPicture } from "./page.ts";
import type { Picture, PictureWidget } from "./picture-input.ts";

const column = (name: string, kind: ResultColumn["kind"]): ResultColumn => ({
  name,
  title: name,
  kind,
  type: kind === "measure" ? "number" : "string",
});
const regions = ["north", "south & east", "west"];
/** Two dimensions and five measures: enough for every type of chart. */
const result: ResultTable = {
  columns: [
    ...["region", "status"].map((name) => column(name, "dimension")),
    ...["a", "b", "c", "d", "e"].map((name) => column(name, "measure")),
  ],
  rows: regions.flatMap((region, at) =>
    ["paid", "open"].map((status, more) => [
      region,
      status,
      ...[0, 1, 2, 3, 4].map((n) => 10 * at + more + n),
    ]),
  ),
  isCut: false,
};
const chart = (title: string, config: object, [x, y, w, h]: readonly number[] = [0, 0, 12, 8]) =>
  ({ x, y, w, h, content: { kind: "chart", title, config, result, now: "" } }) as PictureWidget;
const picture = (widgets: readonly PictureWidget[], more: Partial<Picture> = {}): Picture => ({
  title: "The week",
  look: lookOf({}),
  description: "",
  controls: [],
  footer: "As of 2026-03-02 05:00 (UTC)",
  widgets,
  ...more,
});
const pdf = async (one: Picture) => readPdf(await drawFile(one, "pdf"));

describe("a PDF", () => {
  it.each(chartTypes)(
    "has a chart of the type %s as vectors, and its texts as text",
    async (type) => {
      const { pages, images, fonts } = await pdf(picture([chart(`A ${type}`, { chart: type })]));
      expect(images).toBe(0);
      expect(fonts).toEqual(expect.arrayContaining(["Inter-Regular", "Inter-SemiBold"]));
      const texts = pages[0]?.texts ?? [];
      expect(texts).toEqual(
        expect.arrayContaining(["The week", `A ${type}`, "As of 2026-03-02 05:00 (UTC)"]),
      );
      if (type !== "html") expect(texts.length).toBeGreaterThan(5);
    },
  );

  it("has small multiples with their names", async () => {
    const config = { chart: "bar", multiples: "region", x: "status", y: "a" };
    const { pages } = await pdf(picture([chart("Regions", config)]));
    expect(pages[0]?.texts).toEqual(expect.arrayContaining(["Regions", ...regions]));
  });

  it("has links where the values of tables lead to pages of the web", async () => {
    const region = [
      "https://x.example/north?q=1",
      "javascript:alert(1)",
      ...result.rows.map(() => null),
    ];
    const content = {
      kind: "chart",
      title: "Regions",
      config: { chart: "table" },
      result: { ...result, addresses: { region: region.slice(0, result.rows.length) } },
      now: "",
    } as const;
    const table = picture([{ x: 0, y: 0, w: 12, h: 8, content }]);
    const { links, pages } = await pdf(table);
    expect(links).toEqual(["https://x.example/north?q=1"]);
    expect(pages[0]?.texts).toContain("north");
    // A picture has none, and is the same.
    const plain = { ...content, result };
    const png = async (one: typeof content | typeof plain) =>
      Buffer.from(await drawFile(picture([{ x: 0, y: 0, w: 12, h: 8, content: one }]), "png"));
    expect((await png(content)).equals(await png(plain))).toBe(true);
  });

  it("has the bars of a table behind its numbers, as the page draws them", () => {
    const conditions = [{ member: "a", scale: "bars" }];
    const { svg } = drawPicture(picture([chart("Bars", { chart: "table", conditions })]));
    const { card, accent } = lookOf({});
    const fill = colorAt([card, accent], 0.25);
    const widths = [...svg.matchAll(/<rect [^>]*width="([\d.]+)"[^>]*fill="(#\w+)"/gu)]
      .filter(([, , color]) => color === fill)
      .map(([, width]) => Number(width));
    expect(widths.map((width) => width / Math.max(...widths))).toEqual(
      result.rows.slice(1).map((row) => expect.closeTo(Number(row[2]) / 21, 2)),
    );
  });

  it("is across for a low dashboard, and upright for a high one", async () => {
    const sizeOf = async (height: number) => {
      const { pages } = await pdf(picture([chart("One", {}, [0, 0, 12, height])]));
      return pages.map(({ width, height: high }) => [width, high]);
    };
    expect(await sizeOf(12)).toEqual([[841.89, 595.28]]);
    expect(await sizeOf(28)).toEqual([[595.28, 841.89]]);
  });

  it("has each widget on one page, with the title and the number of the page on each", async () => {
    const rows = Array.from({ length: 9 }, (_, row) =>
      [0, 6].map((x) => chart(`chart ${row} ${x}`, {}, [x, 8 * row, 6, 8])),
    );
    const { pages } = await pdf(picture(rows.flat()));
    const titles = pages.map(({ texts }) => texts.filter((text) => /^chart \d \d$/.test(text)));
    expect(titles.flat()).toEqual(
      rows.flat().map(({ content }) => "title" in content && content.title),
    );
    // Charts that are side by side stay together.
    expect(titles.every((list) => list.length % 2 === 0)).toBe(true);
    expect(pages.length).toBeGreaterThan(1);
    pages.forEach(({ texts }, at) =>
      expect(texts).toEqual(expect.arrayContaining(["The week", `${at + 1} of ${pages.length}`])),
    );
  });

  it("makes a widget that is higher than a page as high as one, and says what it leaves out", async () => {
    const rows = Array.from({ length: 500 }, (_, at) => [`row ${at}`, "paid", 1, 2, 3, 4, 5]);
    const content = {
      ...chart("", {}).content,
      config: { chart: "table" },
      result: { ...result, rows },
    };
    const { pages } = await pdf(picture([{ x: 0, y: 0, w: 12, h: 400, content }]));
    const texts = pages.flatMap((page) => page.texts);
    const shown = texts.filter((text) => /^row \d+$/.test(text)).length;
    expect(shown).toBeGreaterThan(40);
    expect([
      pages.length,
      texts.some((text) => text.startsWith(`${500 - shown} more rows`)),
    ]).toEqual([1, true]);
  });

  it("leaves columns of a pivot out, and cuts no number and no name of a row", async () => {
    const months = Array.from({ length: 11 }, (_, at) => `Month ${at + 1}`);
    const rows = ["Bike 10", "Bike 100"].flatMap((bike) =>
      months.map((month, at) => [bike, month, 1_234_567.25 + at]),
    );
    const columns = ["bike", "month"].map((name) => column(name, "dimension"));
    const pivot = { rows: ["bike"], columns: ["month"] };
    const content = {
      ...chart("", { chart: "pivot", pivot, totals: true }).content,
      result: {
        columns: [...columns, { ...column("income", "measure"), aggType: "sum" }],
        rows,
        isCut: false,
      },
    } as PictureWidget["content"];
    const { pages } = await pdf(picture([{ x: 0, y: 0, w: 6, h: 8, content }]));
    const texts = pages.flatMap((page) => page.texts);
    expect(texts).toEqual(expect.arrayContaining(["Bike 10", "Bike 100", "Total", "2,469,134.5"]));
    expect(texts.filter((text) => text.includes("…"))).toEqual([]);
    const shown = texts.filter((text) => text.startsWith("Month ")).length;
    expect(shown).toBeGreaterThan(3);
    // The totals of rows are a column too.
    expect(texts).toContain(`${12 - shown} more columns on the dashboard`);
  });

  it("has the whole title of the dashboard in two lines", async () => {
    const title =
      "A very long title of a dashboard that somebody wrote without thinking about paper";
    const { pages } = await pdf(picture([chart("One", {})], { title, account: "Northwind" }));
    const texts = pages[0]?.texts ?? [];
    expect(texts.slice(0, 2).join(" ")).toBe(title);
    expect(texts).toContain("Northwind");
  });

  it("has the course of a number, and an arrow at its change", () => {
    const time = { ...column("day", "timeDimension"), type: "time", granularity: "day" };
    const rows = [
      ["2026-01-01T00:00:00.000", 1],
      ["2026-01-02T00:00:00.000", 3],
    ];
    const income = { columns: [time, column("income", "measure")], rows, isCut: false };
    const widget = chart("Income", { chart: "number" }, [0, 0, 4, 5]);
    const content = { ...widget.content, result: income } as PictureWidget["content"];
    const { svg } = drawPicture(picture([{ ...widget, content }]));
    expect(svg).toMatch(/<polyline[^>]* points="0\.0,26\.0 120\.0,2\.0"/);
    expect(svg).toContain("Jan 2, 2026");
    expect(svg).toContain("▲ +200.0% vs. Jan 1, 2026");
    expect(createFontChooser().missingIn("▲▼")).toEqual([]);
  });

  it("keeps the text of characters that no font has, and says which these are", async () => {
    const { pages } = await pdf(
      picture([], { title: "Umsätze 売上 😀", description: "مرحبا 12 (עולם)" }),
    );
    const texts = pages[0]?.texts ?? [];
    expect(texts).toEqual(expect.arrayContaining(["Umsätze ", "😀"]));
    // A machine with a Japanese font draws them.
    expect(texts.filter((text) => text === "売上")).toHaveLength(1);
    const says = texts.some((text) => text.includes("stands for Chinese or Japanese characters"));
    expect(says).toBe(createFontChooser().missingIn("売上").length > 0);
  });

  it("has texts with characters that XML does not allow", async () => {
    const rows = [["a\u0000b\ud800", "paid", 1, 2, 3, 4, 5]];
    const one = chart("x\u0001y", { chart: "bar" });
    const content = { ...one.content, result: { ...result, rows } } as PictureWidget["content"];
    const { pages } = await pdf(picture([{ ...one, content }]));
    expect(pages[0]?.texts).toContain("xy");
  });
});

it("has the name and the colors of the account, and opens the dashboard", async () => {
  const account = { light: { accentColor: "#aa0000", backgroundColor: "#fffff0" } };
  const link = "https://acme.example.com/embed/dashboard/abc";
  const look = lookOf({ account, dashboard: { cardColor: "#fafafa", foregroundColor: "#101112" } });
  const themed = picture([chart("One", { chart: "funnel" })], { look, account: "Acme", link });
  for (const { svg } of [drawPicture(themed), ...drawPages(themed)]) {
    for (const color of ["#aa0000", "#fffff0", "#fafafa", "#101112"]) expect(svg).toContain(color);
  }
  const { pages, links } = await pdf(themed);
  expect(links).toEqual([link]);
  expect(pages[0]?.texts).toEqual(
    expect.arrayContaining(["Acme", `As of 2026-03-02 05:00 (UTC) · ${link}`]),
  );
});

it("draws the styles of widgets and of the containers around them, and titles of tabs", () => {
  const style = {
    backgroundColor: "#010203",
    borderColor: "#040506",
    borderStyle: "dashed",
    borderWidth: "2px",
    padding: "10px",
    titleColor: "#070809",
    titleSize: "20px",
  };
  const one = { ...chart("One", {}, [0, 1, 6, 4]), style, inside: ["box"] };
  const tab = { x: 0, y: 0, w: 6, h: 1, content: { kind: "tab", title: "First" } } as const;
  const widgets = [{ ...tab, inside: ["box"] }, one, chart("Two", {}, [6, 0, 6, 5])];
  const frames = { box: { backgroundColor: "#0a0b0c", borderRadius: "4px" } };
  const { svg } = drawPicture(picture(widgets, { frames }));
  const rects = [...svg.matchAll(/<rect x="32" [^>]*>/g)].map(([rect]) => rect);
  expect(rects).toEqual([
    '<rect x="32" y="84" width="560" height="224" rx="4" fill="#0a0b0c"/>',
    expect.stringMatching(/^<rect x="32" width="[\d.]+" y="114" height="2" fill="#1d4ed8"\/>$/),
    '<rect x="32" y="132" width="560" height="176" rx="8" fill="#010203" stroke="#040506" stroke-width="2" stroke-dasharray="6"/>',
  ]);
  // In the padding of the widget.
  expect(svg).toMatch(/<text x="58" y="174"[^>]*font-size="20"[^>]*fill="#070809">One</);
  expect(svg).toContain(">First<");
});

it("says which text does not fit, and which columns", () => {
  const text = "A sentence of a long text. ".repeat(100);
  const columns = Array.from({ length: 40 }, (_, at) => column(`c${at}`, "measure"));
  const wide = { columns, rows: [columns.map(() => 1)], isCut: false };
  const table = {
    ...chart("", { chart: "table" }).content,
    result: wide,
  } as PictureWidget["content"];
  const { svg } = drawPicture(
    picture([
      { x: 0, y: 0, w: 4, h: 4, content: { kind: "text", text } },
      { x: 0, y: 4, w: 6, h: 6, content: table },
    ]),
  );
  expect(svg).toContain("More text on the dashboard");
  expect(svg).toMatch(/and 29 more columns on the dashboard|>29 more columns on the dashboard/);
});

describe("a PNG", () => {
  const sizeOf = async (widgets: readonly PictureWidget[]) => {
    const file = Buffer.from(await drawFile(picture(widgets), "png"));
    return [file.readUInt32BE(16), file.readUInt32BE(20)] as const;
  };

  it("has two pixels for each point, and fewer only beyond the limit of pixels", async () => {
    expect(await sizeOf([chart("One", {})])).toEqual([2400, 2 * (84 + 8 * 48 - 16 + 60)]);
    const [width, height] = await sizeOf([chart("One", {}, [0, 0, 12, 100])]);
    expect(width).toBeLessThan(2400);
    expect(width * height).toBeLessThan(16_100_000);
  });
});
