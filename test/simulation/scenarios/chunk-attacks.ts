/** Producers that lie about chunks, and nodes that replay them, against the real dissemination. */
import { zstdCompressSync } from 'node:zlib';
import { assert } from '@slipstream/primitives';
import {
  asId,
  BLS_AGGREGATE_BYTES,
  type Block,
  type ChunkId,
  type ChunkReference,
  type Frame,
  type FrameName,
  payloadRootOf,
} from '@slipstream/types';
import { type Attack, attackScenario } from '../attackers/attack-scenario.ts';
import { chunkFrame, forgedTransaction, ownChunkIn, transactionsIn } from '../attackers/chunk-lies.ts';
import { corrupted, frameOf, type Liar } from '../attackers/corrupted.ts';
import { leaderOfFalseBlocks } from '../attackers/false-blocks.ts';
import { scripted } from '../attackers/scripted.ts';
import type { Cluster, NodeCode } from '../harness/cluster.ts';
import { LIMITS } from '../harness/disseminating.ts';
import type { OpenPayloads, PayloadsOfNode } from '../harness/payloads.ts';
import { startValidator } from '../harness/validator.ts';

const clients = { everyMs: 60, untilMs: 3_000 };
/** A home validator that does not pack, or is blocked, is replaced after seconds; further replacements take longer. */
const IN_BLOCKS_WITHIN_MS = 40_000;

async function allInBlocks({ until, chunks }: Cluster): Promise<void> {
  await until('every accepted transaction is in a block', () => chunks.outstanding.size === 0, IN_BLOCKS_WITHIN_MS);
  assert(chunks.committed.size > 0, 'there were chunks');
}

const chunkAttack = (attack: Attack) => attackScenario({ options: { clients }, atLast: allInBlocks, ...attack });

export const chunkWithholder = chunkAttack({
  name: 'chunk-withholder',
  about:
    'Liars send each chunk to some validators only, and serve none: the others fetch it from those that stored it.',
  blockedFor: 'never',
  costMax: 1, // a referenced chunk may have to be fetched
  code: (_liar, { size }) =>
    corrupted((liar) => {
      const audiences = new Map<number, ReadonlySet<number>>();
      return async (frame, to) => {
        if (frame.name === 'syncResponse' && frame.value.chunks.length > 0) return [];
        const chunk = ownChunkIn(frame, liar);
        if (chunk === undefined) return [frame];
        const { sequence } = chunk.header;
        const count = 1 + liar.random.below(size - 1);
        const first = liar.random.below(size);
        const audience =
          audiences.get(sequence) ?? new Set(Array.from({ length: count }, (_, at) => (first + at) % size));
        audiences.set(sequence, audience);
        return audience.has(to) ? [frame] : [];
      };
    }),
});

export const chunkEquivocator = chunkAttack({
  name: 'chunk-equivocator',
  about:
    'Liars sign two chunks of one sequence, and send one or both: every validator that receives both has evidence.',
  blockedFor: ['invalid-chunk'],
  foundByChance: true,
  onOccasion: true,
  costMax: 1,
  code: (_liar, _stage, lied) =>
    corrupted((liar) => async (frame) => {
      const chunk = ownChunkIn(frame, liar);
      if (chunk === undefined) return [frame];
      const other = await chunkFrame(liar, chunk.header, [...transactionsIn(chunk), forgedTransaction(liar, {})]);
      const shown = liar.random.pick([[frame], [other], [frame, other]]);
      if (shown.length > 1) lied();
      return shown;
    }),
});

export const badSignaturePacker = chunkAttack({
  name: 'bad-signature-packer',
  about: 'Liars pack unsigned transactions: all skip the same ones, and each blocks the packer (D3).',
  blockedFor: ['invalid-chunk'],
  onOccasion: true,
  costMax: 1,
  code: (_liar, _stage, lied) =>
    corrupted((liar) => async (frame) => {
      const chunk = ownChunkIn(frame, liar);
      if (chunk === undefined) return [frame];
      lied();
      const unsigned = forgedTransaction(liar, { badSignature: true });
      return [await chunkFrame(liar, chunk.header, [unsigned, ...transactionsIn(chunk)])];
    }),
});

/** Otherwise honest: the real dissemination of the node, changed. */
function withPayloads(change: (payloads: PayloadsOfNode) => Partial<PayloadsOfNode>): NodeCode {
  return (world, setting) => {
    const open = setting.payloads;
    assert(open !== undefined, 'the attack is on the real dissemination');
    const payloads: OpenPayloads = async (surroundings) => {
      const honest = await open(surroundings);
      return Object.assign(Object.create(honest), change(honest));
    };
    return startValidator(world, { ...setting, payloads });
  };
}

export const ackDropper = chunkAttack({
  name: 'ack-dropper',
  about: 'Liars drop the acks of their chunks, so these are never certified: leaders reference them without (D21).',
  blockedFor: 'never',
  costMax: 1,
  code: () =>
    withPayloads(({ onFrame }) => ({
      onFrame(from, name, frame) {
        if (name !== 'chunkAck') onFrame(from, name, frame);
      },
    })),
});

