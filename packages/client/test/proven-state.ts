/** A state of the chain of real-chain.ts, with a tree over it, certified by its members. */
import { toHex } from '@slipstream/primitives';
import { openStateTree } from '@slipstream/state-tree';
import type { StateProof } from '@slipstream/state-tree/proofs';
import { accountKeyBytes, asId, type CertifiedState, ed25519Account, type TransactionId } from '@slipstream/types';
import { stateKeys } from '../src/index.ts';
import { proveReceipt, receiptsOf } from './real-chain.ts';

export const AT = 7;
export const ALICE = `0x${toHex(accountKeyBytes(ed25519Account(new Uint8Array(32).fill(0xa1))))}`;
/** Without an entry. */
export const BOB = `0x${toHex(accountKeyBytes(ed25519Account(new Uint8Array(32).fill(0xb0))))}`;
export const BALANCE = 1_234n;
export const LONG = new Uint8Array(65_536).fill(7);

/** As the state has it. */
export function accountValue(balance: bigint): Uint8Array {
  const value = new Uint8Array(16);
  new DataView(value.buffer).setBigUint64(0, balance, true);
  return value;
}

const OTHERS = 300;
const named: readonly (readonly [Uint8Array, Uint8Array])[] = [
  [stateKeys.account(ALICE), accountValue(BALANCE)],
  [stateKeys.data(ALICE, 'colour'), Uint8Array.of(1, 2, 3)],
  [stateKeys.data(ALICE, 'empty'), new Uint8Array(0)],
  ...Array.from({ length: 17 }, (_, i) => [stateKeys.data(ALICE, `long ${i}`), LONG] as const),
  ...Array.from({ length: OTHERS }, (_, i) => {
    const account = `0x01${i.toString(16).padStart(64, '0')}`;
    return [stateKeys.account(account), accountValue(BigInt(i + 1))] as const;
  }),
];
const values = new Map(named.map(([key, value]) => [toHex(key), value]));

const tree = await openStateTree(
  { secret: new Uint8Array(32), pause: async () => {} },
  {
    block: 'genesis',
    entries: [
      {
        bytes: Buffer.concat(named.flat()),
        keyBytes: Uint8Array.from(named, ([key]) => key.length),
        valueBytes: Int32Array.from(named, ([, value]) => value.length),
      },
    ],
  },
);
export const stateRoot = tree.root(tree.tip) as Uint8Array;
const receipts = (at: number) => receiptsOf([asId<TransactionId>(new Uint8Array(32).fill(1))], at);
const signed = new Map<string, CertifiedState>();

/** Signed once. `signers`: default a quorum. */
function certified(at: number, later: number, signers?: readonly number[]): CertifiedState {
  const name = [at, later, signers].join(' ');
  const found = signed.get(name) ?? proveReceipt(receipts(at), 0, { later, stateRoot, ...(signers && { signers }) });
  signed.set(name, found);
  const { preimages, certificate } = found;
  return { preimages, certificate };
}

export function entriesOf(keys: readonly Uint8Array[]): StateProof['entries'] {
  return keys.map((key) => {
    const path = tree.prove(key);
    if (!path.ok) throw new Error(path.error);
    return { key, value: values.get(toHex(key)), path: path.value };
  });
}

export function proofOf(
  keys: readonly Uint8Array[],
  {
    at = AT,
    later = 2,
    signers,
  }: { readonly at?: number; readonly later?: number; readonly signers?: readonly number[] } = {},
): StateProof {
  return { entries: entriesOf(keys), ...certified(at, later, signers) };
}
