// Draws a dashboard to a file: a PNG, or a PDF with a picture on each page.
import { createRequire } from "node:module";
import { deflateSync } from "node:zlib";
import { Resvg } from "@resvg/resvg-js";
import {
  concatTransformationMatrix,
  drawObject,
  PDFDocument,
  PDFName,
  PDFRawStream,
  type PDFRef,
  popGraphicsState,
  pushGraphicsState,
} from "pdf-lib";
import { limits } from "../../../core/limits/limits.ts";
import type { Picture, PictureFormat } from "./picture-input.ts";
import { type Drawing, drawPages, drawPicture } from "./page.ts";

/** Returns the bytes of the file. */
export async function drawFile(picture: Picture, format: PictureFormat): Promise<Uint8Array> {
  if (format === "png") return rasterize(drawPicture(picture)).asPng();
  const document = await PDFDocument.create();
  document.setTitle(picture.title);
  document.setProducer("svc");
  document.setCreator("svc");
  for (const drawing of drawPages(picture)) {
    // A4 is 595 points wide.
    const size = [595, (595 * drawing.height) / drawing.width] as const;
    const page = document.addPage([...size]);
    page.node.setXObject(PDFName.of("Picture"), embedPixels(document, rasterize(drawing)));
    page.pushOperators(
      pushGraphicsState(),
      concatTransformationMatrix(size[0], 0, 0, size[1], 0, 0),
      drawObject("Picture"),
      popGraphicsState(),
    );
  }
  return document.save();
}

/** Embeds pixels. The library would decode and encode a PNG in JavaScript, which takes seconds. */
function embedPixels({ context }: PDFDocument, { pixels, width, height }: Raster): PDFRef {
  const colors = Buffer.allocUnsafe(width * height * 3);
  for (let from = 0, to = 0; from < pixels.length; from += 4, to += 3) {
    colors[to] = pixels[from] ?? 0;
    colors[to + 1] = pixels[from + 1] ?? 0;
    colors[to + 2] = pixels[from + 2] ?? 0;
  }
  const described = context.obj({
    Type: "XObject",
    Subtype: "Image",
    Width: width,
    Height: height,
    ColorSpace: "DeviceRGB",
    BitsPerComponent: 8,
    Filter: "FlateDecode",
  });
  return context.register(PDFRawStream.of(described, deflateSync(colors)));
}

const require = createRequire(import.meta.url);

/** Fonts that packages bring, so that texts are visible on a machine without fonts. */
const fontFiles = [
  "@expo-google-fonts/inter/400Regular/Inter_400Regular.ttf",
  "@expo-google-fonts/inter/600SemiBold/Inter_600SemiBold.ttf",
  // Scripts and symbols that Inter lacks.
  "dejavu-fonts-ttf/ttf/DejaVuSans.ttf",
].map((file) => require.resolve(file));

type Raster = ReturnType<Resvg["render"]>;

/** Returns the pixels of a drawing: two for each point in both directions, fewer if it is large. */
function rasterize({ svg, width, height }: Drawing): Raster {
  const scale = Math.min(2, Math.sqrt(limits.drawPixels / (width * height)));
  const resvg = new Resvg(svg, {
    // Characters that no font of the packages has, such as Chinese ones, need a font of the system.
    font: {
      loadSystemFonts: true,
      fontFiles,
      defaultFontFamily: "Inter",
      sansSerifFamily: "Inter",
    },
    fitTo: { mode: "zoom", value: scale },
  });
  return resvg.render();
}
