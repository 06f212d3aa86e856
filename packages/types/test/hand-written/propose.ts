/** propose: changes of the committee and the parameters, in order. The sender approves them by it. */
import { ContainerType, createCodec, ListCompositeType } from '@slipstream/primitives';
import { type Change, type ChangeWire, changeFromWire, changeToWire, changeType } from '../../src/epochs/changes.ts';
import { type ChangeJson, changeFromJson, changeToJson } from '../../src/epochs/changes-json.ts';
import { ACTION_BODY_BYTES_MAX } from '../../src/limits.ts';
import { uint53 } from '../../src/subject-wire.ts';

export const PROPOSAL_CHANGES_MAX = 8;

export interface Propose {
  readonly kind: 'propose';
  /** 1 to 8. */
  readonly changes: readonly Change[];
  /** ms since 1970, of block time. */
  readonly notBeforeMs: number;
}

interface ProposeWire {
  readonly changes: readonly ChangeWire[];
  readonly notBeforeMs: number;
}

export const changesType = new ListCompositeType(changeType, PROPOSAL_CHANGES_MAX);
const type = new ContainerType({ changes: changesType, notBeforeMs: uint53 });

export const proposeCodec = createCodec<Propose, ProposeWire>('propose', type, ACTION_BODY_BYTES_MAX, {
  toWire: ({ changes, notBeforeMs }) => ({ changes: changes.map(changeToWire), notBeforeMs }),
  fromWire: ({ changes, notBeforeMs }) => checked(changes.map(changeFromWire), notBeforeMs),
});

function checked(changes: readonly Change[], notBeforeMs: number): Propose {
  if (changes.length === 0) throw new RangeError('a proposal has at least one change');
  if (changes.length > PROPOSAL_CHANGES_MAX) {
    throw new RangeError(`a proposal has at most ${PROPOSAL_CHANGES_MAX} changes`);
  }
  return { kind: 'propose', changes, notBeforeMs };
}

export interface ProposeJson {
  readonly kind: 'propose';
  readonly changes: readonly ChangeJson[];
  readonly notBeforeMs: number;
}

export function proposeToJson({ changes, notBeforeMs }: Propose): ProposeJson {
  return { kind: 'propose', changes: changes.map(changeToJson), notBeforeMs };
}

/** Throws RangeError with the reason. */
export function proposeFromJson(json: ProposeJson): Propose {
  return checked(json.changes.map(changeFromJson), json.notBeforeMs);
}
