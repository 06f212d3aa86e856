/** A restart near the end of an epoch: what the log holds of two epochs, and where the node goes on (rule 10). */

import {
  type Block,
  type Committee,
  createCommittee,
  type EpochEnd,
  epoch,
  GENESIS_EPOCH,
  recordHashOf,
  type Subject,
  subjectKey,
} from '@slipstream/types';
import type { RecordKind, WalRecord } from '@slipstream/wal';
import { describe, expect, it } from 'vitest';
import { createEpochHost, type EpochHostSetting } from '../src/epoch-host.ts';
import { type Effect, EMPTY_LOG, LOCAL_OPTIONS, type RestoredLog, restoredOf, restoreFrom } from '../src/index.ts';
import { blockRecord, certificateRecord, epochRecord, proposalRecord, voteRecord } from '../src/records.ts';
import {
  type CoreWorld,
  committeeOf,
  createCoreWorld,
  GENESIS,
  GENESIS_HASH,
  GENESIS_ID,
  peerOf,
  proposalOf,
  recordOf,
  voteOf,
  WALL_MS,
} from './core-world.ts';

const NODES = [0, 1, 2, 3];
/** The seal of height 1 allows it from here on. */
const BOUNDARY = 9;
const FIRST = recordOf(committeeOf([1, 1, 1, 1]));
/** The same members in another order: indices of both epochs differ. */
const NEXT = recordOf(
  createCommittee(
    [1, 2, 3, 0].map((peer) => ({ weight: 1, blsPublicKey: new Uint8Array(48), peerKey: peerOf(peer) })),
    epoch(1),
  ),
);
const SEAL = { recordHash: recordHashOf(GENESIS_HASH, NEXT), height: 1, record: NEXT };
/** Restarted. */
const NODE = 0;

const selfIn =
  (node: number) =>
  ({ members }: Committee): number | undefined =>
    members.find(({ peerKey }) => peerKey === peerOf(node))?.index;

function settingOf(given: Partial<EpochHostSetting> = {}): EpochHostSetting {
  return {
    genesisHash: GENESIS_HASH,
    options: { ...LOCAL_OPTIONS, minBlockIntervalMs: 0 },
    root: { block: GENESIS, blockId: GENESIS_ID, certificate: undefined },
    refuseUpToView: 0,
    nullifyUpToView: 0,
    record: FIRST,
    selfIn: selfIn(NODE),
    restored: EMPTY_LOG,
    ...given,
  };
}

/** Up to some blocks of the second epoch. */
function playBoth(): CoreWorld {
  const world = createCoreWorld({
    cores: NODES,
    create: (_, node) => createEpochHost(settingOf({ selfIn: selfIn(node) }), 0, WALL_MS),
  });
  for (const node of NODES) world.step(node, { type: 'signing-enabled', finalizedUpToView: 0 });
  for (const node of NODES) world.step(node, { type: 'sealed', ...SEAL });
  const isThere = () => NODES.every((node) => (delivered(world, node).at(-1)?.height ?? 0) >= BOUNDARY + 3);
  for (let round = 0; round < 600 && !isThere(); round++) {
    world.deliver(NODES);
    world.pass(5);
  }
  expect(isThere()).toBe(true);
  return world;
}

const delivered = (world: CoreWorld, node: number): readonly Block[] =>
  world.effects(node, 'finalized').map(({ block }) => block);

type LogRecord = { readonly kind: RecordKind; readonly payload: Uint8Array };

/** What the node's driver wrote, kind by kind; the beginning of the second epoch before any vote. */
function recordsOf(
  world: CoreWorld,
  node: number,
): { readonly begun: readonly LogRecord[]; readonly rest: readonly LogRecord[] } {
  const votes = world
    .effects(node, 'cast')
    .flatMap((cast) => cast.votes.map((vote) => voteOf(vote, cast.signer as number)));
  const proposals = world.effects(node, 'propose').map((made) => proposalOf(made.kind, made.block, made.justification));
  return {
    begun: world.effects(node, 'persist-epoch').map(({ begun }) => epochRecord(begun)),
    rest: [
      ...world.effects(node, 'persist-block').map(({ block }) => blockRecord(block)),
      ...world.effects(node, 'persist-certificate').map(({ certificate }) => certificateRecord(certificate)),
      ...votes.map(voteRecord),
      ...proposals.map(proposalRecord),
    ],
  };
}

