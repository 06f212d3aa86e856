/** Encodings without descriptions, which built-in actions of the chain are made of. */
export { badBytes, badJson, badValue, FormError } from './errors.ts';
export {
  fieldsFromJson,
  fieldsToJson,
  layoutOf,
  objectFromJson,
  readFields,
  sizeOfFields,
  writeFields,
} from './fields.ts';
export { decode, type Encoding, encode, type Json } from './form.ts';
export { amount, readUint32, timeMs, u8, u16, u32, writeUint32 } from './integers.ts';
export { listOf } from './list.ts';
