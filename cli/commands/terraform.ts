// `svc terraform install`: puts the bundled provider where Terraform and OpenTofu look for providers by themselves.
import { existsSync } from "node:fs";
import { chmod, copyFile, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { Failure } from "../../core/errors.ts";
import { exits } from "../exit.ts";
import { type OutputFlags, outputOptions } from "../output.ts";
import { perform } from "../perform.ts";

interface InstallFlags extends OutputFlags {
  readonly pluginDir?: string;
}

/** The registries that the engines take an address without a host to mean. */
const registries = ["registry.terraform.io", "registry.opentofu.org"] as const;
const source = "svc/svc";

/** The command, to be added to the program. */
export function terraformCommand(version: string): Command {
  const install = new Command("install")
    .summary("put the provider where the engines look for providers")
    .description(
      "Put the Terraform provider into the folder where Terraform and OpenTofu look for providers, so that " +
        "`init` finds it without any configuration of theirs.",
    )
    .option("--plugin-dir <folder>", "folder of providers (else ~/.terraform.d/plugins)")
    .action((flags: InstallFlags) =>
      perform(flags, async ({ output }) => {
        const root = flags.pluginDir ?? join(homedir(), ".terraform.d", "plugins");
        const files = await installIn(root, version);
        output.result({
          text: () => told(files, version),
          json: () => ({ installed: files, source, version }),
        });
        return exits.done;
      }),
    );
  return new Command("terraform")
    .description("The provider for Terraform and OpenTofu.")
    .addCommand(outputOptions(install));
}

async function installIn(root: string, version: string): Promise<readonly string[]> {
  const bundle = bundled();
  const launcher = await readFile(join(bundle, "terraform-provider-svc"), "utf8");
  // The provider needs the Node that is known to be new enough, whatever is first on PATH then.
  const own = launcher.replace("${SVC_NODE:-node}", `\${SVC_NODE:-'${process.execPath}'}`);
  const made: string[] = [];
  for (const registry of registries) {
    const folder = join(root, registry, source, version, platform());
    await mkdir(folder, { recursive: true });
    await copyFile(join(bundle, "provider.cjs"), join(folder, "provider.cjs.new"));
    await rename(join(folder, "provider.cjs.new"), join(folder, "provider.cjs"));
    const path = join(folder, `terraform-provider-svc_v${version}`);
    await writeFile(`${path}.new`, own);
    await chmod(`${path}.new`, 0o755);
    await rename(`${path}.new`, path);
    made.push(path);
  }
  return made;
}

/** The built provider: beside the built command, or in the checkout's dist. */
function bundled(): string {
  const places = ["terraform", "../terraform", "../../dist/terraform"];
  const folder = places
    .map((place) => join(import.meta.dirname, place))
    .find((one) => existsSync(join(one, "provider.cjs")));
  if (folder !== undefined) return folder;
  throw new Failure("usage", "the provider is not built", { remedy: "run `npm run build` first" });
}

function platform(): string {
  const machines: Readonly<Record<string, string>> = { x64: "amd64", ia32: "386" };
  const system = process.platform === "win32" ? "windows" : process.platform;
  return `${system}_${machines[process.arch] ?? process.arch}`;
}

function told(files: readonly string[], version: string): string {
  return `The provider is installed:
${files.map((file) => `  ${file}`).join("\n")}

Name it in a configuration, then run \`terraform init\` or \`tofu init\`:

  terraform {
    required_providers {
      svc = {
        source  = "${source}"
        version = "${version}"
      }
    }
  }`;
}