async function* asLog(records: readonly LogRecord[]): AsyncGenerator<WalRecord> {
  for (const [index, record] of records.entries()) yield { ...record, sequence: index + 1 } as WalRecord;
}

const endOf = (world: CoreWorld): EpochEnd => world.effects(NODE, 'moved')[0] as EpochEnd;
const typesOf = (effects: readonly Effect[]) => effects.map(({ type }) => type);
const votesIn = (effects: readonly Effect[]): readonly Subject[] =>
  effects.flatMap((effect) => (effect.type === 'cast' ? effect.votes : []));

async function logOf(world: CoreWorld): Promise<RestoredLog> {
  const { begun, rest } = recordsOf(world, NODE);
  return restoreFrom(asLog([...begun, ...rest]), GENESIS_EPOCH);
}

describe('the log of two epochs', () => {
  const world = playBoth();
  const { begun, rest } = recordsOf(world, NODE);

  it('holds how the second one began, once', () => {
    expect(world.effects(NODE, 'persist-epoch').map((effect) => effect.begun)).toEqual([
      { seal: SEAL, end: expect.objectContaining({ block: delivered(world, NODE)[BOUNDARY - 1] }) },
    ]);
  });

  it('is restored by epoch', async () => {
    const log = await restoreFrom(asLog([...begun, ...rest]), GENESIS_EPOCH);
    expect(log.begun.get(epoch(1))).toEqual({
      seal: SEAL,
      end: expect.objectContaining({ blockId: endOf(world).blockId }),
    });
    for (const of of [epoch(0), epoch(1)]) {
      const { votes, blocks, certificates } = restoredOf(log, of);
      expect(votes.length).toBeGreaterThan(0);
      expect(new Set([...votes, ...certificates].map(({ subject }) => subject.epoch))).toEqual(new Set([of]));
      expect(new Set(blocks.map(({ block }) => block.epoch))).toEqual(new Set([of]));
    }
  });

  it('is ignored up to the epoch that the ledger ends in', async () => {
    const log = await restoreFrom(asLog([...begun, ...rest]), epoch(1));
    expect([...log.epochs.keys()]).toEqual([1]);
    expect(restoredOf(log, epoch(0)).votes).toEqual([]);
  });

  it('is refused where it does not say how the second epoch began, with what to do', async () => {
    await expect(restoreFrom(asLog([...rest, ...begun]), GENESIS_EPOCH)).rejects.toMatchObject({
      code: 'epoch-unknown',
      message: expect.stringContaining('Restore the newest copy of the whole folder'),
    });
    const third = {
      kind: 'epoch',
      payload: epochRecord({ seal: { ...SEAL, record: { ...NEXT, epoch: epoch(2) } }, end: endOf(world) }).payload,
    } as const;
    await expect(restoreFrom(asLog([third]), GENESIS_EPOCH)).rejects.toMatchObject({ code: 'epoch-unknown' });
  });
});

