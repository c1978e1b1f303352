// Rewrites a JavaScript file of a data model for the sandbox. Names that the file does not declare become references in the
// arguments of cube(), view() and view_group(), objects and lists keep their places, imports and exports become calls, a value
// that is no text is refused in a template literal, and a reference where code depends on what it is.
import {
  type AnyNode,
  type ArrayExpression,
  type AssignmentExpression,
  type CallExpression,
  type ForInStatement,
  type ForOfStatement,
  type Identifier,
  type MemberExpression,
  type ObjectExpression,
  parse,
  type Program,
} from "acorn";
import { exactNumberRemedy, inexactReason } from "../../../core/text/exact-numbers.ts";
import { type EditedText, Edits } from "./edits.ts";
import { helper, ModuleStatements } from "./module-statements.ts";
import {
  blockNames,
  boundNames,
  childrenOf,
  declares,
  type FunctionNode,
  isFunction,
  keyName,
  type Scope,
  varNames,
} from "./scopes.ts";

/** An error of a file, before it runs. */
export interface SourceError {
  /** Characters from the start of the file. */
  readonly offset: number;
  readonly message: string;
}

/** The offsets of the members of an object, or of the items of a list, by name or index. */
export type LiteralPlaces = ReadonlyMap<string, { readonly key: number; readonly value: number }>;

/** A file that the sandbox can run. */
export interface InstrumentedFile extends EditedText {
  /** The objects and lists of the file by their offsets. */
  readonly literals: ReadonlyMap<number, LiteralPlaces>;
  /** Where the file first reads `COMPILE_CONTEXT`; undefined if it does not. */
  readonly readsContextAt?: number | undefined;
}

/** Names whose value the model language defines. They are references everywhere in a file. */
const languageNames: ReadonlySet<string> = new Set([
  "CUBE",
  "TABLE",
  "FILTER_PARAMS",
  "FILTER_GROUP",
  "SECURITY_CONTEXT",
  "security_context",
  "securityContext",
  "userAttributes",
  "user_attributes",
  "SQL_UTILS",
]);

/** Names that the sandbox has. */
const sandboxNames: ReadonlySet<string> = new Set(
  [
    "Array Object String Number Boolean Symbol Math JSON Map Set WeakMap WeakSet Promise Proxy Reflect RegExp BigInt Iterator",
    "Error TypeError RangeError SyntaxError ReferenceError EvalError URIError AggregateError Function globalThis",
    "parseInt parseFloat isNaN isFinite encodeURI encodeURIComponent decodeURI decodeURIComponent escape unescape",
    "undefined NaN Infinity arguments console module exports require asyncModule",
    "cube view view_group",
  ].flatMap((names) => names.split(" ")),
);

const sameModel = "a data model is the same at every time";

/** Names that other tools have, and what to do without them. */
const refusedNames: ReadonlyMap<string, string> = new Map([
  ["Date", `Date is not available: ${sameModel}; use the functions of the database in SQL`],
  [
    "process",
    "process is not available: a data model has no environment; write the value into the file",
  ],
  [
    "fetch",
    "fetch is not available: a data model reaches no network; write the value into the file",
  ],
  ["eval", "eval is not available; write the code into the file"],
]);

/** Operators whose result depends on what both operands are: all but those of texts and of truth. */
const comparisons: ReadonlySet<string> = new Set(
  "== != === !== < > <= >= in instanceof - * / % ** | & ^ << >> >>>".split(" "),
);

/** Where an expression is. */
interface Context {
  readonly scope: Scope;
  /** Whether it is in the arguments of cube(), view() or view_group(). */
  readonly inDeclaration: boolean;
  readonly inAsyncModule: boolean;
}

/** Rewrites a file, or returns its errors. */
export function instrument(
  text: string,
): InstrumentedFile | { readonly errors: readonly SourceError[] } {
  try {
    const program = parse(text, {
      ecmaVersion: "latest",
      sourceType: "module",
      allowAwaitOutsideFunction: false,
    });
    return new Instrumenter(text).run(program);
  } catch (error) {
    return { errors: [syntaxError(error)] };
  }
}

function syntaxError(error: unknown): SourceError {
  if (error instanceof SyntaxError && "pos" in error) {
    const message = error.message.replace(/ \(\d+:\d+\)$/u, "");
    return { offset: Number(error.pos), message: `JavaScript syntax: ${message}` };
  }
  if (error instanceof RangeError) {
    return { offset: 0, message: "the JavaScript nests too deep; flatten it" };
  }
  throw error;
}

class Instrumenter {
  readonly #text: string;
  readonly #edits: Edits;
  readonly #modules: ModuleStatements;
  readonly #errors: SourceError[] = [];
  readonly #literals = new Map<number, LiteralPlaces>();
  #readsContextAt: number | undefined;

