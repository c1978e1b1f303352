// Writes drawings as the pages of a PDF: vectors, and texts that can be selected and searched.
import PdfDocument from "pdfkit";
import { invariant } from "../../../core/errors.ts";
import type { FontChooser, FontFace } from "./fonts.ts";
import type { Drawing } from "./page.ts";
import { parseSvg, type SvgElement } from "./svg-tree.ts";

type Pdf = InstanceType<typeof PdfDocument>;

/** The sides of A4 in points. */
const a4 = { short: 595.28, long: 841.89 } as const;

/** Returns a document with a page of A4 for each drawing. */
export async function writePdf(
  drawings: readonly Drawing[],
  { title, fonts }: { readonly title: string; readonly fonts: FontChooser },
): Promise<Uint8Array> {
  const pdf = new PdfDocument({
    autoFirstPage: false,
    info: { Title: title, Producer: "svc", Creator: "svc" },
    lang: "en-US",
    displayTitle: true,
    pdfVersion: "1.7",
  });
  const chunks: Uint8Array[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  pdf
    .on("data", (chunk: Uint8Array) => chunks.push(chunk))
    .on("end", resolve)
    .on("error", reject);
  for (const { svg, width, height, link } of drawings) {
    const size = width > height ? [a4.long, a4.short] : [a4.short, a4.long];
    pdf.addPage({ size, margin: 0 });
    const scale = (size[0] ?? 0) / width;
    pdf.save().scale(scale);
    drawElement(parseSvg(svg), { pdf, fonts, defined: new Map() });
    pdf.restore();
    if (link !== undefined) {
      const { x, y, width: wide, height: high } = link.box;
      pdf.link(x * scale, y * scale, wide * scale, high * scale, link.address);
    }
  }
  pdf.end();
  await promise;
  return Buffer.concat(chunks);
}

interface Page {
  readonly pdf: Pdf;
  readonly fonts: FontChooser;
  /** Elements that others name, by their IDs. */
  readonly defined: Map<string, SvgElement>;
  /** The color of texts in a link; undefined outside. */
  readonly linkColor?: string | undefined;
}

function drawElement(element: SvgElement, page: Page): void {
  const { tag, attributes, children } = element;
  if (tag === "style") return;
  if (tag === "defs") {
    for (const child of children) page.defined.set(child.attributes["id"] ?? "", child);
    return;
  }
  const { pdf } = page;
  pdf.save();
  transform(pdf, attributes["transform"]);
  clip(page, attributes["clip-path"]);
  if (tag === "text") {
    drawText(element, page);
  } else if (tag === "a") {
    addLink(pdf, element);
    for (const child of children) {
      drawElement(child, { ...page, linkColor: attributes["fill"] });
    }
  } else if (tag === "svg" || tag === "g") {
    if (tag === "svg") {
      pdf.translate(numberAt(attributes, "x"), numberAt(attributes, "y"));
      pdf.rect(0, 0, numberAt(attributes, "width"), numberAt(attributes, "height")).clip();
    }
    // Definitions may follow what names them.
    const inOrder = children.toSorted(
      (a, b) => Number(b.tag === "defs") - Number(a.tag === "defs"),
    );
    for (const child of inOrder) drawElement(child, page);
  } else {
    drawShape(element, page);
  }
  pdf.restore();
}

/** Adds a link where its first element is. */
function addLink(pdf: Pdf, { attributes, children: [area] }: SvgElement): void {
  const at = (name: string): number => numberAt(area?.attributes ?? {}, name);
  pdf.link(at("x"), at("y"), at("width"), at("height"), attributes["href"] ?? "");
}

function numberAt(attributes: SvgElement["attributes"], name: string, otherwise = 0): number {
  const number = Number.parseFloat(attributes[name] ?? "");
  return Number.isFinite(number) ? number : otherwise;
}

function numbersIn(text: string): readonly number[] {
  return (text.match(/-?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?/giu) ?? []).map(Number);
}

type Matrix = readonly [number, number, number, number, number, number];

/** Reads a transformation: `translate()` and `matrix()` are all that drawings have. */
function matrixOf(text: string): Matrix {
  const [, name, values = ""] = /^(translate|matrix)\(([^)]*)\)$/u.exec(text) ?? [];
  invariant(name, `the transformation ${text} of a drawing is unknown`);
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = numbersIn(values);
  return name === "translate" ? [1, 0, 0, 1, a, b] : [a, b, c, d, e, f];
}

