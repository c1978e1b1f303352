// `node scripts/generate-sdks.ts [FOLDER]`: writes the SDKs into the repository, or below another folder.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { sdkTexts, writeSdks } from "./sdk-files.ts";

const root = join(import.meta.dirname, "..");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  version: string;
};
writeSdks(resolve(process.argv[2] ?? root), sdkTexts(version));
