/**
 * A Byzantine validator attacks with chunks, on a live network: withholds chunks and dies, replays executed transactions, packs two chunks
 * for one sequence, packs invalid signatures. The chain continues, and others block it where the rules demand that.
 */
import { buildTransaction, generateKeyPair, signTransaction, transfer, verifyEvidence } from '@slipstream/client';
import { createBlsSigner } from '@slipstream/crypto/native';
import { eventually, type TemporaryNetwork, temporaryNetwork, untilHeight } from '@slipstream/devnet';
import type { Identity } from '@slipstream/node-home/identity';
import { sha256, to0x } from '@slipstream/primitives';
import {
  addUnits,
  type ChunkHeader,
  chunkBodyCodec,
  chunkIdOf,
  chunkMessage,
  encodeFrame,
  GENESIS_EPOCH,
  NO_UNITS,
  signedChunkCodec,
  type Transaction,
  transactionCodec,
  transactionIdOf,
  unitsOf,
} from '@slipstream/types';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { framed } from './hostile/attacks.ts';
import { startHostilePeer } from './hostile/peer.ts';
import { keysOf } from './keys.ts';
import { metricOf } from './metrics.ts';
import { REPORTS_OFF } from './reports-off.ts';

const TRAITOR = 'validator-3';
const HONEST = ['validator-0', 'validator-1', 'validator-2'];
const SEEN_MS_MAX = 90_000;
const LIFE_MS = 30_000;
const AMOUNT = 7n;

let network: TemporaryNetwork;
let keys: Identity;
/** Above all sequences that the validator's process used. */
let sequence = 1_000_000;

beforeAll(async () => {
  network = await temporaryNetwork({ validators: 4, flags: REPORTS_OFF });
  await network.start();
  keys = await keysOf(network.node(TRAITOR).home);
  await network.kill([TRAITOR]);
});

afterAll(() => network?.remove());

const honest = () => ({ ...network, nodes: HONEST.map(network.node) });

/** The traitor's frame, valid except for the caller's change. */
function chunkFrame(transactions: readonly Transaction[], at = ++sequence): Uint8Array {
  const { validator, genesisHash } = keys;
  if (validator === undefined) throw new Error('a validator has a key');
  const encoded = transactions.map((transaction) => transactionCodec.encode(transaction));
  const body = chunkBodyCodec.encode({ transactions: encoded, batches: [] });
  const createdMs = Date.now();
  const header: ChunkHeader = {
    epoch: GENESIS_EPOCH,
    producer: validator.index,
    sequence: at,
    createdMs,
    expiryMs: createdMs + LIFE_MS,
    acksWanted: false,
    bodyHash: sha256(body),
    bodyBytes: body.length,
    transactionCount: transactions.length,
    batchCount: 0,
    rowCount: 0,
    units: transactions.reduce(
      (sum, transaction, index) => addUnits(sum, unitsOf(transaction, (encoded[index] as Uint8Array).length)),
      NO_UNITS,
    ),
  };
  const signature = createBlsSigner(validator.secretKey).sign(
    chunkMessage(genesisHash, header.epoch, chunkIdOf(header)),
  );
  return encodeFrame('chunk', { compressed: false, bytes: signedChunkCodec.encode({ header, body, signature }) });
}

/** Sends the frames to these nodes only, then disconnects. */
async function giveTo(names: readonly string[], frames: readonly Uint8Array[], until: () => Promise<unknown>) {
  const peers = await Promise.all(
    names.map((name) =>
      startHostilePeer({ seed: keys.peerSeed, genesisHash: keys.genesisHash, target: network.node(name), reads: true }),
    ),
  );
  try {
    for (const peer of peers) {
      const lane = await peer.lane('chunk');
      for (const frame of frames) lane.send(framed(frame));
    }
    await until();
  } finally {
    await Promise.all(peers.map((peer) => peer.stop()));
  }
}

function payment(from: ReturnType<typeof generateKeyPair>, to: string): Transaction {
  const actions = [transfer(to, AMOUNT)];
  const expiryMs = Date.now() + LIFE_MS;
  const body = buildTransaction({ genesisHash: keys.genesisHash, sender: from.account, expiryMs, actions });
  return signTransaction(body, from).transaction;
}

test('a chunk sent to two validators by a dead producer is fetched by the third, and executed once', async () => {
  const { client } = network.node('validator-2');
  const [payer, payee] = [generateKeyPair(), generateKeyPair()];
  await client.faucet(payer.accountText, { wait: 'final', timeoutMs: LIFE_MS });
  const paid = payment(payer, payee.accountText);
  const id = to0x(transactionIdOf(paid.body));
  await giveTo(HONEST.slice(0, 2), [chunkFrame([paid])], async () => {
    const stored = HONEST.slice(0, 2).map((name) =>
      eventually(`it is stored by ${name}`, SEEN_MS_MAX, () => hasStored(name, id)),
    );
    await Promise.all(stored);
  });
  await eventually('final at the node that was not given it', SEEN_MS_MAX, async () =>
    (await client.transaction(id)).status === 'final' ? true : undefined,
  );
  expect((await client.account(payee.accountText)).balance).toBe(String(AMOUNT));
  await giveTo(HONEST, [chunkFrame([paid, paid]), chunkFrame([paid])], async () => {
    const { height } = await client.status();
    await untilHeight(honest(), height + 5, SEEN_MS_MAX);
  });
  expect((await client.account(payee.accountText)).balance).toBe(String(AMOUNT));
});

/**
 * No other client sends, so a pending transaction is in the traitor's chunk, until a block takes it. On a slow machine those seconds may
 * pass unseen; its transactions are final then.
 */
async function hasStored(name: string, id: string): Promise<true | undefined> {
  if ((await metricOf(network.node(name), 'slipstream_dissemination_chunks_pending_bytes')) > 0) return true;
  return (await network.node(name).client.transaction(id)).status === 'final' ? true : undefined;
}

test('two chunks of one sequence and forged signatures in a chunk are offences, and block their producer', async () => {
  const unfunded = generateKeyPair();
  const wrong: Transaction = {
    ...payment(unfunded, unfunded.accountText),
    auth: { scheme: 'ed25519', signature: new Uint8Array(64).fill(1) },
  };
  const at = ++sequence;
  const twice = [1, 2].map(() => chunkFrame([payment(unfunded, unfunded.accountText)], at));
  await giveTo(['validator-0'], twice, () => blockedBy('validator-0'));
  const { items } = await network.node('validator-0').client.call('evidence');
  expect(items).toMatchObject([{ offender: keys.validator?.index, sequence: at }]);
  const genesis = await network.node('validator-1').client.genesis();
  for (const item of items) expect(verifyEvidence(item, genesis)).toMatchObject({ ok: true });
  await giveTo(['validator-1'], [chunkFrame([wrong, wrong])], () => blockedBy('validator-1'));
  const packed = metricOf(network.node('validator-1'), 'slipstream_dissemination_dropped_total', 'chunk-bad-signature');
  expect(await packed).toBe(2);
  const { height } = await network.node('validator-0').client.status();
  await untilHeight(honest(), height + 5, SEEN_MS_MAX);
  for (const name of HONEST) expect(await network.node(name).process.errors()).toEqual([]);
});

function blockedBy(name: string): Promise<unknown> {
  return eventually(`blocked by ${name}`, SEEN_MS_MAX, async () => {
    const { items } = await network.node(name).client.peers();
    return items.find(({ validator, blocked }) => validator === keys.validator?.index && blocked !== null);
  });
}
