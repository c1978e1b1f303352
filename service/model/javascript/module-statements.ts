// Rewrites import and export of JavaScript into calls of the sandbox.
import type {
  AnyNode,
  ExportAllDeclaration,
  ExportDefaultDeclaration,
  ExportNamedDeclaration,
  ImportDeclaration,
} from "acorn";
import type { Edits } from "./edits.ts";
import { blockNames, boundNames, keyName } from "./scopes.ts";

/** The name in rewritten files of what the sandbox offers them. */
export const helper = "__model";

/** Collects what a file exports, and rewrites its statements. */
export class ModuleStatements {
  readonly #text: string;
  readonly #edits: Edits;
  /** Exported names with the expressions that read them. */
  readonly #exports: (readonly [string, string])[] = [];
  #exportAll = "";

  constructor(text: string, edits: Edits) {
    this.#text = text;
    this.#edits = edits;
  }

  /** Returns the code that exports the names of the file before the rest runs, so that files can import each other. */
  exports(): string {
    const getters = this.#exports.map(([name, read]) => `${JSON.stringify(name)}:()=>${read}`);
    if (getters.length === 0 && this.#exportAll === "") return "";
    return `${helper}.exports(exports,{${getters.join(",")}});${this.#exportAll}`;
  }

  import({ start, end, source, specifiers }: ImportDeclaration): void {
    const from = JSON.stringify(source.value);
    const names: { readonly name: string; readonly local: string }[] = [];
    let statement = "";
    for (const one of specifiers) {
      const local = one.local.name;
      if (one.type === "ImportNamespaceSpecifier")
        statement += `const ${local}=${helper}.importAll(${from});`;
      else {
        const name = one.type === "ImportDefaultSpecifier" ? "default" : nameOf(one.imported);
        names.push({ name: JSON.stringify(name), local });
      }
    }
    if (names.length > 0 || statement === "") {
      const bound = names.map(({ name, local }) => `${name}:${local}`).join(",");
      const wanted = names.map(({ name }) => name).join(",");
      statement += `const {${bound}}=${helper}.import(${from},[${wanted}]);`;
    }
    this.#edits.replace(start, end, statement);
  }

  /** Rewrites `export` of names. `visit` rewrites the declaration after it. */
  exportNamed(node: ExportNamedDeclaration, visit: (declaration: AnyNode) => void): void {
    const { start, end, declaration, source } = node;
    if (declaration) {
      const names =
        declaration.type === "VariableDeclaration"
          ? declaration.declarations.flatMap(({ id }) => boundNames(id))
          : blockNames([declaration]);
      for (const name of names) this.#exports.push([name, name]);
      this.#edits.replace(start, start + "export".length, "");
      visit(declaration);
      return;
    }
    const from = source && JSON.stringify(source.value);
    for (const { local, exported } of node.specifiers) {
      const name = nameOf(local);
      const key = JSON.stringify(name);
      const read = from == null ? name : `${helper}.import(${from},[${key}])[${key}]`;
      this.#exports.push([nameOf(exported), read]);
    }
    this.#edits.replace(start, end, from == null ? "" : `${helper}.import(${from},[]);`);
  }

  /** Rewrites `export default`. `visit` rewrites the declaration or expression after it. */
  exportDefault(node: ExportDefaultDeclaration, visit: (declaration: AnyNode) => void): void {
    // Acorn has types of their own for declarations without a name.
    const declaration = node.declaration as AnyNode;
    const keywords = /export(?:\s|\/\*[^]*?\*\/|\/\/.*)+default/uy;
    keywords.lastIndex = node.start;
    keywords.test(this.#text);
    const [name] = blockNames([declaration]);
    this.#exports.push(["default", name ?? "__default"]);
    const value = name === undefined ? "const __default=" : "";
    this.#edits.replace(node.start, keywords.lastIndex, value);
    visit(declaration);
    if (name === undefined) this.#edits.replace(node.end, node.end, ";");
  }

  exportAll({ start, end, source, exported }: ExportAllDeclaration): void {
    const from = JSON.stringify(source.value);
    if (exported) this.#exports.push([nameOf(exported), `${helper}.importAll(${from})`]);
    else this.#exportAll += `${helper}.exportAll(exports,${from});`;
    this.#edits.replace(start, end, "");
  }
}

function nameOf(node: AnyNode): string {
  return keyName(node) ?? "";
}
