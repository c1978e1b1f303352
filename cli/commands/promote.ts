// `svc promote`: versions of the platform from stage to stage of a pipeline, and who lets them.
import { Command, Option } from "commander";
import { Failure } from "../../core/errors.ts";
import {
  pipelineStatus,
  promote,
  type Promoted,
  rollback,
} from "../../reconciler/promote/promote.ts";
import { approve, hold, release } from "../../reconciler/promote/words.ts";
import type { Start } from "../../reconciler/promote/decide.ts";
import {
  pipelineJson,
  pipelineMarkdown,
  type PipelineReport,
  pipelineText,
  plainJson,
  stepText,
} from "../../reconciler/promote/report.ts";
import { noStage } from "../../reconciler/promote/named.ts";
import { whyJson, whyMarkdown, whyOf, whyText } from "../../reconciler/promote/why-report.ts";
import type { PipelineOptions } from "../../reconciler/promote/terms.ts";
import type { Verdict } from "../../reconciler/session.ts";
import { ask } from "../confirm.ts";
import { connectionOptions, serverAccess } from "../connection.ts";
import { exitOf, exits } from "../exit.ts";
import { type Output, outputOptions, type Result } from "../output.ts";
import { type Context, perform } from "../perform.ts";
import { loadOptions, stackOptions } from "../stack-options.ts";
import {
  given,
  grantOptions,
  noWay,
  policiesOf,
  reasonOption,
  type PromoteFlags,
  stageOption,
  wayOf,
  wayOptions,
  whoOption,
  word,
} from "../promote-options.ts";
import { policyOptions } from "../policy-options.ts";
import { isInteractive } from "../streams.ts";
import { declined, unconfirmed } from "../unwritten.ts";
import { reportMistakes, runVerb, tellDiagnostics, verbOptions } from "../verb.ts";

/** The command, to be added to the program. */
export function promoteCommand(): Command {
  const command = new Command("promote")
    .description(
      "Bring versions of the platform from stage to stage, as a document of kind Pipeline orders them. `svc promote PIPELINE` " +
        "is short for `svc promote run PIPELINE`; the other words say who lets a version in, and who does not.",
    )
    .configureHelp({ subcommandTerm: (one) => one.name() });
  command.addCommand(runCommand(), { isDefault: true });
  command.addCommand(statusCommand());
  command.addCommand(whyCommand());
  command.addCommand(approveCommand());
  command.addCommand(holdCommand());
  command.addCommand(releaseCommand());
  command.addCommand(rollbackCommand());
  return command;
}

function runCommand(): Command {
  const command = word(
    "run",
    "Go on with everything that may go on: end what was begun, verify, and let candidates in. Without --direct or --write it only shows " +
      "what would be done first, and ends with 2 where that is something.\n" +
      "Ends with 1 when a version did not pass, 5 when it needs confirmation or approval.",
  )
    .option("--to <stage>", "bring this stage to its candidate, or to --version")
    .option("--version <version>", "the version, 1.2.3; another than the candidate is held there")
    .option("--reason <text>", "with --to: why, for whoever asks")
    .addOption(
      new Option(
        "--request",
        "with --to and --write: for a pull request, whose merge approves it; nothing is recorded",
      ).conflicts(["direct", "push", "diff"]),
    )
    .addOption(whoOption())
    .action((pipeline: string, paths: string[], flags: PromoteFlags) =>
      perform(flags, (context) => run({ pipeline, paths, flags, context })),
    );
  return verbOptions(policyOptions(grantOptions(wayOptions(command))), ["markdown"]);
}

function statusCommand(): Command {
  const command = word(
    "status",
    "Show which version is in which stage, how it was verified there and how long ago. Writes nothing anywhere.",
  ).action((pipeline: string, paths: string[], flags: PromoteFlags) =>
    perform(flags, async (context) => {
      const looked = await runVerb({ paths, flags, context }, ({ options }) =>
        pipelineStatus({ ...options, ...given(pipeline, flags) }),
      );
      if (looked === undefined) return exits.failed;
      context.output.result(resultOf(looked));
      return exits.done;
    }),
  );
  return verbOptions(grantOptions(command), ["markdown"]);
}