  constructor(text: string) {
    this.#text = text;
    this.#edits = new Edits(text);
    this.#modules = new ModuleStatements(text, this.#edits);
  }

  run(program: Program): InstrumentedFile | { readonly errors: readonly SourceError[] } {
    const names = new Set([...blockNames(program.body), ...varNames(program)]);
    const context = {
      scope: { names },
      inDeclaration: false,
      inAsyncModule: false,
    };
    for (const statement of program.body) this.#visit(statement, context);
    if (this.#errors.length > 0) return { errors: this.#errors };
    const before = `(function(${helper},module,exports,require){"use strict";${this.#modules.exports()}`;
    // A comment may end the file.
    const readsContextAt = this.#readsContextAt;
    return { ...this.#edits.apply(before, "\n})"), literals: this.#literals, readsContextAt };
  }

  #visitAll(nodes: readonly (AnyNode | null | undefined)[], context: Context): void {
    for (const node of nodes) if (node) this.#visit(node, context);
  }

  #visit(node: AnyNode, context: Context): void {
    switch (node.type) {
      case "Identifier":
        return this.#identifier(node, context);
      case "Literal":
        return this.#number(node.value, node);
      case "MemberExpression":
        return this.#member(node, context);
      case "NewExpression":
        this.#edits.wrap(node.callee, ["(", ")"], () => this.#visit(node.callee, context));
        return this.#visitAll(node.arguments, context);
      case "CallExpression":
        return this.#call(node, context);
      case "ObjectExpression":
        return this.#object(node, context);
      case "ArrayExpression":
        return this.#list(node, context);
      case "TemplateLiteral":
        for (const one of node.expressions) this.#checked("text", one, context);
        return;
      case "ConditionalExpression":
        this.#checked("tested", node.test, context);
        return this.#visitAll([node.consequent, node.alternate], context);
      case "LogicalExpression":
        this.#checked("tested", node.left, context);
        return this.#visit(node.right, context);
      case "BinaryExpression": {
        const { left, right, operator } = node;
        if (!comparisons.has(operator)) return this.#visitAll([left, right], context);
        const check = isNothing(left) || isNothing(right) ? "tested" : "compared";
        for (const one of [left, right]) this.#checked(check, one, context);
        return;
      }
      case "UnaryExpression": {
        const { operator, argument } = node;
        const isName = argument.type === "Identifier" && !declares(context.scope, argument.name);
        // The type of a name that the file does not declare says whether the name exists.
        if (operator === "typeof" && isName)
          return this.#visit(argument, { ...context, inDeclaration: false });
        if (operator === "!" || operator === "typeof")
          return this.#checked("tested", argument, context);
        if (/^[-+~]$/u.test(operator)) return this.#checked("compared", argument, context);
        return this.#visit(argument, context);
      }
      default:
        return this.#visitStatement(node, context);
    }
  }

