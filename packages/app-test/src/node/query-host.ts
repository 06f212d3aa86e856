/** The host of queries and invariants: it reads the state, and refuses all else. */
import { ABSENT, COIN_TABLE, type Host } from '@slipstream/app/program';
import { applicationPurse, type ReadState, readBalance } from '@slipstream/execution';
import { sha256 } from '@slipstream/primitives';
import { accountKeyBytes, accountKeyFromWire, type GenesisHash, stateKeyOfEntry } from '@slipstream/types';
import { TestError } from '../errors.ts';
import { GENESIS_HASH } from './test-genesis.ts';

/** Of the one application. */
export const APPLICATION = 0;

export function createQueryHost(read: ReadState, genesisHash = GENESIS_HASH): Host {
  const values: (() => Uint8Array | undefined)[] = [];
  return {
    key(table, bytes, length) {
      const own = Uint8Array.from(bytes.subarray(0, length));
      const value =
        table === COIN_TABLE ? () => balance(read, own) : () => read(stateKeyOfEntry(APPLICATION, table, own));
      return values.push(value) - 1;
    },
    get(key, into) {
      const value = values[key]?.();
      if (value === undefined) return ABSENT;
      into.set(value.subarray(0, into.length));
      return value.length;
    },
    put: refuse,
    emit: refuse,
    collect: refuse,
    pay: refuse,
    purse: (label) => purseNamed(label, genesisHash),
    sha256,
  };
}

/** The account of a purse, 33 bytes. */
export function purseNamed(label: Uint8Array, genesisHash: GenesisHash = GENESIS_HASH): Uint8Array {
  return accountKeyBytes(applicationPurse(genesisHash, APPLICATION, label));
}

function refuse(): never {
  const message = 'a query or an invariant wrote, emitted or moved coins: only actions and genesis may';
  throw new TestError('call-failed', message, { code: 'application-fault' });
}

/** A u64, little-endian; undefined: none. */
function balance(read: ReadState, account: Uint8Array): Uint8Array | undefined {
  const amount = readBalance(read, accountKeyFromWire({ scheme: account[0] ?? 0, bytes: account.slice(1) }));
  if (amount === 0n) return undefined;
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, amount, true);
  return bytes;
}
