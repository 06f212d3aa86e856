/**
 * advanceIssuer: the committee of a trusted issuer changed. Anyone may send it.
 *
 *   root key, or the state --> committee of e --handover--> committee of e + 1, whose credentials hold from then on
 *
 * In bytes the root's expiry and signature stand apart: 0 and empty where the state knows the committee.
 */
import { HANDOVER_BYTES_MAX, type Handover } from '../epochs/handover.ts';
import {
  blsKey,
  bytes,
  type Described,
  fieldsOf,
  id,
  type JsonOf,
  type JsonsOf,
  keySignature,
  list,
  record,
  timeMs,
  u16,
  type ValueOf,
  type ValuesOf,
} from '../forms/description.ts';
import type { GenesisHash } from '../ids.ts';
import { BLS_AGGREGATE_BYTES } from '../limits.ts';
import { ISSUING_MEMBERS_MAX } from '../session/committee-certificate.ts';
import { cost, KEY_CHECK_COMPUTE, KEY_DECODE_COMPUTE, VALIDATOR_READS } from './costs.ts';
import type { ActionDefinition } from './definition.ts';

/** Of an issuer's committees: the newest and 16 that it replaced. */
const ISSUER_BYTES = 720;
/** Between the first of an issuer and its seventeenth. */
const ISSUER_WRITES = 11;

const handover: Described<Handover, string> = { form: 'handover', bytesMax: HANDOVER_BYTES_MAX, name: 'handover' };
const member = record(
  { weight: { ...u16, about: 'Weight of its vote.' }, blsPublicKey: blsKey },
  { name: 'certified member' },
);
const root = record({ expiryMs: timeMs, signature: keySignature });

const head = { issuer: id<GenesisHash>(), rootKey: blsKey };
/** Of the handover's epoch. */
const members = list(member, { max: ISSUING_MEMBERS_MAX });
const rest = { ...head, members, handover };
const inBytes = { ...head, expiryMs: timeMs, members, handover, signature: bytes(BLS_AGGREGATE_BYTES) };

export type AdvanceIssuer = {
  readonly kind: 'advanceIssuer';
  /** For the first; later the state knows the committee. */
  readonly root: ValueOf<typeof root> | undefined;
} & ValuesOf<typeof rest>;

type AdvanceIssuerJson = { readonly kind: 'advanceIssuer'; readonly root?: JsonOf<typeof root> } & JsonsOf<typeof rest>;

export const advanceIssuer: ActionDefinition<AdvanceIssuer, AdvanceIssuerJson> = {
  kind: 'advanceIssuer',
  tag: 15,
  title: 'AdvanceIssuer',
  about: "A trusted issuer's committee handed over to the next one.",
  fields: [...fieldsOf(rest), { name: 'root', of: root, optional: true }],
  inBytes: {
    fields: fieldsOf(inBytes),
    of: (action) => ({
      ...action,
      expiryMs: action.root?.expiryMs ?? 0,
      signature: action.root?.signature ?? new Uint8Array(0),
    }),
    from({ expiryMs, signature, ...others }: ValuesOf<typeof inBytes>) {
      const hasRoot = expiryMs > 0;
      if (signature.length !== (hasRoot ? BLS_AGGREGATE_BYTES : 0))
        throw new RangeError('an expiry and a signature of the root key come together');
      return { kind: 'advanceIssuer', ...others, root: hasRoot ? { expiryMs, signature } : undefined };
    },
  },
  units: ({ members: { length } }) =>
    cost(2 * KEY_CHECK_COMPUTE + KEY_DECODE_COMPUTE * length, VALIDATOR_READS, ISSUER_BYTES, ISSUER_WRITES),
};
