// Compiles the files of a data model. A pure function that runs code of the model in a sandbox only, and reports all errors in
// one run.
import { limits } from "../../core/limits/limits.ts";
import {
  isCompiledFile,
  isModelFile,
  isSkillFile,
  scriptFile,
} from "../../core/data-model/model-path.ts";
import { isTemplate } from "../../core/data-model/model-template.ts";
import type { CompileContext, ContextReader } from "./compile-context.ts";
import { compileCube } from "./cubes.ts";
import { type Cube, collectDeclarations, cubeNamed, type Declarations } from "./declarations.ts";
import { checkMeasures } from "./check-measures.ts";
import { checkOtherFiles } from "./check-other-files.ts";
import { checkReferences } from "./check-references.ts";
import { checkSwitches } from "./check-switches.ts";
import { Problems, within } from "./problems.ts";
import { loadSandbox } from "./javascript/sandbox.ts";
import { EngineFailure, loadTemplateEngine } from "./jinja/template-engine.ts";
import { type CodeRunners, readModelFiles } from "./read-file.ts";
import { readSkills } from "./read-skills.ts";
import type {
  CompiledCube,
  CompiledModel,
  CompileResult,
  ModelFile,
  PreAggregationUse,
} from "./types.ts";
import { compileViewGroups } from "./view-groups.ts";
import { type DeclaredViewMember, withViewMembers } from "./view-members.ts";
import { compileView } from "./views.ts";

/**
 * Compiles files as {@link compileModel}, with what their code needs. Throws {@link EngineFailure} if this thread can render
 * no more templates.
 */
export async function compileFiles(
  files: readonly ModelFile[],
  { usesOf, context }: { readonly usesOf?: UsesOf; readonly context?: CompileContext } = {},
): Promise<CompileResult> {
  const sources = files.filter(({ path }) => isModelFile(path));
  const hasScripts = sources.some(({ path }) => scriptFile.test(path));
  const hasTemplates = sources.some(({ path, content }) => isTemplate(path, content));
  const runners = {
    ...(hasScripts && { sandbox: await loadSandbox() }),
    ...(hasTemplates && { engine: await loadTemplateEngine() }),
    ...(context !== undefined && { context }),
  };
  return compileModel(files, runners, usesOf);
}

/** Returns whether queries can use the pre-aggregations of a model, which only planning them shows. */
type UsesOf = (model: CompiledModel) => readonly PreAggregationUse[];

/**
 * Compiles the model files among `files`, checks the skills of agents, and refuses files that it does not know. Never throws
 * for any content, except as `runners`, which files in JavaScript and templates need.
 */
export function compileModel(
  files: readonly ModelFile[],
  runners: CodeRunners = {},
  usesOf: UsesOf = () => [],
): CompileResult {
  try {
    return compileSources(files, runners, usesOf);
  } catch (error) {
    if (error instanceof EngineFailure) throw error;
    return failedResult(files, error);
  }
}

/** Reports a defect of the compiler as an error of the model, so that the rest of the service is not affected. */
function failedResult(files: readonly ModelFile[], error: unknown): CompileResult {
  const reason = error instanceof Error ? error.message : "unknown";
  const message = `the compiler failed on this data model (${reason}); please report it`;
  const fileName = files.find(({ path }) => isCompiledFile(path))?.path ?? "model";
  return {
    model: undefined,
    errors: [{ message, fileName, line: 1, column: 1 }],
    errorCount: 1,
    warnings: [],
    cubesCount: 0,
    preAggregations: [],
  };
}

/** Compiles a cube under the alias of a join. Reports its first error only if the model has no other errors. */
function compileAliased(cube: Cube, declarations: Declarations, problems: Problems): CompiledCube {
  const own = new Problems();
  const compiled = compileCube(cube, declarations, own);
  const [first] = own.sorted();
  if (first && problems.count === 0) {
    problems.add(cube.at, `${cube.aliasOf} cannot have an alias here: ${first.message}`);
  }
  return compiled;
}