function inverse([a, b, c, d, e, f]: Matrix): Matrix {
  const by = a * d - b * c;
  return [d / by, -b / by, -c / by, a / by, (c * f - d * e) / by, (b * e - a * f) / by];
}

function transform(pdf: Pdf, text: string | undefined): void {
  if (text !== undefined) pdf.transform(...matrixOf(text));
}

function clip(page: Page, reference: string | undefined): void {
  if (reference === undefined) return;
  for (const shape of named(page, reference).children) {
    const own = shape.attributes["transform"];
    transform(page.pdf, own);
    addPath(page.pdf, shape);
    page.pdf.clip();
    // The clipped elements have another transformation than the shape that clips them.
    if (own !== undefined) page.pdf.transform(...inverse(matrixOf(own)));
  }
}

function named({ defined }: Page, reference: string): SvgElement {
  const element = defined.get(/^url\(#(.+)\)$/u.exec(reference)?.[1] ?? "");
  invariant(element, `a drawing lacks ${reference}`);
  return element;
}

/** Adds the outline of a shape to the path. */
function addPath(pdf: Pdf, { tag, attributes }: SvgElement): void {
  const at = (name: string): number => numberAt(attributes, name);
  switch (tag) {
    case "path":
      pdf.path(attributes["d"] ?? "");
      return;
    case "rect":
      if (at("rx") > 0) pdf.roundedRect(at("x"), at("y"), at("width"), at("height"), at("rx"));
      else pdf.rect(at("x"), at("y"), at("width"), at("height"));
      return;
    case "circle":
      pdf.circle(at("cx"), at("cy"), at("r"));
      return;
    case "polyline":
    case "polygon": {
      pointsOf(attributes).forEach(([x, y], index) =>
        index === 0 ? pdf.moveTo(x, y) : pdf.lineTo(x, y),
      );
      if (tag === "polygon") pdf.closePath();
      return;
    }
    default:
      invariant(false, `the element ${tag} of a drawing is unknown`);
  }
}

function pointsOf(attributes: SvgElement["attributes"]): readonly (readonly [number, number])[] {
  const numbers = numbersIn(attributes["points"] ?? "");
  return numbers.flatMap((x, index) =>
    index % 2 === 0 ? [[x, numbers[index + 1] ?? 0] as const] : [],
  );
}

function drawShape(element: SvgElement, page: Page): void {
  const { pdf } = page;
  const { attributes } = element;
  const fill = paintOf(attributes, "fill", "#000000");
  const stroke =
    numberAt(attributes, "stroke-width", 1) > 0 ? paintOf(attributes, "stroke", "none") : undefined;
  if (fill === undefined && stroke === undefined) return;
  if (fill !== undefined) {
    pdf.fillColor(
      fill.reference === undefined
        ? fill.color
        : gradient(element, named(page, fill.reference), page),
    );
    pdf.fillOpacity(fill.opacity);
  }
  if (stroke !== undefined) {
    setLine(pdf, attributes);
    pdf.strokeColor(stroke.color).strokeOpacity(stroke.opacity);
  }
  addPath(pdf, element);
  if (fill !== undefined && stroke !== undefined) pdf.fillAndStroke();
  else if (fill !== undefined) pdf.fill();
  else pdf.stroke();
}

function setLine(pdf: Pdf, attributes: SvgElement["attributes"]): void {
  pdf.lineWidth(numberAt(attributes, "stroke-width", 1));
  pdf.lineCap(attributes["stroke-linecap"] ?? "butt");
  pdf.lineJoin(attributes["stroke-linejoin"] ?? "miter");
  pdf.miterLimit(numberAt(attributes, "stroke-miterlimit", 4));
  const dashes = numbersIn(attributes["stroke-dasharray"] ?? "");
  const phase = numberAt(attributes, "stroke-dashoffset");
  // The declarations of the package allow only one length.
  if (dashes.some((dash) => dash > 0)) pdf.addContent(`[${dashes.join(" ")}] ${phase} d`);
}

interface Paint {
  readonly color: string;
  readonly opacity: number;
  /** The gradient that is used instead of the color. */
  readonly reference?: string;
}

/** Returns the color of a fill or a stroke; undefined if nothing is visible. */
function paintOf(
  attributes: SvgElement["attributes"],
  name: "fill" | "stroke",
  otherwise: string,
): Paint | undefined {
  const text = attributes[name] ?? otherwise;
  const own = numberAt(attributes, "opacity", 1) * numberAt(attributes, `${name}-opacity`, 1);
  if (text.startsWith("url(")) return { color: "#000000", opacity: own, reference: text };
  const { color, alpha } = colorOf(text);
  return alpha * own === 0 ? undefined : { color, opacity: alpha * own };
}

/** Reads a color: hexadecimal, `rgb()`, `rgba()` or a name. */
function colorOf(text: string): {
  readonly color: string;
  readonly alpha: number;
} {
  if (text === "none" || text === "transparent") return { color: "#000000", alpha: 0 };
  const [, hex = ""] = /^#((?:[\da-f]{3,4}){1,2})$/iu.exec(text) ?? [];
  if (hex !== "") {
    const wide = hex.length < 6 ? hex.replaceAll(/./gu, "$&$&") : hex;
    return {
      color: `#${wide.slice(0, 6)}`,
      alpha: Number.parseInt(wide.slice(6, 8) || "ff", 16) / 255,
    };
  }
  if (/^rgba?\(/u.test(text)) {
    const [red = 0, green = 0, blue = 0, alpha = 1] = numbersIn(text);
    const parts = [red, green, blue].map((one) => Math.round(one).toString(16).padStart(2, "0"));
    return { color: `#${parts.join("")}`, alpha };
  }
  return { color: text, alpha: 1 };
}

/** Returns a gradient across a shape. ECharts draws the legends of scales with polygons. */
function gradient(shape: SvgElement, { tag, attributes, children }: SvgElement, { pdf }: Page) {
  const points = pointsOf(shape.attributes);
  invariant(tag === "linearGradient" && points.length > 0, "a gradient of a drawing is unknown");
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  const place = (list: readonly number[], name: string): number => {
    const least = Math.min(...list);
    return least + (Math.max(...list) - least) * numberAt(attributes, name);
  };
  const made = pdf.linearGradient(
    place(xs, "x1"),
    place(ys, "y1"),
    place(xs, "x2"),
    place(ys, "y2"),
  );
  for (const { attributes: stop } of children) {
    const { color, alpha } = colorOf(stop["stop-color"] ?? "#000000");
    made.stop(numberAt(stop, "offset") / 100, color, alpha * numberAt(stop, "stop-opacity", 1));
  }
  return made;
}

function drawText({ attributes, text }: SvgElement, { pdf, fonts, linkColor }: Page): void {
  const style = { ...attributes, ...declarationsOf(attributes["style"] ?? "") };
  const paint = paintOf(style, "fill", "#000000");
  const size = numberAt(style, "font-size", 12);
  if (paint === undefined || text.trim() === "") return;
  const weight = style["font-weight"] ?? "normal";
  const isBold = weight.startsWith("bold") || Number(weight) >= 600;
  const runs = fonts
    .runsOf(text, isBold)
    .map((run) => ({ ...run, width: widthOf(pdf, run, size) }));
  const width = runs.reduce((sum, run) => sum + run.width, 0);
  const share = { middle: 0.5, end: 1 }[style["text-anchor"] ?? ""] ?? 0;
  const rise = style["dominant-baseline"] === "central" ? fonts.main(isBold).middle * size : 0;
  let x = numberAt(style, "x") - width * share;
  const y = numberAt(style, "y") + rise;
  pdf.fillColor(linkColor ?? paint.color).fillOpacity(paint.opacity);
  for (const run of runs) {
    selectFont(pdf, run.face).fontSize(size);
    // Whoever selects or searches finds the text itself.
    if (run.instead !== undefined) pdf.markContent("Span", { actual: run.instead });
    pdf.text(run.text, x, y, { lineBreak: false, baseline: "alphabetic" });
    if (run.instead !== undefined) pdf.endMarkedContent();
    x += run.width;
  }
}

function widthOf(
  pdf: Pdf,
  run: { readonly text: string; readonly face: FontFace },
  size: number,
): number {
  return selectFont(pdf, run.face).fontSize(size).widthOfString(run.text);
}

function selectFont(pdf: Pdf, { bytes, name, isCollected }: FontFace): Pdf {
  return pdf.registerFont(name, bytes, isCollected ? name : undefined).font(name);
}

function declarationsOf(style: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    style.split(";").flatMap((one) => {
      const [name = "", value] = one.split(":").map((part) => part.trim());
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
