/** With the node's cryptography: one node packs, all execute. */
import { createCachedVerifier, createVerificationCache, VERIFICATION_CACHE_DEFAULTS } from '@slipstream/crypto';
import {
  createBlsSigner,
  createInlineVerifier,
  ed25519PublicKey,
  ed25519Sign,
  generateBlsSecretKey,
} from '@slipstream/crypto/native';
import { executeBlock, FREE_FEES, generatedSecret, genesisBatch, writesOf } from '@slipstream/execution';
import { silentTelemetry } from '@slipstream/ports';
import { toHex } from '@slipstream/primitives';
import {
  blockIdOf,
  committeeOf,
  ed25519Account,
  epochKeysOf,
  type Genesis,
  genesisBlock,
  genesisHashOf,
  transactionCodec,
  transactionIdOf,
  unitsOf,
} from '@slipstream/types';
import { describe, expect, it, vi } from 'vitest';
import { createDissemination, type Dissemination } from '../src/index.ts';
import { createFakeLog } from './harness/fake-log.ts';
import { genesisEpochs } from './harness/genesis-epochs.ts';
import { block, FOREVER, genesisOf, peerKey } from './harness/network.ts';
import { START_MS } from './harness/start-time.ts';

const SEED = new Uint8Array(32).fill(5);
const secretKeys = [0, 1].map((index) => generateBlsSecretKey(new Uint8Array(32).fill(40 + index)));
const signers = secretKeys.map(createBlsSigner);
const base = genesisOf(2);
const genesis: Genesis = {
  ...base,
  members: base.members.map((member, i) => ({ ...member, blsPublicKey: signers[i]?.publicKey ?? new Uint8Array(48) })),
  generated: { seed: SEED, count: 4, balance: 1_000n },
  fees: FREE_FEES,
};
const genesisHash = genesisHashOf(genesis);

function transferBytes(from: number, to: number, amount: bigint): Uint8Array {
  const secret = generatedSecret(SEED, from);
  const account = (index: number) => ed25519Account(ed25519PublicKey(generatedSecret(SEED, index)));
  const body = {
    genesisHash,
    sender: account(from),
    expiryMs: START_MS + 20_000,
    salt: new Uint8Array(8).fill(from),
    maxFee: 0n,
    actions: [{ kind: 'transfer', to: account(to), amount } as const],
  };
  const signature = ed25519Sign(transactionIdOf(body), secret);
  return transactionCodec.encode({ body, auth: { scheme: 'ed25519', signature } });
}

interface Outbox {
  readonly chunks: Uint8Array[];
}

const verifiers: ReturnType<typeof createInlineVerifier>[] = [];

function makeNode(memberIndex: number, outbox: Outbox): Dissemination {
  const secretKey = secretKeys[memberIndex] as Uint8Array;
  const verifier = createInlineVerifier({ committees: [epochKeysOf(committeeOf(genesis))], secretKey });
  verifiers[memberIndex] = verifier;
  return createDissemination(
    {
      verifier: createCachedVerifier(
        verifier.verifier,
        createVerificationCache({ ...VERIFICATION_CACHE_DEFAULTS, entriesMax: 256, hashKey: new Uint8Array(16) }),
      ),
      epochs: genesisEpochs(genesis, memberIndex),
      signerOf: () => verifier.signer,
      wal: createFakeLog(),
      transport: {
        send: () => true,
        broadcast: (lane, frame) => void (lane === 'chunk' && outbox.chunks.push(frame)),
        peers: () => [],
      },
      clock: { wallMs: () => START_MS, monotonicMs: () => performance.now(), after: soon },
      telemetry: silentTelemetry,
      rules: { unitsOf: (transaction, bytes) => unitsOf(transaction, bytes), feeOf: () => 0n },
      reports: { offence() {}, equivocation() {}, pendingChanged() {} },
      fetchChunk: async () => undefined,
    },
    {
      genesis,
      genesisHash,
      firstSequence: 1,
      hashKey: new Uint8Array(8),
    },
  );
}

function soon(delayMs: number, action: () => void): () => void {
  const timer = setTimeout(action, delayMs);
  return () => clearTimeout(timer);
}

async function executeOn(node: Dissemination, made: ReturnType<typeof block>): Promise<string> {
  const chunks = [];
  for (const { chunkId } of made.block.payload) {
    chunks.push({ epoch: 0, producer: 0, transactions: (await node.transactionsOf(chunkId)) ?? [] });
  }
  const state = new Map(genesisBatch(genesis, ed25519PublicKey).map(({ key, value }) => [toHex(key), value]));
  const executed = executeBlock({
    genesisHash,
    epoch: 0,
    view: 1,
    parentView: 0,
    height: 1,
    timestampMs: made.block.timestampMs,
    proposer: 0,
    chunks,
    read: (key) => state.get(toHex(key)),
    seen: () => false,
  });
  expect(executed.skipped).toEqual([]);
  const batch = writesOf(executed.batch).map(({ key, value }) => `${toHex(key)}=${value ? toHex(value) : ''}`);
  return [...batch, ...executed.receiptBytes.map(toHex)].join('\n');
}

describe('dissemination and execution', () => {
  it('give the same bytes on the leader and on a validator that got the chunk, with real signatures', async () => {
    const outbox: Outbox = { chunks: [] };
    const [leader, other] = [makeNode(0, outbox), makeNode(1, { chunks: [] })];
    const transfers = [transferBytes(0, 1, 10n), transferBytes(1, 2, 10n), transferBytes(2, 3, 10n)];
    const results = await Promise.all(transfers.map((bytes) => leader.submit(bytes)));
    for (const result of results) expect(result).toMatchObject({ type: 'accepted' });
    const parentId = blockIdOf(genesisBlock(genesisHash, genesis.timestampMs));
    // A busy machine may pack them into several chunks.
    const payload = await vi.waitUntil(async () => {
      const built = await leader.buildPayload({ parentId, timestampMs: START_MS + 100 });
      const packed = await Promise.all(built.map(({ chunkId }) => leader.transactionsOf(chunkId)));
      return packed.flatMap((transactions) => transactions ?? []).length === transfers.length && built;
    });
    for (const chunk of outbox.chunks) await other.onChunk(peerKey(0), chunk);
    const made = block({ parentId, payload });
    expect(await other.checkPayload(made.id, made.block, FOREVER)).toEqual({ type: 'valid' });
    const [onLeader, onOther] = [await executeOn(leader, made), await executeOn(other, made)];
    expect(onOther).toBe(onLeader);
    expect(onLeader.split('\n')).toHaveLength(4 + 1 + 3);
    expect(verifiers.map((verifier) => verifier.stats().accountSignatures)).toEqual([3, 3]);
    for (const node of [leader, other]) node.stop();
  });
});
