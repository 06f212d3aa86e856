/**
 * The host of an application's calls: entries and coins on the overlay of a transaction, counted (applications.md, A4 to A7).
 *
 * A refusal ends the call: neither the kit nor the application sees more of it. Each function takes ticks of the call besides its units,
 * since an application may repeat it.
 */
import { ABSENT, COIN_TABLE, type Host, VALUE_BYTES_MAX } from '@slipstream/app/program';
import { sha256 } from '@slipstream/primitives';
import {
  type AccountKey,
  accountKeyBytes,
  accountKeyFromWire,
  eventOutput,
  type GenesisHash,
  stateKeyOfEntry,
} from '@slipstream/types';
import { move } from '../actions/move.ts';
import type { CollectAllowance } from '../actions/rule.ts';
import { AMOUNT_MAX } from '../amount.ts';
import type { Entries, Scratch } from '../overlay.ts';
import { accountStateKey, stateKey } from '../state-keys.ts';
import { applicationPurse } from './purse.ts';
import { type CallLimits, createUsage, refusal, type Usage } from './usage.ts';

interface Caller {
  readonly sender: AccountKey;
  readonly genesisHash: GenesisHash;
  readonly allowance: CollectAllowance | undefined;
}

interface CallInHand {
  /** Without a caller no balances are accessed. */
  readonly scratch: Scratch | Entries;
  /** Undefined: genesis. */
  readonly caller: Caller | undefined;
  readonly limits: CallLimits;
}

export interface CallHost extends Host, Pick<Usage, 'declaring' | 'declared' | 'keys'> {
  /** Forgets the call before. */
  begin(call: CallInHand): void;
  events(): readonly Uint8Array[];
  /** The first accounts that purses paid. */
  paid(): readonly AccountKey[];
}

interface Meter {
  spendTicks(ticks: number): void;
}

/** A tick is about 4 ns. Over the bridge and back, with a look-up. */
const HOST_CALL_TICKS = 128;
/** Copied over the bridge. */
const BYTES_PER_TICK = 4;
/** SHA-256 takes 2 to 4 ns a byte. */
const HASHED_BYTES_PER_TICK = 1;

const BALANCE_BYTES = 8;
/** Of a call, that have it in their history. */
export const PAYEES_MAX = 16;

export function createCallHost(application: number, meter: Meter): CallHost {
  const usage = createUsage();
  let events: Uint8Array[] = [];
  let paid: AccountKey[] = [];
  let call: CallInHand | undefined;

  const take = (ticks: number): void => meter.spendTicks(Math.ceil(ticks));

  function inHand(): CallInHand {
    if (call === undefined) throw refusal('application-fault');
    return call;
  }

  function withCoins(): Caller & { readonly scratch: Scratch } {
    const { scratch, caller } = inHand();
    if (caller === undefined) throw refusal('application-fault');
    return { scratch: scratch as Scratch, ...caller };
  }

  function purseOf(label: Uint8Array): AccountKey {
    return applicationPurse(withCoins().genesisHash, application, label);
  }

  function moveCoins(from: AccountKey, to: AccountKey, amount: bigint): boolean {
    take(2 * HOST_CALL_TICKS);
    const { scratch } = withCoins();
    if (amount < 0n || amount > AMOUNT_MAX) throw refusal('application-fault');
    const [source, target] = [accountStateKey(from), accountStateKey(to)];
    for (const key of [source, target]) {
      const balance = usage.numberOf(key, true);
      usage.read(balance);
      usage.write(balance, BALANCE_BYTES);
    }
    const moved = move(scratch, source, target, amount);
    if (!moved.ok && moved.code !== 'insufficient-balance') throw refusal(moved.code);
    return moved.ok;
  }

  return {
    begin(next) {
      call = next;
      events = [];
      paid = [];
      usage.begin(next.limits);
    },
    declaring: usage.declaring,
    declared: usage.declared,
    keys: usage.keys,
    events: () => events,
    paid: () => paid,

    key(table, bytes, length) {
      take(HOST_CALL_TICKS + length / HASHED_BYTES_PER_TICK);
      if (table !== COIN_TABLE)
        return usage.numberOf(stateKey(stateKeyOfEntry(application, table, bytes, length)), false);
      withCoins();
      return usage.numberOf(accountStateKey(accountIn(copyOf(bytes, length))), true);
    },
    get(number, into) {
      const { key, isBalance } = usage.read(number);
      const value = isBalance ? balanceBytes(withCoins().scratch.balance(key)) : inHand().scratch.get(key);
      take(HOST_CALL_TICKS + (value?.length ?? 0) / BYTES_PER_TICK);
      if (value === undefined) return ABSENT;
      copy(value, into, Math.min(value.length, into.length));
      return value.length;
    },
    put(number, value, length) {
      take(HOST_CALL_TICKS + length / BYTES_PER_TICK);
      if (length > VALUE_BYTES_MAX) throw refusal('out-of-units');
      const { key, isBalance } = usage.write(number, length);
      if (isBalance) throw refusal('application-fault');
      inHand().scratch.set(key, value && copyOf(value, length));
    },
    emit(event, body, length) {
      take(HOST_CALL_TICKS + length / BYTES_PER_TICK);
      usage.emit(length);
      events.push(eventOutput({ application, event, body }, length));
    },
    collect(label, amount) {
      const { sender, allowance } = withCoins();
      if (allowance !== undefined) {
        const asked = allowance.collected + amount;
        if (asked > allowance.most) throw refusal('session-limit');
        if (asked > allowance.asked) allowance.asked = asked;
      }
      const moved = moveCoins(sender, purseOf(label), amount);
      if (allowance !== undefined && moved) allowance.collected += amount;
      return moved;
    },
    pay(label, to, amount) {
      const payee = accountIn(to);
      const moved = moveCoins(purseOf(label), payee, amount);
      if (moved && paid.length < PAYEES_MAX) paid.push(payee);
      return moved;
    },
    purse(label) {
      take(HOST_CALL_TICKS + label.length / HASHED_BYTES_PER_TICK);
      return accountKeyBytes(purseOf(label));
    },
    sha256(data) {
      take(HOST_CALL_TICKS + data.length / HASHED_BYTES_PER_TICK);
      return sha256(data);
    },
  };
}

/** Up to so many bytes a loop is quicker than `set` and `slice`. */
const LOOPED_BYTES_MAX = 64;

function copy(bytes: Uint8Array, into: Uint8Array, length: number): void {
  if (length > LOOPED_BYTES_MAX) into.set(length === bytes.length ? bytes : bytes.subarray(0, length));
  else for (let i = 0; i < length; i++) into[i] = bytes[i] as number;
}

function copyOf(bytes: Uint8Array, length: number): Uint8Array {
  const own = new Uint8Array(length);
  copy(bytes, own, length);
  return own;
}

/** An application may have it from an input. */
function accountIn(bytes: Uint8Array): AccountKey {
  try {
    return accountKeyFromWire({ scheme: bytes[0] ?? 0, bytes: bytes.slice(1) });
  } catch {
    throw refusal('bad-input');
  }
}

/** As an application has it: a u64, little-endian; undefined: none. */
function balanceBytes(balance: bigint): Uint8Array | undefined {
  if (balance === 0n) return undefined;
  const bytes = new Uint8Array(BALANCE_BYTES);
  new DataView(bytes.buffer).setBigUint64(0, balance, true);
  return bytes;
}
