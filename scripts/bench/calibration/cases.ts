/** Cases of the `calibration` bench: transactions with each action, alone and repeated, with small and large values, and each authority. */
import { sha256, uint32le } from '@slipstream/primitives';
import { type Action, ed25519Account } from '@slipstream/types';
import {
  type Person,
  person,
  sessionOf,
  type TestChain,
  type TestSession,
} from '../../../packages/execution/test/session-world.ts';

export const PEOPLE = Array.from({ length: 512 }, (_, i) => person(`calibration ${i}`));

/** Pays in a block beside those that are measured, and is none of their senders or receivers. */
export const BYSTANDER = person('calibration bystander');

export interface Case {
  readonly name: string;
  readonly scheme?: 'session' | 'session-hash';
  /** Each transaction has a sender that has none else: its devices are its own. */
  readonly isOwnSender?: boolean;
  /** Transactions of an earlier block, by the same sender. */
  readonly before?: (place: Place) => readonly (readonly Action[])[];
  readonly actions: (place: Place) => readonly Action[];
}

/** Of a transaction: its sender, and a number that no other transaction of the run has. */
export interface Place {
  readonly chain: TestChain;
  readonly sender: Person;
  readonly serial: number;
  /** Number of accounts in the state. */
  readonly accounts: number;
}

const LARGE_BYTES = 4096;
/** 61 kB of values: a transaction has 64 kB at most. */
const LARGE_VALUES = 15;
/** Their outputs fill a receipt. */
const GRANTS = 7;
const DEVICES_ADDED_MAX = 7;

export const CASES: readonly Case[] = [
  { name: 'transfer', actions: (place) => times(1, (i) => transferTo(known(place, i))) },
  { name: 'transfer to a new account', actions: (place) => times(1, (i) => transferTo(fresh(place, i))) },
  { name: '16 transfers', actions: (place) => times(16, (i) => transferTo(known(place, i))) },
  { name: '16 transfers to new accounts', actions: (place) => times(16, (i) => transferTo(fresh(place, i))) },
  { name: 'transferMany of 1', actions: (place) => [many(place, 1, known)] },
  { name: 'transferMany of 100', actions: (place) => [many(place, 100, known)] },
  { name: 'transferMany of 100 new accounts', actions: (place) => [many(place, 100, fresh)] },
  { name: 'setData of 8 bytes', actions: (place) => times(1, (i) => set(place, i, 8)) },
  { name: '16 setData of 8 bytes', actions: (place) => times(16, (i) => set(place, i, 8)) },
  { name: 'setData of 512 bytes', actions: (place) => times(1, (i) => set(place, i, 512)) },
  { name: 'setData of 4096 bytes', actions: (place) => times(1, (i) => set(place, i, LARGE_BYTES)) },
  {
    name: '15 setData of 4096 bytes',
    actions: (place) => times(LARGE_VALUES, (i) => set(place, i, LARGE_BYTES)),
  },
  {
    name: 'setData of 4096 over 8 bytes',
    before: (place) => [[set(place, 0, 8)]],
    actions: (place) => [set(place, 0, LARGE_BYTES)],
  },
  {
    name: 'setData of 4096 over 4096 bytes',
    before: (place) => [[set(place, 0, LARGE_BYTES, 'before')]],
    actions: (place) => [set(place, 0, LARGE_BYTES)],
  },
  {
    name: '16 setData that delete',
    before: (place) => [times(16, (i) => set(place, i, 8))],
    actions: (place) => times(16, (i) => set(place, i, 0)),
  },
  { name: 'addDevice to 1', isOwnSender: true, actions: (place) => [device(place, 'addDevice', 0)] },
  {
    name: 'addDevice to 7',
    isOwnSender: true,
    before: (place) => [times(DEVICES_ADDED_MAX - 1, (i) => device(place, 'addDevice', i))],
    actions: (place) => [device(place, 'addDevice', DEVICES_ADDED_MAX - 1)],
  },
  {
    name: 'removeDevice of 8',
    isOwnSender: true,
    before: (place) => [times(DEVICES_ADDED_MAX, (i) => device(place, 'addDevice', i))],
    actions: (place) => [device(place, 'removeDevice', 0)],
  },
  { name: 'grantSession', actions: (place) => times(1, (i) => sessionAt(place, i).action) },
  { name: '7 grantSession', actions: (place) => times(GRANTS, (i) => sessionAt(place, i).action) },
  {
    name: '7 revokeSession',
    before: (place) => [times(GRANTS, (i) => sessionAt(place, i).action)],
    actions: (place) =>
      times(GRANTS, (i) => ({
        kind: 'revokeSession',
        owner: place.sender.account,
        grantId: sessionAt(place, i).grantId,
      })),
  },
  { name: 'setData by a credential', scheme: 'session', actions: (place) => [set(place, 0, 8)] },
  { name: 'setData by a grant id', scheme: 'session-hash', actions: (place) => [set(place, 0, 8)] },
];

const times = <T>(count: number, make: (i: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, i) => make(i));

/** Accounts of genesis besides PEOPLE, by number. */
export const accountOf = (number: number) => ed25519Account(sha256(uint32le(number)));

/** More than a block has transactions, so that each account stands once in a block. */
const STRIDE = 1009;
const known = ({ serial, accounts }: Place, i: number) => accountOf((serial + i * STRIDE) % accounts);

const fresh = ({ serial }: Place, i: number) => ed25519Account(bytesOf(32, serial, i));

const transferTo = (to: ReturnType<typeof fresh>): Action => ({ kind: 'transfer', to, amount: 1n });

function many(place: Place, count: number, to: typeof fresh): Action {
  return { kind: 'transferMany', outputs: times(count, (i) => ({ to: to(place, i), amount: 1n })) };
}

function set({ serial }: Place, i: number, length: number, salt = ''): Action {
  return { kind: 'setData', name: `calibration ${serial} ${i}`, value: bytesOf(length, serial, i, salt.length) };
}

function device(place: Place, kind: 'addDevice' | 'removeDevice', i: number): Action {
  return { kind, anchor: place.sender.account, device: fresh(place, i) };
}

function sessionAt(place: Place, i: number): TestSession {
  const { chain, serial } = place;
  return sessionOf(chain, chain, place.sender, { key: 'one key', service: `service ${serial} ${i}` });
}

export const fresh32 = (...numbers: readonly number[]) => bytesOf(32, ...numbers);

/** Without patterns, since compression on the way would hide their bytes. */
function bytesOf(length: number, ...numbers: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(length);
  const seed = sha256(Uint8Array.from(numbers.flatMap((number) => [...uint32le(number)])));
  for (let at = 0; at < length; at += seed.length) {
    bytes.set(sha256(Uint8Array.from([...seed, ...uint32le(at)])).subarray(0, length - at), at);
  }
  return bytes;
}

/** Also measured in a state of fewer accounts. */
export const ACCOUNT_CASES: ReadonlySet<string> = new Set(['transfer', '16 transfers', 'transferMany of 100']);
