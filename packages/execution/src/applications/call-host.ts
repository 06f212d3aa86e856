/**
 * The host of an application's calls: entries and coins on the overlay of a transaction, counted (applications.md, A4 to A7).
 *
 * A refusal ends the call: neither the kit nor the application sees more of it. Each function takes ticks of the call besides its units,
 * since an application may repeat it.
 */
import { COIN_TABLE, type Host } from '@slipstream/app/program';
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
import { AMOUNT_MAX } from '../amount.ts';
import type { Entries, Scratch } from '../overlay.ts';
import { accountStateKey, stateKey } from '../state-keys.ts';
import { applicationPurse } from './purse.ts';
import { type CallLimits, createUsage, refusal, type Usage } from './usage.ts';

interface CallInHand {
  /** Without a caller no balances are accessed. */
  readonly scratch: Scratch | Entries;
  /** Undefined: genesis. */
  readonly caller: { readonly sender: AccountKey; readonly genesisHash: GenesisHash } | undefined;
  readonly limits: CallLimits;
}

export interface CallHost extends Host, Pick<Usage, 'declaring' | 'declared' | 'keys'> {
  /** Forgets the call before. */
  begin(call: CallInHand): void;
  events(): readonly Uint8Array[];
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

/** Of the state store. */
const VALUE_BYTES_MAX = 65_536;
const BALANCE_BYTES = 8;

export function createCallHost(application: number, meter: Meter): CallHost {
  const usage = createUsage();
  let events: Uint8Array[] = [];
  let call: CallInHand | undefined;

  const take = (ticks: number): void => meter.spendTicks(Math.ceil(ticks));

  function inHand(): CallInHand {
    if (call === undefined) throw refusal('application-fault');
    return call;
  }

  function withCoins(): { readonly scratch: Scratch; readonly sender: AccountKey; readonly genesisHash: GenesisHash } {
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
      usage.begin(next.limits);
    },
    declaring: usage.declaring,
    declared: usage.declared,
    keys: usage.keys,
    events: () => events,

    key(table, own) {
      take(HOST_CALL_TICKS + own.length / HASHED_BYTES_PER_TICK);
      if (table !== COIN_TABLE) return usage.numberOf(stateKey(stateKeyOfEntry(application, table, own)), false);
      withCoins();
      return usage.numberOf(accountStateKey(accountIn(own)), true);
    },
    get(number) {
      const { key, isBalance } = usage.read(number);
      const value = isBalance ? balanceBytes(withCoins().scratch.balance(key)) : inHand().scratch.get(key);
      take(HOST_CALL_TICKS + (value?.length ?? 0) / BYTES_PER_TICK);
      return value;
    },
    put(number, value) {
      const length = value?.length ?? 0;
      take(HOST_CALL_TICKS + length / BYTES_PER_TICK);
      if (length > VALUE_BYTES_MAX) throw refusal('out-of-units');
      const { key, isBalance } = usage.write(number, length);
      if (isBalance) throw refusal('application-fault');
      inHand().scratch.set(key, value);
    },
    emit(event, body) {
      take(HOST_CALL_TICKS + body.length / BYTES_PER_TICK);
      usage.emit(body.length);
      events.push(eventOutput({ application, event, body }));
    },
    collect: (label, amount) => moveCoins(withCoins().sender, purseOf(label), amount),
    pay: (label, to, amount) => moveCoins(purseOf(label), accountIn(to), amount),
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