function compileSources(
  files: readonly ModelFile[],
  runners: CodeRunners,
  usesOf: UsesOf,
): CompileResult {
  const problems = new Problems();
  const sources = files
    .filter(({ path }) => isModelFile(path))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const { files: read, contextReader } = readModelFiles(sources, runners, problems);
  if (contextReader) warnOfContext(contextReader, problems);
  problems.endReading();
  const declarations = collectDeclarations(read, problems);
  const cubesCount = declarations.cubes.size + declarations.views.size;
  const viewMembers = new Map<string, ReadonlySet<string>>();
  const ownOfViews: DeclaredViewMember[] = [];
  const views = [...declarations.views.values()].map((view) => {
    const { attempts } = problems;
    problems.enter(view.value.name);
    const { view: compiled, declared } = compileView(view, declarations, problems);
    for (const one of declared) ownOfViews.push(one);
    const names = compiled.members.map(({ name }) => name);
    if (problems.attempts === attempts && !view.isPartial)
      viewMembers.set(compiled.name, new Set(names));
    return compiled;
  });
  const known = { ...declarations, viewMembers };
  const own = [...known.cubes.values()].map((cube) => {
    problems.enter(cube.value.name);
    return compileCube(cube, known, cube.isPartial ? new Problems() : problems);
  });
  const aliased = [...known.aliased.values()].map((cube) => compileAliased(cube, known, problems));
  const complete = [...own, ...aliased].filter(({ name }) => !cubeNamed(known, name)?.isPartial);
  const cubes = withViewMembers(complete, ownOfViews);
  problems.enter("");
  const declaredGroups = read.flatMap((file) => file.viewGroups);
  const viewGroups = compileViewGroups(declaredGroups, known.views, problems);
  checkRollupCount(known, problems);
  checkReferences(cubes, known, problems);
  checkMeasures(cubes, known, problems);
  checkSwitches(cubes, known, problems);
  problems.enter("");
  checkOtherFiles(files, problems);
  readSkills(
    files.filter(({ path }) => isSkillFile(path)),
    problems,
  );
  const whole = { cubes, views, viewGroups, readsContext: contextReader !== undefined };
  const model = problems.count === 0 ? whole : undefined;
  const preAggregations = model ? usesOf(model).slice(0, limits.modelErrors) : [];
  warnOfUnused(preAggregations, known, problems);
  return {
    model,
    errors: problems.sorted().slice(0, limits.modelErrors),
    errorCount: problems.count,
    warnings: problems.warnings(),
    cubesCount,
    preAggregations,
  };
}

/** Adds an error for more pre-aggregations than a model may have, inherited ones included. */
function checkRollupCount({ cubes }: Declarations, problems: Problems): void {
  const all = [...cubes.values()].flatMap((cube) => [...cube.preAggregations.values()]);
  const other = all[limits.modelRollups];
  if (other === undefined) return;
  const message = `the data model has more than ${limits.modelRollups} pre-aggregations; declare fewer`;
  problems.add(within(other.at, "name"), message);
}

/** Warns that the model of a caller can differ from this one. */
function warnOfContext({ file, offset }: ContextReader, problems: Problems): void {
  const message =
    "the data model differs between security contexts; this is the one of an empty context, and a caller's can have other members and errors";
  problems.warnAt(file, offset, { code: "compile-context", message });
}

/** Warns of the pre-aggregations that no query can use. */
function warnOfUnused(
  uses: readonly PreAggregationUse[],
  { cubes }: Declarations,
  problems: Problems,
): void {
  for (const { name, reason } of uses) {
    const [cube = "", own = ""] = name.split(".");
    const place = cubes.get(cube)?.preAggregations.get(own)?.at;
    if (place === undefined || reason === undefined) continue;
    const message = `no query can use the pre-aggregation ${name}: ${reason}`;
    problems.warn(within(place, "name"), "unused-pre-aggregation", message);
  }
}
