/** Accounts with keys, brokers in this process, and a distillery over them. */
import { createBlsSigner, ed25519Sign, generateBlsSecretKey } from '@slipstream/crypto/native';
import { sha256, utf8 } from '@slipstream/primitives';
import { genesisToJson } from '@slipstream/types';
import { uncompressedKey } from '../../../crypto/test/bls-points.ts';
import type { BrokerEvent, Distillery, DistilleryKeys, DistilleryOptions } from '../../src/distillery/index.ts';
import { openDistillery } from '../../src/distillery/index.ts';
import { keyPairFrom } from '../../src/index.ts';
import { genesis, genesisHash } from '../real-chain.ts';
import {
  createFakeBroker,
  createFakeLedger,
  type FakeBroker,
  type FakeBrokerOptions,
  type FakeLedger,
  socketsTo,
} from './fake-broker.ts';

export const ME = 50;

export const secretOf = (index: number): Uint8Array => generateBlsSecretKey(sha256(utf8(`bls ${index}`)));

export function keysOf(index: number): DistilleryKeys {
  const secret = secretOf(index);
  const publicKey = uncompressedKey(createBlsSigner(secret).publicKey);
  return { account: keyPairFrom(sha256(utf8(`account ${index}`))), bls: { secret, publicKey }, index };
}

export interface World {
  readonly distillery: Distillery;
  readonly brokers: readonly FakeBroker[];
  readonly ledger: FakeLedger;
  readonly events: BrokerEvent[];
  /** Reasons of lost sessions so far. */
  lost(): readonly string[];
}

type BrokerWishes = Partial<Omit<FakeBrokerOptions, 'ledger' | 'genesisHash' | 'secretOf'>>;

const opened: Distillery[] = [];

/** One broker for each of `wishes`: a.test, b.test, ... */
export function createWorld(
  wishes: readonly BrokerWishes[] = [{}],
  options: Partial<DistilleryOptions> = {},
  keys: DistilleryKeys | readonly DistilleryKeys[] = keysOf(ME),
): World {
  const ledger = createFakeLedger();
  const brokers = wishes.map((wish, i) =>
    createFakeBroker(`${'abcdef'[i]}.test`, { genesisHash, ledger, secretOf, ...wish }),
  );
  const events: BrokerEvent[] = [];
  const distillery = openDistillery(
    brokers.map(({ name }) => `http://${name}`),
    keys,
    {
      chain: genesisToJson(genesis),
      prove: ledger.prove,
      signShare: (message, secret) => createBlsSigner(secret).sign(message),
      signRow: ed25519Sign,
      WebSocket: socketsTo(brokers),
      onBroker: (event) => void events.push(event),
      ...options,
    },
  );
  opened.push(distillery);
  const lost = () => events.flatMap((event) => (event.type === 'lost' ? `${event.code}: ${event.reason}` : []));
  return { distillery, brokers, ledger, events, lost };
}

export function closeAll(): void {
  for (const distillery of opened.splice(0)) distillery.close();
}

export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 2));
}