function whyCommand(): Command {
  const command = word(
    "why",
    "Say why the stages do not go on, or what would be done first. Writes nothing anywhere.",
  )
    .option("--stage <stage>", "only this one")
    .action((pipeline: string, paths: string[], flags: PromoteFlags) =>
      perform(flags, (context) => why({ pipeline, paths, flags, context })),
    );
  return verbOptions(grantOptions(command), ["markdown"]);
}

function approveCommand(): Command {
  const command = word("approve", "Let a version into a stage; the next run brings it in.")
    .addOption(stageOption())
    .option("--version <version>", "the version, 1.2.3; the candidate where it is left out")
    .addOption(reasonOption())
    .addOption(whoOption())
    .action((pipeline: string, paths: string[], flags: PromoteFlags) =>
      perform(flags, async (context) => {
        const stage = flags.stage ?? "";
        const { version, reason } = flags;
        const done = await runVerb({ paths, flags, context }, ({ options }) =>
          approve({ ...options, ...given(pipeline, flags), stage, version, reason }),
        );
        if (done === undefined) return exits.failed;
        context.output.result({
          text: () => `${done.version} may come into ${stage}.`,
          json: () => ({ pipeline, stage, approved: done.version }),
        });
        return exits.done;
      }),
    );
  return verbOptions(command);
}

function holdCommand(): Command {
  const command = word(
    "hold",
    "Keep versions out of a stage, also what is coming in: a promotion that runs sees it before its next batch. Only the record is written.",
  )
    .addOption(stageOption())
    .addOption(reasonOption().makeOptionMandatory())
    .addOption(whoOption())
    .action((pipeline: string, paths: string[], flags: PromoteFlags) =>
      recorded({ pipeline, paths, flags, said: "is held" }, (options) =>
        hold({ ...options, reason: flags.reason ?? "" }),
      ),
    );
  return outputOptions(connectionOptions(stackOptions(command)));
}

function releaseCommand(): Command {
  const command = word(
    "release",
    "Let versions into a held stage again. Only the record is written.",
  )
    .addOption(stageOption())
    .addOption(reasonOption())
    .addOption(whoOption())
    .action((pipeline: string, paths: string[], flags: PromoteFlags) =>
      recorded({ pipeline, paths, flags, said: "is held no more" }, release),
    );
  return outputOptions(connectionOptions(stackOptions(command)));
}

function rollbackCommand(): Command {
  const command = word(
    "rollback",
    "Bring a stage back to what it verified before, and hold it there. What it had promised of the version it leaves is taken back.",
  )
    .addOption(stageOption())
    .addOption(reasonOption())
    .addOption(whoOption())
    .action((pipeline: string, paths: string[], flags: PromoteFlags) =>
      perform(flags, (context) => {
        const way = wayOf(flags) ?? noWay();
        const stage = flags.stage ?? "";
        return act({ pipeline, paths, flags, context }, (options, asking) =>
          rollback({ ...options, way, stage, reason: flags.reason, approve: asking }),
        );
      }),
    );
  return verbOptions(policyOptions(grantOptions(wayOptions(command))), ["markdown"]);
}

interface Asked {
  readonly pipeline: string;
  readonly paths: readonly string[];
  readonly flags: PromoteFlags;
  readonly context: Context;
}

async function run(asked: Asked): Promise<number> {
  const { flags } = asked;
  const { to, version, reason } = flags;
  if (version !== undefined && to === undefined) {
    throw new Failure("usage", "--version needs --to, the stage that it is for");
  }
  if (reason !== undefined && to === undefined) {
    throw new Failure("usage", "--reason needs --to, the stage that is asked for");
  }
  if (flags.request === true && to === undefined) {
    throw new Failure("usage", "--request needs --to, the stage that is asked for");
  }
  const way = wayOf(flags);
  if (way === undefined) {
    if (to !== undefined) noWay();
    policiesOf(flags);
    return preview(asked);
  }
  return act(asked, (options, asking) =>
    promote({ ...options, way, to, version, reason, approve: asking }),
  );
}

