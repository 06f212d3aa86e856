/** What a verified proof shows of an account, its data or a session. */
import { to0x } from '@slipstream/primitives';
import type { AccountView } from '@slipstream/schema';
import { ClientError } from './errors.ts';
import { type AccountEntry, accountJson, type DataEntry, type SessionEntry, stateKeys } from './state-entry.ts';
import type { VerifiedState } from './verify-state-proof.ts';

/** What was verified, and the proof. */
export type Shown = Pick<VerifiedState, 'steps' | 'proof'>;

/** Heights are of the certified block whose state it is. One that the chain does not know has no balance. */
export type ProvenAccount = Omit<AccountView, 'proof'> & { readonly shown: Shown };

export interface ProvenData {
  readonly account: string;
  readonly name: string;
  /** 0x and hexadecimal; null: there is none. */
  readonly value: string | null;
  readonly height: number;
  readonly shown: Shown;
}

export interface ProvenSession {
  readonly id: string;
  /** Undefined: the chain does not know it. */
  readonly record: SessionEntry['record'];
  readonly height: number;
  readonly shown: Shown;
}

/** A key, and what a verified proof of it alone shows. */
export interface ProvenRead<T> {
  readonly key: Uint8Array;
  read(state: VerifiedState): T;
}

/** Throws ClientError `bad-argument`. */
export function accountRead(account: string): ProvenRead<ProvenAccount> {
  return {
    key: keyOf(() => stateKeys.account(account)),
    read: ({ entries, ...state }) => ({ ...accountJson(entries[0] as AccountEntry), ...shownBy(state) }),
  };
}

/** Throws ClientError `bad-argument`. */
export function dataRead(account: string, name: string): ProvenRead<ProvenData> {
  return {
    key: keyOf(() => stateKeys.data(account, name)),
    read({ entries, ...state }) {
      const { kind: _, value, ...place } = entries[0] as DataEntry;
      return { ...place, value: value === undefined ? null : to0x(value), ...shownBy(state) };
    },
  };
}

/** Throws ClientError `bad-argument`. */
export function sessionRead(id: string): ProvenRead<ProvenSession> {
  return {
    key: keyOf(() => stateKeys.session(id)),
    read({ entries, ...state }) {
      const { id: shownId, record } = entries[0] as SessionEntry;
      return { id: shownId, record, ...shownBy(state) };
    },
  };
}

function shownBy({ height, steps, proof }: Omit<VerifiedState, 'entries'>) {
  return { height, shown: { steps, proof } };
}

function keyOf(make: () => Uint8Array): Uint8Array {
  try {
    return make();
  } catch (cause) {
    throw new ClientError('bad-argument', cause instanceof Error ? cause.message : String(cause), {}, cause);
  }
}