describe('a restart', () => {
  it('before the boundary is committed replays to it, moves, and goes on with its own votes of both epochs', async () => {
    const world = playBoth();
    const restored = await logOf(world);
    const host = createEpochHost(settingOf({ restored }), 0, WALL_MS);
    const effects = host.step({ type: 'tick' }, 0, WALL_MS);
    const heights = effects.flatMap((effect) => (effect.type === 'finalized' ? [effect.block.height] : []));
    expect(heights.slice(0, BOUNDARY + 1)).toEqual(Array.from({ length: BOUNDARY + 1 }, (_, at) => at + 1));
    expect(host.status()).toMatchObject({ epoch: 1, view: world.core(NODE).status().view });
    expect(typesOf(effects)).toContain('moved');
    expect(typesOf(effects)).toContain('epoch-begun');
    expect(typesOf(effects)).not.toContain('persist-epoch');
    const before = new Set(world.votes(NODE).map(subjectKey));
    const after = votesIn(host.step({ type: 'signing-enabled', finalizedUpToView: 0 }, 1, WALL_MS + 1));
    for (const vote of after) if (vote.kind !== 'certify') expect(vote.view).toBeGreaterThanOrEqual(host.status().view);
    expect(after.filter((vote) => before.has(subjectKey(vote)))).toEqual([]);
  });

  it('signs nothing more in an epoch that has ended, though it cannot replay it yet', async () => {
    const world = playBoth();
    const whole = await logOf(world);
    const first = restoredOf(whole, GENESIS_EPOCH);
    const missing = first.blocks.filter(({ block }) => block.height !== 4);
    const epochs = new Map(whole.epochs).set(GENESIS_EPOCH, { ...first, blocks: missing, votes: [], proposals: [] });
    const restored: RestoredLog = { ...whole, epochs };
    const host = createEpochHost(settingOf({ restored }), 0, WALL_MS);
    const ill: Effect[] = [...host.step({ type: 'signing-enabled', finalizedUpToView: 0 }, 0, WALL_MS)];
    for (let ms = 100; ms < 20_000; ms += 100) ill.push(...host.step({ type: 'tick' }, ms, WALL_MS + ms));
    expect(host.status().epoch).toBe(0);
    expect(votesIn(ill).filter(({ kind }) => kind !== 'certify')).toEqual([]);
    expect(typesOf(ill)).not.toContain('propose');
  });

  it('that was allowed to sign in an ended epoch asks the members of the next one before it signs there', async () => {
    const world = playBoth();
    const whole = await logOf(world);
    const first = restoredOf(whole, GENESIS_EPOCH);
    const isLate = ({ block }: { readonly block: Block }) => block.height === 4;
    const late = first.blocks.find(isLate);
    if (late === undefined) throw new Error('the block of height 4 is in the log');
    const blocks = first.blocks.filter((entry) => !isLate(entry));
    const epochs = new Map(whole.epochs).set(GENESIS_EPOCH, { ...first, blocks, votes: [], proposals: [] });
    epochs.set(epoch(1), { ...restoredOf(whole, epoch(1)), votes: [], proposals: [] });
    const host = createEpochHost(settingOf({ restored: { ...whole, epochs } }), 0, WALL_MS);
    host.step({ type: 'signing-enabled', finalizedUpToView: 0 }, 0, WALL_MS);
    const { blockId, block } = late;
    const query = { type: 'block', blockId } as const;
    const moved = [
      ...host.step({ type: 'fetched', query, from: peerOf(1), blocks: [block], certificates: [] }, 1, WALL_MS),
    ];
    for (let ms = 100; ms < 20_000; ms += 100) moved.push(...host.step({ type: 'tick' }, ms, WALL_MS + ms));
    expect(host.status()).toMatchObject({ epoch: 1, signing: false });
    expect(votesIn(moved).filter((vote) => vote.epoch === 1)).toEqual([]);
    const allowed = [...host.step({ type: 'signing-enabled', finalizedUpToView: 0 }, 20_000, WALL_MS + 20_000)];
    for (let ms = 20_100; ms < 40_000; ms += 100) allowed.push(...host.step({ type: 'tick' }, ms, WALL_MS + ms));
    expect(votesIn(allowed).some((vote) => vote.epoch === 1)).toBe(true);
  });

  it('that was allowed to sign asks again where the boundary may be older than its start, and only there', async () => {
    const world = playBoth();
    const boundary = delivered(world, NODE)[BOUNDARY - 1] as Block;
    const whole = await logOf(world);
    const restored = {
      ...whole,
      begun: new Map(),
      epochs: new Map([[GENESIS_EPOCH, restoredOf(whole, GENESIS_EPOCH)]]),
    };
    for (const [startMs, signing] of [
      [boundary.timestampMs - 2_000, true],
      [boundary.timestampMs - 500, false],
      [boundary.timestampMs + 60_000, false],
    ] as const) {
      const host = createEpochHost(settingOf({ restored }), 0, startMs);
      host.step({ type: 'signing-enabled', finalizedUpToView: 0 }, 0, startMs);
      const effects = host.step({ type: 'sealed', ...SEAL }, 1, startMs);
      expect(effects.find(({ type }) => type === 'epoch-begun')).toMatchObject({ mayHaveBegun: !signing });
      expect(host.status()).toMatchObject({ epoch: 1, signing });
    }
  });

  it('after a committed boundary begins with the next epoch, and sends what ended the one before to those in it', async () => {
    const world = playBoth();
    const { type: _, ...ended } = world.effects(NODE, 'moved')[0] as Extract<Effect, { type: 'moved' }>;
    const root = { block: ended.block, blockId: ended.blockId, certificate: ended.certificate };
    const { begun, rest } = recordsOf(world, NODE);
    const restored = await restoreFrom(asLog([...begun, ...rest]), epoch(1));
    for (const log of [restored, EMPTY_LOG]) {
      const host = createEpochHost(settingOf({ root, record: NEXT, ended, restored: log }), 0, WALL_MS);
      expect(host.status()).toMatchObject({ epoch: 1, committedHeight: BOUNDARY });
      expect(host.newest(8)[0]).toEqual(ended.certificate);
      const heartbeat = { epoch: GENESIS_EPOCH, view: 1, finalizedHeight: 0, committedHeight: 0, refusedView: 0 };
      const answer = host.step({ type: 'heartbeat', from: peerOf(9), heartbeat }, 1, WALL_MS);
      expect(answer).toContainEqual({
        type: 'resend',
        to: peerOf(9),
        frame: { votes: [], certificates: [ended.certificate], confirmations: [] },
      });
    }
  });

  it('with a record of another epoch than that of the root is a fault of the caller', () => {
    expect(() => createEpochHost(settingOf({ record: NEXT }), 0, WALL_MS)).toThrow('is not of the epoch to start in');
  });
});

