// `npm run release [-- FOLDER]`: writes the releases of svc and of the Terraform provider, each into a folder.
import { join, resolve } from "node:path";
import { root } from "./install.mjs";
import { releaseProgram } from "./release-program.mjs";
import { releaseTerraform } from "./release-terraform.mjs";

console.error("Building the archives; about a minute ...");
const folder = resolve(process.argv[2] ?? join(root, "dist", "release"));
for (const file of await releaseTerraform(join(folder, "terraform"))) console.log(file);
for (const file of await releaseProgram(join(folder, "svc"))) console.log(file);