export const certifiedOnlyLeader = chunkAttack({
  name: 'certified-only-leader',
  about:
    'Lying leaders leave out chunks without a certificate: honest leaders, or acks in time, bring all into blocks (D21).',
  blockedFor: 'never',
  code: () =>
    withPayloads(({ build }) => ({
      build: async (request) => (await build(request)).filter(({ certificate }) => certificate !== undefined),
    })),
});

const BOMB_BYTES = 16 * 1024 * 1024;
let bomb: Frame | undefined;

export const decompressionBomb = chunkAttack({
  name: 'decompression-bomb',
  about: 'Liars send decompression bombs in place of chunks: no byte of them is allocated, the senders are blocked.',
  blockedFor: ['malformed-frame'],
  onOccasion: true,
  costMax: 1, // first view: liars may be blocked, and their votes lost, before others are connected
  code: (_liar, _stage, lied) =>
    corrupted((liar) => async (frame) => {
      if (ownChunkIn(frame, liar) === undefined) return [frame];
      lied();
      bomb ??= frameOf('chunk', { compressed: true, bytes: zstdCompressSync(Buffer.alloc(BOMB_BYTES)) });
      return [bomb];
    }),
});

const FLOOD_CHUNKS = 12;
const FLOOD_DATA_BYTES = 4_000;

export const chunkFlood = chunkAttack({
  name: 'chunk-flood',
  about: 'Liars flood valid chunks: retained chunks of one producer are bounded, others get their share.',
  blockedFor: 'never',
  costMax: 1,
  blocksEach: 3,
  code: () =>
    corrupted((liar) => {
      let sequence = 1_000_000;
      return async (frame) => {
        const chunk = ownChunkIn(frame, liar);
        if (chunk === undefined) return [frame];
        const more: Frame[] = [];
        for (let count = 0; count < FLOOD_CHUNKS; count++) {
          sequence += 1;
          const large = forgedTransaction(liar, { dataBytes: FLOOD_DATA_BYTES });
          more.push(await chunkFrame(liar, { ...chunk.header, sequence }, [large]));
        }
        return [frame, ...more];
      };
    }),
  async meanwhile({ simulation, honest, nodes, members }) {
    simulation.addChecker('kept', (event, { check }) => {
      if (event.type !== 'timer') return;
      for (const member of honest) {
        const retainedBytes = nodes[member]?.running?.payloads?.retainedBytes() ?? 0;
        // A chunk that a block needs is retained beyond the bound: one more of each.
        const bytesMax = members.length * (LIMITS.producerBytesMax + 2 * FLOOD_DATA_BYTES * FLOOD_CHUNKS);
        check(retainedBytes <= bytesMax, 'retained bytes of chunks are bounded', { member, retainedBytes, bytesMax });
      }
    });
  },
});

const CHUNK_ID_BYTES = 32;

function falselyCertified({ random, setting }: Liar): ChunkReference {
  const signers = setting.chain.committee.members.map(({ index }) => index);
  const aggregate = random.bytes(BLS_AGGREGATE_BYTES);
  return {
    chunkId: asId<ChunkId>(random.bytes(CHUNK_ID_BYTES)),
    certificate: { epoch: setting.chain.committee.epoch, signers, aggregate },
  };
}

/** With a chunk of an ancestor, or a false certificate. */
function withBadPayload(block: Block, liar: Liar): Block {
  const parents = [1, 2, 3].map((steps) => liar.ancestor(block, steps));
  const before = parents.flatMap((parent) => parent?.payload ?? [])[0];
  const bad = before !== undefined && liar.random.chance(0.5) ? before : falselyCertified(liar);
  const payload = [...block.payload, bad];
  return { ...block, payload, payloadRoot: payloadRootOf(payload) };
}

export const badPayload = chunkAttack({
  name: 'bad-payload',
  about: 'Lying leaders sign blocks with illegal references: none gets a vote, and all block its leader.',
  blockedFor: ['invalid-chunk', 'invalid-certificate'],
  onOccasion: true,
  costMax: 1,
  code: (_liar, _stage, lied) => leaderOfFalseBlocks(withBadPayload, lied),
});

const RECEIVED_MAX = 64;
const REPEATED: readonly FrameName[] = ['chunk', 'chunkAck', 'chunkCertified', 'transactions', 'syncResponse'];

export const chunkReplayer = chunkAttack({
  name: 'chunk-replayer',
  about: 'Liars replay chunks, acks, certificates and transactions of others to any peer: each has its effect once.',
  blockedFor: 'maybe',
  costMax: 1,
  code: () =>
    scripted((liar) => {
      const { random, setting } = liar;
      const received: Frame[] = [];
      return {
        everyMs: 10,
        onFrame(frame) {
          if (REPEATED.includes(frame.name)) received.push(frame);
          if (received.length > RECEIVED_MAX) received.splice(random.below(RECEIVED_MAX), 1);
        },
        act() {
          if (received.length > 0)
            liar.send(random.pick(setting.chain.committee.members).peerKey, random.pick(received));
        },
      };
    }),
});
