// Builds the published packages: dist/, service/dist/ and web/embed/dist/.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { buildPackage } from "./build-package.mjs";
import { bundleEmbed } from "./bundle-embed.mjs";
import { bundleService } from "./bundle-service.mjs";
import { root } from "./install.mjs";

const outdir = join(root, "dist");

const serviceOutdir = join(root, "service", "dist");

const embedOutdir = join(root, "web", "embed", "dist");

for (const folder of [outdir, serviceOutdir, embedOutdir])
  rmSync(folder, { recursive: true, force: true });
try {
  await Promise.all([buildPackage(outdir), bundleService(serviceOutdir), bundleEmbed(embedOutdir)]);
} catch (error) {
  if (!error.errors) console.error(error);
  console.error("dist/ was not built, for the reasons above.");
  // `npm start` and `npm test` run the sources: a broken bundle does not keep them from installing.
  process.exitCode = process.env.SVC_BOOTSTRAP ? 0 : 1;
}
