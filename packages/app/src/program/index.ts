/** What the node, the build and clients need of an application. */
export { DEFAULT_UNITS } from '../definition/action.ts';
export type { Application } from '../definition/application.ts';
export type { CaseDescription, FieldDescription, FormDescription, ScalarName } from '../forms/description.ts';
export { FormError, type FormErrorCode } from '../forms/errors.ts';
export { decode, encode, encodeJson, type Form, type Json } from '../forms/form.ts';
export { formOf, keyFormOf } from '../forms/form-of.ts';
export { type JsonSchema, jsonSchemaOf } from '../forms/json-schema.ts';
export { isApplicationName } from '../forms/names.ts';
export { ABSENT, COIN_TABLE, type Host, type Interruption, VALUE_BYTES_MAX } from '../host.ts';
export {
  type ActionManifest,
  type ActionUnits,
  type ApplicationManifest,
  type EventManifest,
  KIT_VERSION,
  type QueryManifest,
  type TableManifest,
  type Units,
} from '../manifest.ts';
export { type AccountFinder, accountFinder } from './account-finder.ts';
export { createProgram } from './create-program.ts';
export { createManifestJson, type ManifestJson } from './manifest-json.ts';
export type { Numbers } from './numbers.ts';
export type { CallContext, CallFailure, CallResult, Program, QueryResult } from './program.ts';
export { sortedKeys } from './sorted-keys.ts';
