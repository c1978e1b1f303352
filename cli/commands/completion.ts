// `svc completion SHELL`: prints the script with which a shell completes command lines of svc.
import { Argument, Command } from "commander";
import { withExamples } from "../shared/help/examples.ts";
import type { Shell } from "../completion/scripts.ts";

const shells: readonly Shell[] = ["bash", "zsh", "fish", "powershell"];

/** Returns the `completion` command. */
export function completionCommand(): Command {
  const command = new Command("completion")
    .description(
      "Print the completion script of a shell. It completes commands, options, values, and names " +
        "of the server, which are read for at most a second and kept for a minute.\n\n" +
        'For bash, the line eval "$(svc completion bash)" in ~/.bashrc works too; for zsh, eval "$(svc completion zsh)" in ~/.zshrc.',
    )
    .addArgument(new Argument("<shell>", "name of the shell").choices(shells))
    .action(async (shell: Shell) => {
      const { completionScripts } = await import("../completion/scripts.ts");
      process.stdout.write(completionScripts[shell]);
    });
  return withExamples(command, {
    "bash, with the package bash-completion":
      "svc completion bash > ~/.local/share/bash-completion/completions/svc",
    "zsh, in a folder of fpath": "svc completion zsh > ~/.zfunc/_svc",
    fish: "svc completion fish > ~/.config/fish/completions/svc.fish",
    "PowerShell, in $PROFILE": "svc completion powershell | Out-String | Invoke-Expression",
  });
}
