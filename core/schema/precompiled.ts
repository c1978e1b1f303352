// The validators that the build compiled. Bundles replace this file: see scripts/precompile-validators.ts.
import type { ValidateFunction } from "ajv/dist/2020.js";

/** Loaders of validators, by the digest of their schema. Empty when the sources run: then ajv compiles. */
export const precompiled: ReadonlyMap<string, () => ValidateFunction> = new Map();
