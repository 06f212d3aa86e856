/** Named fields. Their order is part of the encoding. */

import { describe } from './describe.ts';
import { fieldsFromJson, fieldsToJson, layoutOf, readFields, sizeOfFields, writeFields } from './fields.ts';
import { depthAbove, type Fields, type Form, type RecordOf } from './form.ts';

export function record<F extends Fields>(fields: F): Form<RecordOf<F>> {
  const layout = layoutOf(fields);
  return {
    description: { form: 'record', fields: describe(fields, 'a record') },
    fixedBytes: layout.fixedBytes,
    bytesMax: layout.bytesMax,
    depth: depthAbove(layout.forms),
    sizeOf: (value) => sizeOfFields(layout, value),
    write: (bytes, at, value) => writeFields(layout, bytes, at, value),
    read: (bytes, at, end) => readFields(layout, bytes, at, end) as RecordOf<F>,
    toJson: (value) => fieldsToJson(layout, value),
    fromJson: (json, path) => fieldsFromJson(layout, json, path) as RecordOf<F>,
  };
}
