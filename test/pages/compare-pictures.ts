// Compares pictures of pages with references by the mean colors of blocks. Other versions of the browser and other settings of
// fonts, which draw other edges of letters and move them by a pixel, draw the same picture; marks of another size, color or
// place do not. Texts that are cut or on each other are found by their boxes.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";

const folder = join(import.meta.dirname, "pictures");
const writes = process.env["SVC_TEST_PICTURES"] === "write";

/** Pixels of a side of a block. */
const block = 32;
/** By how much of 255 the mean of a block may differ, in each color. */
const tolerance = 12;

/**
 * Returns how a picture differs from the reference with a name; "" if it does not. References are half as wide and high.
 * `SVC_TEST_PICTURES=write` replaces those that differ.
 */
export async function differenceFrom(
  name: string,
  picture: Buffer,
  browser: Browser,
): Promise<string> {
  const path = join(folder, `${name}.png`);
  const page = await browser.newPage();
  const own = await page.evaluate<Blocks>(readBlocks(picture, block));
  const reference = existsSync(path)
    ? await page.evaluate<Blocks>(readBlocks(readFileSync(path), block / 2))
    : undefined;
  await page.close();
  const text = difference(own, reference);
  if (text === "") return "";
  if (writes) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path, Buffer.from(own.half, "base64"));
    process.stdout.write(`${name}: ${text}; written\n`);
    return "";
  }
  const shown = join(tmpdir(), `${name}.png`);
  writeFileSync(shown, picture);
  return `${text}; see ${shown}`;
}

/** A picture as the mean colors of its blocks. */
interface Blocks {
  readonly across: number;
  readonly down: number;
  /** Red, green and blue of each block. */
  readonly means: readonly number[];
  /** The picture in half its size, as PNG. */
  readonly half: string;
}

function difference(own: Blocks, reference: Blocks | undefined): string {
  if (reference === undefined) return "there is no reference";
  const { across, down, means } = own;
  if (reference.across !== across || reference.down !== down) {
    return `it has ${across} × ${down} blocks, the reference ${reference.across} × ${reference.down}`;
  }
  const isOff = means.map((mean, at) => Math.abs(mean - (reference.means[at] ?? 0)) > tolerance);
  const places = Array.from({ length: across * down }, (_, at) => at).filter((at) =>
    isOff.slice(3 * at, 3 * at + 3).includes(true),
  );
  if (places.length === 0) return "";
  const shown = places
    .slice(0, 5)
    .map((at) => `${(at % across) * block}, ${Math.floor(at / across) * block}`);
  return `${places.length} blocks differ, the first at ${shown.join("; ")}`;
}

/** Returns the script with which the browser reads a PNG. */
function readBlocks(png: Buffer, side: number): string {
  return `(async () => {
    const image = new Image();
    image.src = "data:image/png;base64,${png.toString("base64")}";
    await image.decode();
    const draw = (width, height) => {
      const canvas = Object.assign(document.createElement("canvas"), { width, height });
      canvas.getContext("2d").drawImage(image, 0, 0, width, height);
      return canvas;
    };
    const { width, height } = image;
    const { data } = draw(width, height).getContext("2d").getImageData(0, 0, width, height);
    const [across, down] = [Math.floor(width / ${side}), Math.floor(height / ${side})];
    const means = new Array(across * down * 3).fill(0);
    for (let y = 0; y < down * ${side}; y++) {
      for (let x = 0; x < across * ${side}; x++) {
        const at = (Math.floor(y / ${side}) * across + Math.floor(x / ${side})) * 3;
        for (const color of [0, 1, 2]) means[at + color] += data[(y * width + x) * 4 + color] / ${side * side};
      }
    }
    const half = draw(Math.floor(width / 2), Math.floor(height / 2)).toDataURL().split(",")[1];
    return { across, down, means, half };
  })()`;
}
