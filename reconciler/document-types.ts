// The base of document types in other modules: the parsed document, its validation, and shared schemas.
export { type BuiltInFormat, readBuiltIn } from "./manifest/built-in-document.ts";
export {
  type ConfigFileError,
  configFileSchema,
  readConfigDocument,
} from "./manifest/config-file.ts";
export { diagnosticOf } from "./manifest/document.ts";
export { documentSchema } from "./manifest/document-schema.ts";
export type { FieldError } from "./manifest/field-errors.ts";
export type { Document } from "./manifest/parse.ts";
export type { Scope } from "./manifest/variables.ts";
export type { ExtensionDocument } from "./model/index.ts";
export { windowRuleErrors, windowSchemaMembers } from "./model/windows/window-schema.ts";
