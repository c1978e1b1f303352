// What charts write on their canvases: each text with its box, so that tests find texts that are cut or on each other.
import type { Page } from "playwright-core";

/** A text on a canvas, in pixels of the page from its corner. */
export interface DrawnText {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** The texts of a canvas. */
interface DrawnCanvas {
  readonly title: string;
  readonly width: number;
  readonly height: number;
  readonly texts: readonly DrawnText[];
}

/** Keeps what charts write. Call it before the page opens. */
export async function keepTexts(page: Page): Promise<void> {
  await page.addInitScript(`{
    const drawn = new WeakMap();
    const { fillText, clearRect } = CanvasRenderingContext2D.prototype;
    Object.assign(CanvasRenderingContext2D.prototype, {
      clearRect(...box) {
        drawn.set(this.canvas, []);
        clearRect.apply(this, box);
      },
      fillText(text, x, y, ...more) {
        const size = this.measureText(text);
        const { a, d, e, f } = this.getTransform();
        const scale = devicePixelRatio;
        drawn.get(this.canvas)?.push({
          text,
          left: ((x - size.actualBoundingBoxLeft) * a + e) / scale,
          right: ((x + size.actualBoundingBoxRight) * a + e) / scale,
          top: ((y - size.actualBoundingBoxAscent) * d + f) / scale,
          bottom: ((y + size.actualBoundingBoxDescent) * d + f) / scale,
        });
        fillText.call(this, text, x, y, ...more);
      },
    });
    globalThis.drawnCanvases = () => [...document.querySelectorAll("canvas")].map((canvas) => ({
      title: canvas.closest("section")?.getAttribute("aria-label") ?? "",
      width: canvas.clientWidth,
      height: canvas.clientHeight,
      texts: drawn.get(canvas) ?? [],
    }));
  }`);
}

/** Returns the texts that are not whole on their canvas, and those that are on another one. */
export async function textProblems(page: Page): Promise<readonly string[]> {
  const canvases = await page.evaluate<readonly DrawnCanvas[]>("drawnCanvases()");
  return canvases.flatMap(({ title, width, height, texts }) => [
    ...texts
      .filter(({ left, right, top, bottom }) => {
        return left < -1 || top < -1 || right > width + 1 || bottom > height + 1;
      })
      .map(({ text }) => `${title}: ${text} is cut`),
    ...texts.flatMap((one, at) =>
      texts
        .slice(at + 1)
        .filter((other) => isOn(one, other))
        .map((other) => `${title}: ${one.text} is on ${other.text}`),
    ),
  ]);
}

function isOn(one: DrawnText, other: DrawnText): boolean {
  const across = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  const down = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
  return across > 1 && down > 1;
}

/** Returns the elements of the page that are outside what holds them, or on each other. */
export async function boxProblems(page: Page): Promise<readonly string[]> {
  return page.evaluate<readonly string[]>(`(() => {
    const nameOf = (element) => element.className + " " + element.textContent.slice(0, 40);
    const boxes = [...document.querySelectorAll(".grid > .cell")].map((element) =>
      [element, element.getBoundingClientRect()]);
    const covers = boxes.flatMap(([one, a], at) => boxes.slice(at + 1)
      .filter(([other, b]) => !one.contains(other) && !other.contains(one) &&
        Math.min(a.right, b.right) - Math.max(a.left, b.left) > 0.5 &&
        Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0.5)
      .map(([other]) => nameOf(one) + " is on " + nameOf(other)));
    const inside = ".chart-head, .chart-space, .chart-body, .chart-notes, .chart-canvas, .number, .number-value, .number-comparison";
    const cut = [...document.querySelectorAll(inside)].filter((element) => {
      const own = element.getBoundingClientRect();
      const frame = element.closest(".cell").getBoundingClientRect();
      return own.left < frame.left - 1 || own.right > frame.right + 1 || own.top < frame.top - 1 ||
        own.bottom > frame.bottom + 1;
    }).map((element) => nameOf(element) + " is outside its widget");
    const { scrollWidth, clientWidth } = document.documentElement;
    return [...covers, ...cut, ...(scrollWidth > clientWidth ? ["the page is wider than its window"] : [])];
  })()`);
}