async function preview({ pipeline, paths, flags, context }: Asked): Promise<number> {
  const looked = await runVerb({ paths, flags, context }, ({ options }) =>
    pipelineStatus({ ...options, ...given(pipeline, flags) }),
  );
  if (looked === undefined) return exits.failed;
  context.output.result(resultOf(looked));
  const isSomething = looked.status.stages.some(({ step }) => step !== undefined);
  return isSomething ? exits.changes : exits.done;
}

/** Runs what acts: asks before a version comes in, tells the result, and what could not be done. */
async function act(
  { pipeline, paths, flags, context }: Asked,
  call: (
    options: PipelineOptions,
    asking: (step: Start) => Promise<boolean>,
  ) => Promise<Verdict<Promoted>>,
): Promise<number> {
  const left: Start[] = [];
  const { output, interrupt, signal } = context;
  const policies = policiesOf(flags);
  const done = await runVerb({ paths, flags, context }, ({ options, clear }) =>
    call({ ...options, ...policies, ...given(pipeline, flags) }, async (step) => {
      if (flags.yes === true || flags.diff === true) return true;
      clear();
      interrupt.asking(true);
      const yes = isInteractive() && (await ask(`${sentence(stepText(step))}?`, signal));
      interrupt.asking(false);
      if (!yes) left.push(step);
      return yes;
    }),
  );
  if (done === undefined) return exits.failed;
  const [first] = done.failures;
  if (first === undefined && left.length > 0) return notBegun(output, done, left);
  output.result(resultOf(done));
  for (const failure of done.failures) {
    output.warn(() =>
      `error: ${failure.code}: ${failure.message}\n  ${failure.remedy ?? ""}`.trimEnd(),
    );
  }
  return first === undefined ? exits.done : exitOf(first);
}

/** Nobody said yes to some steps; others may have been done. A question that nobody could be asked leaves standard output to the command that says yes. */
function notBegun(output: Output, done: Promoted, steps: readonly Start[]): number {
  const isUnasked = !isInteractive();
  const message = `not confirmed, so not done: ${steps.map(stepText).join("; ")}`;
  const facts = { steps: steps.map(plainJson), pipeline: pipelineJson(done) };
  output.warn(() => `${isUnasked ? "error: nobody is there to be asked: " : ""}${message}`);
  if (isUnasked) {
    output.tell((look) => pipelineText(done, look));
    output.result(unconfirmed(facts, { message }));
  } else {
    output.result({ ...declined(facts, { message }), text: resultOf(done).text });
  }
  return exits.confirmation;
}

async function why({ pipeline, paths, flags, context }: Asked): Promise<number> {
  const looked = await runVerb({ paths, flags, context }, ({ options }) =>
    pipelineStatus({ ...options, ...given(pipeline, flags) }),
  );
  if (looked === undefined) return exits.failed;
  const { stages } = looked.status;
  const told = whyOf(looked, flags.stage);
  const known = stages.map(({ stage }) => stage);
  if (told.stages.length === 0) throw noStage(pipeline, flags.stage ?? "", known);
  context.output.result({
    text: (look) => whyText(told, look),
    json: () => whyJson(told),
    markdown: () => whyMarkdown(told),
  });
  return exits.done;
}

function recorded(
  {
    pipeline,
    paths,
    flags,
    said,
  }: Omit<Asked, "context"> & { readonly flags: PromoteFlags; readonly said: string },
  call: (options: Parameters<typeof release>[0]) => Promise<Verdict<object>>,
): Promise<void> {
  return perform(flags, async ({ output }) => {
    const stage = flags.stage ?? "";
    const { by } = given(pipeline, flags);
    const connection = () => serverAccess(flags);
    const { reason } = flags;
    const done = await call({
      ...loadOptions(paths, flags),
      connection,
      pipeline,
      stage,
      by,
      reason,
    });
    if (!done.ok) return reportMistakes(output, done.diagnostics);
    tellDiagnostics(output, done.diagnostics);
    output.result({
      text: () => `${stage} ${said}.`,
      json: () => ({ pipeline, stage, said, by }),
    });
    return exits.done;
  });
}

function resultOf(report: PipelineReport): Result {
  return {
    text: (look) => pipelineText(report, look),
    json: () => pipelineJson(report),
    markdown: () => pipelineMarkdown(report),
  };
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
