/**
 * Reads with proofs: values and paths of one committed block from the executor, what certifies its digest from the ledger.
 *
 *   keys --executor--> height, values, paths --ledger: preimages, state certificate--> proof
 */
import type { Proven, ProvenReads } from '@slipstream/api';
import {
  accountStateKey,
  dataStateKey,
  decodeAccount,
  readKeyUse,
  readSession,
  readValidator,
  sessionStateKey,
  validatorKey,
} from '@slipstream/execution';
import type { LedgerReader } from '@slipstream/ledger';
import type { StateProof } from '@slipstream/state-tree/proofs';
import { height as asHeight, BLS_PUBLIC_KEY_BYTES, type Height, type ValidatorId } from '@slipstream/types';
import { readTogether } from '../executor/fetched-entries.ts';
import type { ProveStateValues, ReadStateValues } from '../executor/state-reader.ts';
import { validatorJson } from './epoch-json.ts';

interface ProvenReadComponents {
  readonly read: ReadStateValues;
  readonly prove: ProveStateValues;
  readonly ledger: Pick<LedgerReader, 'certifiedState'>;
  readonly headTimestampMs: () => number;
}

type View<T> = (value: Uint8Array | undefined, height: Height) => T;

export function createProvenReads({ read, prove, ledger, headTimestampMs }: ProvenReadComponents): ProvenReads {
  async function proofOf(keys: readonly Uint8Array[]): Promise<Proven<undefined>> {
    const proven = await prove(keys);
    if (proven.type === 'too-large' || proven.type === 'stopped') return proven;
    if (proven.type === 'shared-prefix') return { type: 'shared-prefix', key: keys[proven.at] as Uint8Array };
    const state = await ledger.certifiedState(proven.height);
    if (state === undefined) return { type: 'not-ready' };
    const entries = proven.values.map(({ value, path }, i) => ({ key: keys[i] as Uint8Array, value, path }));
    return { type: 'proven', value: undefined, proof: { entries, ...state } };
  }

  async function one<T>(key: Uint8Array, view: View<T>): Promise<Proven<T>> {
    const proven = await proofOf([key]);
    return proven.type === 'proven' ? viewed(proven.proof, view) : proven;
  }

  /** Of a BLS key: the validator that has or had it. */
  async function validatorOf(reference: Uint8Array): Promise<ValidatorId | undefined> {
    if (reference.length !== BLS_PUBLIC_KEY_BYTES) return reference as ValidatorId;
    const { value } = await readTogether(read, (entries) => readKeyUse(entries, reference)?.validatorId);
    return value;
  }

  return {
    keys: proofOf,
    account: (key) => one(accountStateKey(key).bytes, accountRecord),
    accountData: (key, name) =>
      one(dataStateKey(key, name).bytes, (value, height) => (value === undefined ? undefined : { value, height })),
    session: (id) =>
      one(sessionStateKey(id).bytes, (value, height) => {
        const record = readSession(() => value, id);
        return record && { ...record, height, nowMs: headTimestampMs() };
      }),
    async validator(reference) {
      // No validator has the key: then the id of none is absent.
      const id = (await validatorOf(reference)) ?? NO_VALIDATOR;
      return one(validatorKey(id).bytes, (value) => {
        const validator = readValidator({ get: () => value }, id);
        return validator && validatorJson(id, validator);
      });
    },
  };
}

const NO_VALIDATOR = new Uint8Array(32) as ValidatorId;

export function accountRecord(value: Uint8Array | undefined, height: Height) {
  const { balance, registration } = decodeAccount(value);
  return { balance, exists: value !== undefined, registration, height };
}

function viewed<T>(proof: StateProof, view: View<T>): Proven<T> {
  const [entry] = proof.entries;
  const height = proof.preimages[0]?.height ?? asHeight(0);
  return { type: 'proven', value: view(entry?.value, height), proof };
}