describe('a heartbeat of a later epoch', () => {
  it('starts a fetch of final blocks, from any peer', () => {
    const host = createEpochHost(settingOf(), 0, WALL_MS);
    const heartbeat = { epoch: epoch(3), view: 900, finalizedHeight: 800, committedHeight: 800, refusedView: 0 };
    const effects = host.step({ type: 'heartbeat', from: peerOf(9), heartbeat }, 1, WALL_MS);
    expect(effects).toContainEqual({ type: 'fetch', query: { type: 'finalized', from: 1, to: 64 }, hint: [] });
  });

  it('that no peer can serve starts no second fetch until it is repeated', () => {
    const host = createEpochHost(settingOf(), 0, WALL_MS);
    const heartbeat = { epoch: epoch(3), view: 900, finalizedHeight: 800, committedHeight: 800, refusedView: 0 };
    const query = { type: 'finalized', from: 1, to: 64 } as const;
    host.step({ type: 'heartbeat', from: peerOf(9), heartbeat }, 1, WALL_MS);
    const after = [...host.step({ type: 'fetched', query, from: peerOf(1), blocks: [], certificates: [] }, 2, WALL_MS)];
    for (let ms = 100; ms < 20_000; ms += 100) after.push(...host.step({ type: 'tick' }, ms, WALL_MS + ms));
    expect(typesOf(after)).not.toContain('fetch');
    const again = host.step({ type: 'heartbeat', from: peerOf(9), heartbeat }, 20_000, WALL_MS + 20_000);
    expect(again).toContainEqual({ type: 'fetch', query, hint: [] });
  });
});
