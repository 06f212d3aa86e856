/**
 * The host of an application's calls: entries and coins on the overlay of a transaction, counted (applications.md, A4 to A7).
 *
 * A refusal ends the call: neither the kit nor the application sees more of it. Each function takes ticks of the call besides its units,
 * since an application may repeat it.
 */
import { COIN_TABLE, type Host } from '@slipstream/app/program';
import { CodedError, domainPrefix, hashInDomain, sha256 } from '@slipstream/primitives';
import {
  type AccountKey,
  accountKeyBytes,
  accountKeyFromWire,
  eventOutput,
  type FailureCode,
  type GenesisHash,
  stateKeyOfEntry,
} from '@slipstream/types';
import { move } from '../actions/move.ts';
import { AMOUNT_MAX } from '../amount.ts';
import type { Entries, Scratch } from '../overlay.ts';
import { accountStateKey, type StateKey, stateKey } from '../state-keys.ts';

export class CallRefused extends CodedError<FailureCode> {}

interface CallInHand {
  /** Without a caller no balances are accessed. */
  readonly scratch: Scratch | Entries;
  /** Undefined: genesis. */
  readonly caller: { readonly sender: AccountKey; readonly genesisHash: GenesisHash } | undefined;
  readonly limits: { readonly reads: number; readonly writes: number; readonly bytes: number };
}

export interface CallHost extends Host {
  /** Forgets the call before. */
  begin(call: CallInHand): void;
  /** `declare` asks for keys; no other key is known after it. */
  declaring(declare: () => void): void;
  /** Of this call, in the order of their first use. */
  keys(): readonly StateKey[];
  events(): readonly Uint8Array[];
}

interface Meter {
  setTicks(ticks: number): void;
  ticksLeft(): number;
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
const PURSE_DOMAIN = domainPrefix('slipstream/purse');

/** A key of the call in hand. */
interface Used {
  readonly key: StateKey;
  readonly isBalance: boolean;
  isRead: boolean;
  isWritten: boolean;
  /** The longest value put. */
  bytes: number;
}

export function createCallHost(application: number, meter: Meter): CallHost {
  const used: Used[] = [];
  const numbers = new Map<string, number>();
  let events: Uint8Array[] = [];
  let call: CallInHand | undefined;
  /** Keys may be added; entries may be accessed. */
  let isOpen = true;
  let isRunning = true;
  let reads = 0;
  let writes = 0;
  let bytes = 0;

  function take(ticks: number): void {
    meter.setTicks(Math.max(0, meter.ticksLeft() - Math.ceil(ticks)));
  }

  function intern(key: StateKey, isBalance: boolean): number {
    const { text } = key;
    const known = numbers.get(text);
    if (known !== undefined) return known;
    if (!isOpen) throw refusal('undeclared-key');
    numbers.set(text, used.length);
    return used.push({ key, isBalance, isRead: false, isWritten: false, bytes: 0 }) - 1;
  }

  function found(number: number): Used {
    const one = used[number];
    if (one === undefined || !isRunning) throw refusal('application-fault');
    return one;
  }

  function countRead(one: Used): void {
    if (one.isRead) return;
    one.isRead = true;
    reads += 1;
    if (reads > inHand().limits.reads) throw refusal('out-of-units');
  }

  function countWrite(one: Used, length: number): void {
    if (!one.isWritten) writes += 1;
    one.isWritten = true;
    bytes += Math.max(0, length - one.bytes);
    one.bytes = Math.max(one.bytes, length);
    if (writes > inHand().limits.writes || bytes > inHand().limits.bytes) throw refusal('out-of-units');
  }

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
    const { genesisHash } = withCoins();
    const place = Uint8Array.of(application >>> 8, application);
    return { scheme: 'purse', bytes: hashInDomain(PURSE_DOMAIN, genesisHash, place, label) };
  }

  function moveCoins(from: AccountKey, to: AccountKey, amount: bigint): boolean {
    take(2 * HOST_CALL_TICKS);
    const { scratch } = withCoins();
    if (amount < 0n || amount > AMOUNT_MAX) throw refusal('application-fault');
    const [source, target] = [from, to].map((account) => found(intern(accountStateKey(account), true))) as [Used, Used];
    for (const one of [source, target]) {
      countRead(one);
      countWrite(one, BALANCE_BYTES);
    }
    const moved = move(scratch, source.key, target.key, amount);
    if (!moved.ok && moved.code !== 'insufficient-balance') throw refusal(moved.code);
    return moved.ok;
  }

  return {
    begin(next) {
      used.length = 0;
      numbers.clear();
      events = [];
      reads = writes = bytes = 0;
      isOpen = isRunning = true;
      call = next;
    },
    declaring(declare) {
      isRunning = false;
      declare();
      isRunning = true;
      isOpen = false;
    },
    keys: () => used.map(({ key }) => key),
    events: () => events,

    key(table, own) {
      take(HOST_CALL_TICKS + own.length / HASHED_BYTES_PER_TICK);
      if (table !== COIN_TABLE) return intern(stateKey(stateKeyOfEntry(application, table, own)), false);
      withCoins();
      return intern(accountStateKey(accountIn(own)), true);
    },
    get(number) {
      const one = found(number);
      countRead(one);
      const value = one.isBalance ? balanceBytes(withCoins().scratch.balance(one.key)) : inHand().scratch.get(one.key);
      take(HOST_CALL_TICKS + (value?.length ?? 0) / BYTES_PER_TICK);
      return value;
    },
    put(number, value) {
      const one = found(number);
      const length = value?.length ?? 0;
      take(HOST_CALL_TICKS + length / BYTES_PER_TICK);
      if (one.isBalance) throw refusal('application-fault');
      if (length > VALUE_BYTES_MAX) throw refusal('out-of-units');
      countWrite(one, length);
      inHand().scratch.set(one.key, value);
    },
    emit(event, body) {
      take(HOST_CALL_TICKS + body.length / BYTES_PER_TICK);
      if (!isRunning) throw refusal('application-fault');
      bytes += body.length;
      if (bytes > inHand().limits.bytes) throw refusal('out-of-units');
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

function refusal(code: FailureCode): CallRefused {
  return new CallRefused(code, `the call is refused: ${code}`);
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
