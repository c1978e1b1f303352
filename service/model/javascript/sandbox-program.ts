// The program that the sandbox runs before the files of a data model: what they can call, and how their declarations leave
// the sandbox. It uses no built-in that a file can replace, where a replacement could hide a declaration.

/** Characters that mark references in texts. Unicode reserves them for the inside of programs. */
export const marks = {
  open: "\uFDD0",
  close: "\uFDD1",
  separator: "\uFDD2",
} as const;

/** The code of a file that cannot run. Files that import it fail without an error of their own. */
export const brokenFile = "(function(model){model.fail()})";

/**
 * Encodes values for the host: an object is `[0, place, name, value, …]`, a list `[1, place, item, …]`, and a value that
 * data cannot have `[2, what]`. A place is a number that the host gave to a literal, or 0.
 */
export const sandboxProgram = String.raw`
((marks, compileContext, mostCalls, mostValues, mostDepth, mostCharacters) => {
"use strict";
const { open, close, separator } = marks;
const { Error, Promise, Proxy, RegExp, String, WeakMap, Array: { isArray }, JSON: { stringify } } = globalThis;
const { keys, create, defineProperty, getPrototypeOf, prototype: plain } = Object;
const { apply } = Reflect;
const context = globalThis.JSON.parse(compileContext);
const { isFinite } = Number;
const { get: mapGet, set: mapSet } = WeakMap.prototype;
const { then } = Promise.prototype;
const { toPrimitive } = Symbol;
const { exec } = RegExp.prototype;
const { slice, valueOf: textOf } = String.prototype;
const { toString: functionText } = Function.prototype;
const read = (map, key) => apply(mapGet, map, [key]);
const write = (map, key, value) => apply(mapSet, map, [key, value]);
const push = (list, item) => defineProperty(list, list.length, { value: item, writable: true, enumerable: true, configurable: true });

// The context of a caller may have a member of this name.
delete plain.__proto__;
// JSON.stringify would call it.
for (const prototype of [plain, globalThis.Array.prototype]) defineProperty(prototype, "toJSON", { value: undefined });

globalThis.console = create(null);
for (const name of ["log", "info", "warn", "error", "debug"]) globalThis.console[name] = () => {};
// Code that is written at run time would not be instrumented.
const unavailable = (name, prototype) => {
  const value = function () { throw new Error(name + " is not available; write the code into the file"); };
  return defineProperty(value, "prototype", { value: prototype });
};
for (const one of [() => {}, async () => {}, function* () {}, async function* () {}]) {
  const prototype = getPrototypeOf(one);
  defineProperty(prototype, "constructor", { value: unavailable("Function", prototype) });
}
defineProperty(globalThis, "Function", { value: globalThis.Function.prototype.constructor });
defineProperty(globalThis, "eval", { value: unavailable("eval") });
Math.random = () => { throw new Error("Math.random() is not available: a data model is the same at every time"); };

const places = new WeakMap();
const references = new WeakMap();
const byPath = create(null);
const calls = [];
/** Whether the declarations leave the sandbox. */
let isRead = false;
const modules = create(null);
const asyncModules = [];

const callable = /^(?:FILTER_GROUP|SQL_UTILS\.convertTz|[^.]+\.sql|FILTER_PARAMS(?:\.[^.]+)+\.filter|(?:SECURITY_CONTEXT|security_context|securityContext)(?:\.[^.]+)+\.(?:filter|requiredFilter))$/;
const ofQuery = "(?:\\?|(?:FILTER_PARAMS|FILTER_GROUP|SECURITY_CONTEXT|security_context|securityContext|userAttributes|user_attributes)\\b)";
const isOfQuery = new RegExp("^" + ofQuery);
const hasValueOfQuery = new RegExp(open + ofQuery + "[^" + separator + "]*?" + close);
const hasOfQuery = new RegExp(open + ofQuery);
const hasReference = new RegExp(open);
const test = RegExp.prototype.test;
const matches = (pattern, text) => apply(test, pattern, [text]);

/** The error of code that depends on what a reference is: it has a value in a query only. */
const undecided = (path) => new Error(matches(isOfQuery, path)
  ? (matches(/^\?/, path) ? "a value of filter()" : path) + " has a value in queries only, and cannot be tested, compared or computed with: a model is the same for every caller; use it whole, and declare an access_policy for each group"
  : path + " is a reference, and cannot be tested, compared or computed with; use it whole, or declare the name in the file");

const pathOfReference = new RegExp("^" + open + "([^" + open + close + separator + "]*)");
/** Returns a value, unless it is a text with a reference that matches a pattern. */
const without = (value, pattern) => {
  const found = typeof value === "string" ? apply(exec, pattern, [value]) : null;
  if (found === null) return value;
  throw undecided(apply(exec, pathOfReference, [apply(slice, value, [found.index])])[1]);
};

/** Returns a value that code depends on, unless it is a reference, or a text whose references match a pattern. */
const decided = (value, pattern) => {
  const text = typeof value === "function" ? read(references, value) : undefined;
  if (text !== undefined) throw undecided(apply(slice, text, [1, -1]));
  return without(value, pattern);
};
/** Any text with a call, such as of filter(), is true. */
const tested = (value) => decided(value, hasValueOfQuery);
const compared = (value) => decided(value, hasOfQuery);
/** Returns a value of which a part or the length is read. The marks of a reference are not its SQL. */
const measured = (value) => without(value, hasReference);

/** The member that object patterns read first, of a text as an object. */
const parts = Symbol();
defineProperty(String.prototype, parts, { get() { measured(apply(textOf, this, [])); return undefined; } });

/** Replaces built-ins by functions that check the text that has them, and their first arguments. */
const guard = (check, owner, names, count = 2) => {
  for (const name of names) {
    const original = owner[name];
    const value = { [name](...values) {
      if (typeof this === "string") check(this);
      for (let at = 0; at < count && at < values.length; at++) check(values[at]);
      return apply(original, this, values);
    } }[name];
    defineProperty(owner, name, { value });
  }
};
guard(compared, globalThis.Array.prototype, ["includes", "indexOf", "lastIndexOf"]);
guard(compared, globalThis.Map.prototype, ["get", "has"]);
guard(compared, globalThis.Set.prototype, ["has"]);
guard(compared, Object, ["is", "hasOwn"]);
guard(measured, Object, ["keys", "values", "entries", "getOwnPropertyNames", "getOwnPropertyDescriptor", "getOwnPropertyDescriptors"], 1);
guard(measured, Object, ["assign"], Infinity);
// A text is no list, whatever is in it.
guard((value) => typeof value === "function" && compared(value), globalThis.Array, ["isArray"]);
guard(compared, globalThis.RegExp.prototype, ["test"]);
guard(compared, String.prototype, ["includes", "startsWith", "endsWith", "localeCompare"]);
guard(measured, String.prototype, [
  "at", "charAt", "charCodeAt", "codePointAt", "slice", "substring", "substr", "split", "match", "matchAll", "search",
  "indexOf", "lastIndexOf", "toUpperCase", "toLowerCase", "toLocaleUpperCase", "toLocaleLowerCase", "normalize",
  "padStart", "padEnd", Symbol.iterator,
]);
guard(measured, String.prototype, ["replace", "replaceAll"], 1);
guard(measured, globalThis.RegExp.prototype, ["exec"]);
guard(measured, globalThis, ["parseInt", "parseFloat", "isNaN", "isFinite", "encodeURI", "encodeURIComponent", "escape"]);
guard(measured, Number, ["parseInt", "parseFloat"]);
guard(measured, globalThis.JSON, ["parse"]);
globalThis.JSON.stringify = (...values) => measured(apply(stringify, undefined, values));
for (const name of ["Boolean", "Number"]) {
  const check = name === "Boolean" ? tested : measured;
  globalThis[name] = new Proxy(globalThis[name], {
    apply: (target, self, values) => (check(values[0]), apply(target, self, values)),
  });
}

/** Returns the names of the parameters of a function in the place of a value. */
const namesOf = (value) => {
  const names = read(parameters, value);
  if (names !== undefined) return names;
  if (matches(withoutParameters, apply(functionText, value, []))) return [];
  throw new Error("a function in the place of a value must be an arrow function, and its parameters names only");
};
const parameters = new WeakMap();
const withoutParameters = /^(?:function\s*)?[\w$]*\s*\(\s*\)/;

const argument = (value) => {
  if (typeof value === "string") return "t" + value;
  const text = value !== null && typeof value === "function" ? read(references, value) : undefined;
  if (text !== undefined) return "t" + text;
  if (typeof value === "function") {
    const { length } = namesOf(value);
    const values = [];
    for (let at = 0; at < length; at++) push(values, open + "?" + at + close);
    const written = apply(value, undefined, values);
    if (typeof written !== "string") throw new Error("the function must return a text");
    return "f" + length + ":" + written;
  }
  throw new Error("the argument is " + kindOf(value) + ", not a text");
};

const primitive = (path, text, hint) => {
  if (hint === "number" || matches(isOfQuery, path)) throw undecided(path);
  return text;
};

const reference = (path) => {
  if (byPath[path] !== undefined) return byPath[path];
  const text = open + path + close;
  const made = new Proxy(() => {}, {
    get: (_, name) => {
      if (typeof name !== "symbol") return reference(path + "." + name);
      return name === toPrimitive ? (hint) => primitive(path, text, hint) : undefined;
    },
    apply: (_, self, values) => {
      if (!matches(callable, path)) {
        throw new Error(matches(isOfQuery, path)
          ? path + "() is not supported; use filter() or requiredFilter() in SQL, and declare an access_policy for each group"
          : path + " is not defined as a function");
      }
      let written = open + path + separator;
      for (let at = 0; at < values.length; at++)
        written += (at === 0 ? "" : separator) + argument(values[at]);
      return written + close;
    },
    set: () => { throw new Error(path + " is a reference and cannot be changed"); },
    has: () => { throw new Error(path + " is a reference, not an object"); },
    ownKeys: () => { throw new Error(path + " is a reference, not an object"); },
  });
  write(references, made, text);
  byPath[path] = made;
  return made;
};

const kindOf = (value) => {
  if (value === undefined || value === null) return String(value);
  if (typeof value === "function") return read(references, value) === undefined ? "a function" : "a reference";
  if (typeof value === "symbol" || typeof value === "bigint") return "a " + typeof value;
  if (typeof value === "number") return String(value);
  return isArray(value) ? "a list" : "an object";
};

const text = (value) => {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      if (isFinite(value)) return value;
      break;
    case "function":
      if (read(references, value) !== undefined) return read(references, value);
      break;
    case "object":
      if (value !== null && (isArray(value) || value.toString !== plain.toString)) return value;
  }
  throw new Error("the value in the template literal is " + kindOf(value) + ", not a text");
};

/** The error of a file whose import failed. That file has its own error. */
const failed = create(null);

const load = (from, name) => {
  if (typeof name !== "string" || !/^\.\.?\//.test(name)) {
    throw new Error(String(name) + " cannot be loaded: only files of the data model can, as ./name; packages do not exist here");
  }
  const parts = from.split("/").slice(0, -1);
  for (const part of name.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== ".") parts.push(part);
  }
  const path = parts.join("/");
  const found = modules[path] ?? modules[path + ".js"] ?? modules[path + "/index.js"];
  if (found === undefined) throw new Error("there is no file " + path + ".js in the data model");
  run(found);
  if (found.state === "failed") throw failed;
  return found.module.exports;
};

const exported = (from, path, name) => {
  const all = load(from, path);
  if (name === "default" && all?.__esModule !== true) return all;
  if (all === null || all === undefined || !(name in Object(all)))
    throw new Error(path + " exports no " + name);
  return all[name];
};

const helpersOf = (file) => ({
  at: (offset, value) => {
    write(places, value, file.place + offset);
    return value;
  },
  parameters: (value, names) => {
    write(parameters, value, names);
    return value;
  },
  text,
  tested,
  compared,
  measured,
  parts,
  reference,
  compileContext: context,
  fail: () => { throw failed; },
  declare: (kind, offset) => (...values) => {
    if (isRead) throw new Error(kind + "() is called in the value of a declaration; call it before the file ends");
    if (calls.length === mostCalls) throw new Error("there are more than " + mostCalls + " cubes, views and view groups; declare fewer");
    push(calls, { file, kind, offset, values });
  },
  asyncModule: (offset) => (work) => {
    const state = { file, offset, ended: false, error: undefined };
    push(asyncModules, state);
    apply(then, (async () => work())(), [
      () => { state.ended = true; },
      (error) => { state.ended = true; state.error = described(error); },
    ]);
  },
  import: (from, names) => {
    const values = create(null);
    if (names.length === 0) load(file.path, from);
    for (const name of names) values[name] = exported(file.path, from, name);
    return values;
  },
  importAll: (from) => load(file.path, from),
  exports: (target, getters) => {
    defineProperty(target, "__esModule", { value: true });
    for (const name of keys(getters))
      defineProperty(target, name, { get: getters[name], enumerable: true });
  },
  exportAll: (target, from) => {
    const all = load(file.path, from);
    for (const name of keys(all))
      if (name !== "default" && !(name in target))
        defineProperty(target, name, { get: () => all[name], enumerable: true });
  },
});

const described = (error) => {
  if (error === failed) return { cascade: true };
  // Without memory, no error can be made.
  if (error === null) return { message: "JavaScript: null was thrown, or the memory is used up", stack: "" };
  return { message: "JavaScript: " + String(error?.message ?? error), stack: String(error?.stack ?? "") };
};

const run = (file) => {
  if (file.state !== "new") return;
  file.state = "running";
  try {
    const { module, code } = file;
    apply(code, undefined, [helpersOf(file), module, module.exports, (name) => load(file.path, name)]);
    file.state = "done";
  } catch (error) {
    file.state = "failed";
    file.error = described(error);
  }
};

/** Calls a function in the place of a value. Its parameters are references of their names. */
const called = (value) => {
  const names = namesOf(value);
  const values = [];
  for (let at = 0; at < names.length; at++) push(values, reference(names[at]));
  return apply(value, undefined, values);
};

const encode = (value, depth, left) => {
  if (--left.values < 0) throw new Error("the declaration has more than " + mostValues + " values; split it");
  if (depth > mostDepth) throw new Error("the declaration nests deeper than " + mostDepth + " levels, or contains itself; flatten it");
  switch (typeof value) {
    case "boolean":
      return value;
    case "string":
      left.characters -= value.length;
      if (left.characters < 0) throw new Error("the declarations have more than " + mostCharacters + " characters; declare fewer");
      return value;
    case "number":
      return isFinite(value) ? value : [2, String(value)];
    case "function":
      return read(references, value) ?? encode(called(value), depth + 1, left);
    case "object":
      if (value === null) return null;
      break;
    default:
      return [2, kindOf(value)];
  }
  const place = read(places, value) ?? 0;
  if (isArray(value)) {
    const encoded = [1, place];
    for (let at = 0; at < value.length; at++) push(encoded, encode(value[at], depth + 1, left));
    return encoded;
  }
  const prototype = getPrototypeOf(value);
  if (prototype !== plain && prototype !== null) return [2, "an object of a class"];
  const encoded = [0, place];
  const names = keys(value);
  for (let at = 0; at < names.length; at++) {
    const inner = value[names[at]];
    if (inner === undefined) continue;
    left.characters -= names[at].length;
    push(encoded, measured(names[at]));
    push(encoded, encode(inner, depth + 1, left));
  }
  return encoded;
};

const left = { values: 0, characters: mostCharacters };

return {
  define: (path, place, code) => {
    modules[path] = { path, place, code, module: { exports: {} }, state: "new", error: undefined };
  },
  run: (path) => {
    const file = modules[path];
    run(file);
    return stringify(file.error ?? null);
  },
  calls: () => {
    isRead = true;
    return calls.length;
  },
  call: (index) => {
    const { file, kind, offset, values } = calls[index];
    left.values = mostValues;
    let encoded;
    try {
      encoded = { values: encode(values, 0, left) };
    } catch (error) {
      encoded = { error: described(error) };
    }
    return stringify({ path: file.path, kind, offset, encoded });
  },
  asyncModules: () => {
    const states = [];
    for (let at = 0; at < asyncModules.length; at++) {
      const { file, offset, ended, error } = asyncModules[at];
      push(states, { path: file.path, offset, ended, error });
    }
    return stringify(states);
  },
};
})
`;
