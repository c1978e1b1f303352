// Draws a dashboard to a file: a PNG, or a PDF.
import { Resvg } from "@resvg/resvg-js";
import { limits } from "../../../core/limits/limits.ts";
import { createFontChooser, fontFiles, missingText, replacement } from "./fonts.ts";
import { type Drawing, drawPages, drawPicture } from "./page.ts";
import { writePdf } from "./pdf.ts";
import type { Picture, PictureFormat } from "./picture-input.ts";

/** Fonts stay open for further files. */
const fonts = createFontChooser();

/** Returns the bytes of the file. */
export async function drawFile(picture: Picture, format: PictureFormat): Promise<Uint8Array> {
  const draw = (one: Picture) => (format === "png" ? [drawPicture(one)] : drawPages(one));
  const drawn = draw(picture);
  const missing = fonts.missingIn(drawn.map(({ svg }) => svg).join(""));
  const footer = [picture.footer, missingText(missing)].join("   ·   ");
  const drawings = missing.length === 0 ? drawn : draw({ ...picture, footer });
  if (format === "pdf") return writePdf(drawings, { title: picture.title, fonts });
  const [drawing = { svg: "", width: 1, height: 1 }] = drawings;
  return rasterize({ ...drawing, svg: withoutMissing(drawing.svg, missing) });
}

/** Replaces the characters of a text that no font has. */
function withoutMissing(text: string, missing: readonly string[]): string {
  return missing.reduce((svg, character) => svg.replaceAll(character, replacement), text);
}

/** Returns the PNG of a drawing: two pixels for each point in both directions, fewer if it is large. */
export function rasterize({ svg, width, height }: Drawing): Uint8Array {
  const scale = Math.min(2, Math.sqrt(limits.drawPixels / (width * height)));
  const resvg = new Resvg(svg, {
    // Characters that no font of the packages has, such as Chinese ones, need a font of the system.
    font: {
      loadSystemFonts: true,
      fontFiles: [...fontFiles],
      defaultFontFamily: "Inter",
      sansSerifFamily: "Inter",
    },
    fitTo: { mode: "zoom", value: scale },
  });
  return resvg.render().asPng();
}