  /** Visits an access to a member. A text has its length, and characters by their numbers. */
  #member({ object, property, computed, optional }: MemberExpression, context: Context): void {
    const isLength = !computed && property.type === "Identifier" && property.name === "length";
    if ((computed || isLength) && object.type !== "Super") {
      this.#edits.replace(object.start, object.start, `${helper}.measured((`);
      this.#visit(object, context);
      // What is in parentheses does not end the chain of its outside.
      const inChain = !optional && isInChain(object);
      const end = inChain && isLength ? property.start : object.end;
      this.#edits.replace(object.end, end, inChain ? "))?." : "))");
    } else this.#visit(object, context);
    if (computed) this.#checked("compared", property, context);
  }

  /** Visits an expression whose value a function of the sandbox checks. */
  #checked(
    check: "text" | "tested" | "compared" | "measured",
    node: AnyNode,
    context: Context,
  ): void {
    if (node.type === "Literal" || node.type === "PrivateIdentifier")
      return this.#visit(node, context);
    this.#edits.wrap(node, [`${helper}.${check}((`, "))"], () => this.#visit(node, context));
  }

  #visitStatement(node: AnyNode, value: Context): void {
    switch (node.type) {
      case "IfStatement":
        this.#checked("tested", node.test, value);
        return this.#visitAll([node.consequent, node.alternate], value);
      case "SwitchStatement":
        this.#checked("compared", node.discriminant, value);
        return this.#block(
          node.cases,
          node.cases.flatMap((one) => one.consequent),
          value,
        );
      case "SwitchCase":
        if (node.test) this.#checked("compared", node.test, value);
        return this.#visitAll(node.consequent, value);
      case "WhileStatement":
      case "DoWhileStatement":
        this.#checked("tested", node.test, value);
        return this.#visit(node.body, value);
      case "ForStatement": {
        const inner = nested(value, blockNames(node.init ? [node.init] : []));
        if (node.test) this.#checked("tested", node.test, inner);
        return this.#visitAll([node.init, node.update, node.body], inner);
      }
      case "ForInStatement":
      case "ForOfStatement":
        return this.#loop(node, value);
      case "BlockStatement":
      case "StaticBlock":
        return this.#block(node.body, node.body, value);
      case "CatchClause": {
        const inner = nested(value, boundNames(node.param));
        if (node.param) this.#pattern(node.param, inner);
        return this.#visit(node.body, inner);
      }
      case "VariableDeclarator":
        this.#pattern(node.id, value);
        return this.#visitAll([node.init], value);
      case "AssignmentExpression":
        this.#assigned(node, value);
        return this.#visit(node.right, value);
      case "UpdateExpression":
        return this.#pattern(node.argument, value);
      case "LabeledStatement":
        return this.#visit(node.body, value);
      case "BreakStatement":
      case "ContinueStatement":
      case "MetaProperty":
        if (node.type === "MetaProperty" && node.meta.name === "import")
          this.#errors.push({ offset: node.start, message: "import.meta is not available" });
        return;
      case "ImportExpression": {
        const message = "import() is not supported; write import at the start of the file";
        this.#errors.push({ offset: node.start, message });
        return;
      }
      case "MethodDefinition":
      case "PropertyDefinition":
        if (node.computed) this.#visit(node.key, value);
        return this.#visitAll([node.value], value);
      case "ClassDeclaration":
      case "ClassExpression":
        return this.#visitAll([node.superClass, node.body], nested(value, boundNames(node.id)));
      case "ImportDeclaration":
        return this.#modules.import(node);
      case "ExportNamedDeclaration":
        return this.#modules.exportNamed(node, (one) => this.#visit(one, value));
      case "ExportDefaultDeclaration":
        return this.#modules.exportDefault(node, (one) => this.#visit(one, value));
      case "ExportAllDeclaration":
        return this.#modules.exportAll(node);
      default:
        if (!isFunction(node)) return this.#visitAll(childrenOf(node), value);
        return this.#namedFunction(node, value);
    }
  }

  #loop(node: ForInStatement | ForOfStatement, context: Context): void {
    const inner = nested(context, blockNames([node.left]));
    this.#pattern(node.left, inner);
    if (node.type === "ForInStatement") this.#checked("measured", node.right, inner);
    else this.#visit(node.right, inner);
    this.#visit(node.body, inner);
  }

  #block(nodes: readonly AnyNode[], statements: readonly AnyNode[], context: Context): void {
    this.#visitAll(nodes, nested(context, blockNames(statements)));
  }

  #assigned({ left, operator, start }: AssignmentExpression, context: Context): void {
    if (/^(?:\|\||&&|\?\?)=$/u.test(operator)) {
      const message = `${operator} is not supported; write the test and the assignment`;
      this.#errors.push({ offset: start, message });
    }
    this.#pattern(left, context);
  }

  /** Gives the sandbox the names of the parameters of a function that can stand in the place of a value. */
  #namedFunction(node: FunctionNode, context: Context): void {
    const names = node.params.map((one) => (one.type === "Identifier" ? one.name : undefined));
    const isMethod = this.#text[node.start] === "(" && node.type === "FunctionExpression";
    const isExpression = !isMethod && node.type !== "FunctionDeclaration";
    if (names.length === 0 || names.includes(undefined) || !isExpression)
      return this.#function(node, context);
    const list = JSON.stringify(names);
    this.#edits.wrap(node, [`${helper}.parameters((`, `),${list})`], () =>
      this.#function(node, context),
    );
  }

  #function(node: FunctionNode, context: Context): void {
    if (node.async && !context.inAsyncModule) {
      const message = "an async function is only possible in asyncModule(), which waits for it";
      this.#errors.push({ offset: node.start, message });
    }
    const body = node.body.type === "BlockStatement" ? node.body.body : [];
    const inner = nested(context, [
      ...(node.type === "FunctionExpression" ? boundNames(node.id) : []),
      ...node.params.flatMap(boundNames),
      ...blockNames(body),
      ...varNames(node.body),
    ]);
    for (const parameter of node.params) this.#pattern(parameter, inner);
    this.#visit(node.body, inner);
  }

  /** Visits what a pattern computes: default values and computed names. */
  #pattern(node: AnyNode, context: Context): void {
    switch (node.type) {
      case "Identifier":
        return;
      case "ObjectPattern":
        // A text checks that this member of it is read, before its length or characters are.
        this.#edits.replace(node.start + 1, node.start + 1, `[${helper}.parts]:{}=0,`);
        for (const one of node.properties) this.#pattern(one, context);
        return;
      case "Property":
        if (node.computed) this.#visit(node.key, context);
        return this.#pattern(node.value, context);
      case "ArrayPattern":
        for (const one of node.elements) if (one) this.#pattern(one, context);
        return;
      case "RestElement":
        return this.#pattern(node.argument, context);
      case "AssignmentPattern":
        this.#pattern(node.left, context);
        return this.#visit(node.right, context);
      default:
        return this.#visit(node, context);
    }
  }

  #identifier(node: Identifier, context: Context): void {
    const read = this.#readName(node, context);
    if (read !== undefined) this.#edits.replace(node.start, node.end, read);
  }

  /** Returns the expression that replaces a name; undefined to leave it. */
  #readName({ name, start }: Identifier, { scope, inDeclaration }: Context): string | undefined {
    if (declares(scope, name)) return undefined;
    if (name === "COMPILE_CONTEXT") {
      this.#readsContextAt ??= start;
      return `${helper}.compileContext`;
    }
    const refused = refusedNames.get(name);
    if (refused !== undefined) this.#errors.push({ offset: start, message: refused });
    const isReference = inDeclaration && !sandboxNames.has(name);
    return languageNames.has(name) || isReference
      ? `${helper}.reference(${JSON.stringify(name)})`
      : undefined;
  }

  #number(value: unknown, { start, end }: AnyNode): void {
    if (typeof value !== "number") return;
    const source = this.#text.slice(start, end);
    const isDecimal = /^[\d._]/u.test(source) && !/^0[box]/iu.test(source);
    const reason = inexactReason(value, isDecimal ? source.replaceAll("_", "") : undefined);
    if (reason === undefined) return;
    this.#errors.push({
      offset: start,
      message: `the number ${source} ${reason}. ${exactNumberRemedy}`,
    });
  }

  #call(node: CallExpression, context: Context): void {
    const { callee } = node;
    const name =
      callee.type === "Identifier" && !declares(context.scope, callee.name) ? callee.name : "";
    const isDeclaration = ["cube", "view", "view_group"].includes(name);
    if (isDeclaration) {
      this.#edits.replace(callee.start, callee.end, `${helper}.declare("${name}",${callee.start})`);
    } else if (name === "asyncModule") {
      this.#edits.replace(callee.start, callee.end, `${helper}.asyncModule(${callee.start})`);
    } else this.#visit(callee, context);
    this.#visitAll(node.arguments, {
      ...context,
      inDeclaration: context.inDeclaration || isDeclaration,
      inAsyncModule: context.inAsyncModule || name === "asyncModule",
    });
  }

  #object(node: ObjectExpression, context: Context): void {
    const places = new Map<string, { key: number; value: number }>();
    this.#edits.wrap(node, [`${helper}.at(${node.start},`, ")"], () => {
      for (const one of node.properties) {
        if (one.type === "SpreadElement") {
          this.#checked("measured", one.argument, context);
          continue;
        }
        const { key, value, computed, shorthand } = one;
        const name = computed ? undefined : keyName(key);
        if (name === "__proto__" && !shorthand) {
          const message = "__proto__ is no name of a member in JavaScript; write another";
          this.#errors.push({ offset: key.start, message });
        }
        if (name !== undefined && places.has(name) && one.kind === "init") {
          const message = `${name} appears twice in one object; remove one`;
          this.#errors.push({ offset: key.start, message });
        }
        if (name !== undefined) places.set(name, { key: key.start, value: value.start });
        if (computed) this.#visit(key, context);
        if (!shorthand) this.#visit(value, context);
        else if (value.type === "Identifier") {
          const read = this.#readName(value, context);
          if (read !== undefined)
            this.#edits.replace(value.start, value.end, `${value.name}:${read}`);
        }
      }
    });
    this.#literals.set(node.start, places);
  }

  #list(node: ArrayExpression, context: Context): void {
    const places = new Map<string, { key: number; value: number }>();
    this.#edits.wrap(node, [`${helper}.at(${node.start},`, ")"], () => {
      const first = node.elements.findIndex((one) => one?.type === "SpreadElement");
      for (const [index, one] of node.elements.entries()) {
        if (one === null) continue;
        if (first < 0 || index < first)
          places.set(String(index), { key: one.start, value: one.start });
        this.#visit(one, context);
      }
    });
    this.#literals.set(node.start, places);
  }
}

/** Returns whether a part of an object's chain has `?.`. */
function isInChain(node: AnyNode): boolean {
  if (node.type === "MemberExpression") return node.optional || isInChain(node.object);
  return node.type === "CallExpression" && (node.optional || isInChain(node.callee));
}

function isNothing(node: AnyNode): boolean {
  if (node.type === "Literal") return node.raw === "null";
  return node.type === "Identifier" && node.name === "undefined";
}

function nested(context: Context, names: readonly string[]): Context {
  if (names.length === 0) return context;
  return { ...context, scope: { names: new Set(names), outer: context.scope } };
}
