/** reportEquivocation: two messages of one key that contradict each other (epochs/contradiction.ts). Anyone may send it. */

import { EVIDENCE_TYPES, STATEMENT_BYTES_MAX } from '../epochs/contradiction.ts';
import { blsKey, bytes, keySignature, oneOf, record } from '../forms/description.ts';
import { cost, KEY_CHECK_COMPUTE, VALIDATOR_READS, VALIDATOR_WRITES, WAITING_BYTES } from './costs.ts';
import { defineAction } from './definition.ts';

const statement = record(
  { statement: bytes(STATEMENT_BYTES_MAX), signature: keySignature },
  { name: 'signed statement' },
);

export const reportEquivocation = defineAction({
  kind: 'reportEquivocation',
  tag: 14,
  title: 'ReportEquivocation',
  about: 'Two messages of one key that contradict each other.',
  fields: {
    type: oneOf(...EVIDENCE_TYPES),
    /** Of the validator, when it signed. */
    blsPublicKey: blsKey,
    first: statement,
    second: statement,
  },
  units: () => cost(2 * KEY_CHECK_COMPUTE, VALIDATOR_READS, WAITING_BYTES, VALIDATOR_WRITES),
});
