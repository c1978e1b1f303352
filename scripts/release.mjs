// `npm run release [-- FOLDER]`: writes the releases of svc and of the Terraform provider, each into a folder.
import { join, resolve } from "node:path";
import { root } from "./install.mjs";
import { printRelease, releaseProgram } from "./release-program.mjs";
import { releaseTerraform } from "./release-terraform.mjs";

// Most of the time goes into an executable for each platform and the download of its Node.js.
console.error("Building the archives; about two minutes ...");
const folder = resolve(process.argv[2] ?? join(root, "dist", "release"));
for (const file of await releaseTerraform(join(folder, "terraform"))) console.log(file);
printRelease(await releaseProgram(join(folder, "svc")));
