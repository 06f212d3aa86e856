/** Blocks as peers serve them on request: what is taken, who is blamed, and how fast a node catches up. */
import {
  BLS_AGGREGATE_BYTES,
  type Block,
  blockIdOf,
  type Certificate,
  GENESIS_EPOCH,
  height,
  hexOf,
  view,
} from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { type Event, type FetchQuery, NOTHING_RESTORED } from '../src/index.ts';
import {
  blockOn,
  type CoreWorld,
  type CoreWorldOptions,
  certificateOf,
  certify,
  createCoreWorld,
  finalize,
  GENESIS,
  mark,
  nullify,
  peerOf,
  proposalOf,
  voteOf,
} from './core-world.ts';

const NODE = 0;
const SERVER = 1;
const OTHERS = [1, 2, 3];

/** Of one view each; `salt` makes another chain. */
function chainOf(world: CoreWorld, length: number, salt = 0): readonly Block[] {
  const blocks: Block[] = [];
  for (let at = 1; at <= length; at++) {
    blocks.push(blockOn(blocks[blocks.length - 1] ?? GENESIS, at, world.leaderOf(at), salt));
  }
  return blocks;
}

const lastOf = (blocks: readonly Block[]) => blocks[blocks.length - 1] as Block;

function served(blocks: readonly Block[], ...certificates: readonly Certificate[]): Event {
  const query = { type: 'finalized', from: 1, to: blocks.length } as const;
  return { type: 'fetched', query, from: peerOf(SERVER), blocks, certificates };
}

/** A node that is far behind: it knows that a block of view `length` is final. */
function farBehind(options: CoreWorldOptions = {}, length = 600) {
  const world = createCoreWorld({ cores: [NODE], ...options });
  const chain = chainOf(world, length);
  world.give(NODE, 2, { certificates: [certificateOf(finalize(lastOf(chain)), OTHERS)] });
  return { world, chain };
}

function blockOrRange(query: FetchQuery, chain: readonly Block[], byId: ReadonlyMap<string, Block>): Event | undefined {
  if (query.type === 'finalized') {
    const range = chain.slice(query.from - 1, query.to);
    return served(range, certificateOf(finalize(lastOf(range)), OTHERS));
  }
  const block = query.type === 'block' ? byId.get(hexOf(query.blockId)) : undefined;
  return block && { type: 'fetched', query, from: peerOf(SERVER), blocks: [block], certificates: [] };
}

const here = (world: CoreWorld, blocks: readonly Block[]) =>
  blocks.filter((block) => world.core(NODE).blockById(blockIdOf(block)) !== undefined).length;

const certificateChecks = (world: CoreWorld) =>
  world.effects(NODE, 'verify').filter(({ request }) => request.type === 'certificate').length;

describe('a range of final blocks', () => {
  it('is accepted once the certificate of its last block is verified', () => {
    const { world, chain } = farBehind();
    const range = chain.slice(0, 64);
    const before = world.effects(NODE, 'execute').length;
    world.step(NODE, served(range, certificateOf(finalize(lastOf(range)), OTHERS)));
    const executed = world.effects(NODE, 'execute').slice(before);
    expect(executed.map(({ block }) => block)).toEqual(range);
    expect(world.core(NODE).status().blocked).toEqual([]);
  });

  it('has its payloads judged by a validator, and not by a node without a vote: a quorum did', () => {
    const judged = (setting: NonNullable<CoreWorldOptions['setting']>) => {
      const { world, chain } = farBehind({ setting });
      const range = chain.slice(0, 64);
      world.step(NODE, served(range, certificateOf(finalize(lastOf(range)), OTHERS)));
      expect(world.effects(NODE, 'finalized')).toHaveLength(64);
      return world.effects(NODE, 'check-payload').length;
    };
    expect(judged(() => ({}))).toBe(64);
    expect(judged(() => ({ self: undefined }))).toBe(0);
  });

  it('is accepted up to its state certificate; nothing above it is committed', () => {
    const world = createCoreWorld({ cores: [NODE] });
    const chain = chainOf(world, 600);
    world.give(NODE, 2, { certificates: [certificateOf(certify(lastOf(chain)), OTHERS)] });
    const state = certificateOf(certify(chain[59] as Block), OTHERS);
    const range = chain.slice(0, 64);
    world.step(NODE, served(range, certificateOf(finalize(lastOf(range)), OTHERS), state));
    const finalized = world.effects(NODE, 'finalized');
    expect(finalized.map(({ block }) => block)).toEqual(chain.slice(0, 60));
    expect(finalized[59]?.certificate).toEqual(state);
  });

  it('is accepted after a crash during a commit: log and root show the same later certificate', () => {
    const chain = chainOf(createCoreWorld(), 22);
    const state = certificateOf(certify(lastOf(chain)), OTHERS);
    const tip = chain[3] as Block;
    const root = { block: tip, blockId: blockIdOf(tip), certificate: state };
    const restored = { ...NOTHING_RESTORED, certificates: [state] };
    const world = createCoreWorld({ cores: [NODE], setting: () => ({ root, restored }) });
    expect(world.core(NODE).status().certifiedHeight).toBe(22);
    world.step(NODE, served(chain.slice(4), state));
    expect(world.effects(NODE, 'finalized').map(({ block }) => block)).toEqual(chain.slice(4));
  });

  it('that is invented is rejected, also for a finalized view, and its server is blocked', () => {
    const { world } = farBehind();
    const madeUp = chainOf(world, 64, 7);
    world.step(NODE, served(madeUp, certificateOf(finalize(lastOf(madeUp)), OTHERS, false)));
    expect(here(world, madeUp)).toBe(0);
    expect(world.effects(NODE, 'persist-block')).toEqual([]);
    expect(world.effects(NODE, 'block-peer')).toMatchObject([{ peer: peerOf(SERVER), reason: 'invalid-certificate' }]);
  });

  it('whose certificate has no quorum of signers blames its server, without a check', () => {
    const { world } = farBehind();
    const checks = certificateChecks(world);
    const madeUp = chainOf(world, 4, 7);
    world.step(NODE, served(madeUp, certificateOf(finalize(lastOf(madeUp)), [2, 3])));
    expect(world.core(NODE).status().blocked).toEqual([SERVER]);
    expect([here(world, madeUp), certificateChecks(world) - checks]).toEqual([0, 0]);
  });

  it('is not stored while its certificate is checked, and a second one of that peer is dropped', () => {
    const { world } = farBehind();
    const rivals = [7, 8].map((salt) => chainOf(world, 64, salt));
    const checks = rivals.flatMap((range) =>
      world.core(NODE).step(served(range, certificateOf(finalize(lastOf(range)), OTHERS)), 0, 0),
    );
    expect(checks.filter(({ type }) => type === 'verify')).toHaveLength(1);
    expect(rivals.map((range) => here(world, range))).toEqual([0, 0]);
  });

  it('is not checked again when its last block is known to be final', () => {
    const { world, chain } = farBehind({}, 64);
    const checks = certificateChecks(world);
    world.step(NODE, served(chain, certificateOf(finalize(lastOf(chain)), OTHERS, false)));
    expect(certificateChecks(world)).toBe(checks);
    expect(world.core(NODE).status()).toMatchObject({ finalizedHeight: 64, blocked: [] });
    const certificates = world.effects(NODE, 'finalized').map(({ certificate }) => certificate.aggregate[0]);
    expect(new Set(certificates)).toEqual(new Set([1])); // the good one is handed on, not the one that was served
  });

  it.each([
    ['of views that do not grow', (block: Block) => ({ ...block, view: view(0), parentView: view(0) })],
    ['of another parent view', (block: Block) => ({ ...block, parentView: view(0) })],
    ['of heights with a gap', (block: Block) => ({ ...block, height: height(block.height + 1) })],
    ['of timestamps that do not grow', (block: Block) => ({ ...block, timestampMs: 0 })],
  ])('%s blames its server', (_what, spoil) => {
    const { world, chain } = farBehind();
    const last = spoil(chain[2] as Block);
    const range = [...chain.slice(0, 2), last];
    world.step(NODE, served(range, certificateOf(finalize(last), OTHERS)));
    expect(world.effects(NODE, 'block-peer')).toMatchObject([{ peer: peerOf(SERVER), reason: 'bad-sync' }]);
    expect(here(world, range)).toBe(0);
  });
});

describe('a block requested by its id', () => {
  const serve = (world: CoreWorld, block: Block) =>
    world.step(NODE, {
      type: 'fetched',
      query: { type: 'block', blockId: blockIdOf(block) },
      from: peerOf(SERVER),
      blocks: [block],
      certificates: [],
    });

  it('is retained if a certificate shows it, however far ahead that was', () => {
    const { world, chain } = farBehind();
    serve(world, lastOf(chain));
    expect(here(world, chain)).toBe(1);
  });

  it('is dropped if its view is beyond every proposal: it would never be pruned', () => {
    const world = createCoreWorld({ cores: [NODE] });
    const block = blockOn(GENESIS, 2 ** 50, SERVER);
    serve(world, block);
    expect(here(world, [block])).toBe(0);
  });
});

describe('a node that is 600 heights behind', () => {
  /** Answers what it asks for, a round trip later; returns how many round trips it took to the last block. */
  function catchUp(world: CoreWorld, chain: readonly Block[], answers: (query: FetchQuery) => Event | undefined) {
    let answered = 0;
    for (let rounds = 1; rounds <= 700; rounds++) {
      world.pass(50);
      const asked = world.effects(NODE, 'fetch').slice(answered);
      answered += asked.length;
      for (const { query } of asked) {
        const answer = answers(query);
        if (answer) world.step(NODE, answer);
      }
      if (world.core(NODE).status().finalizedHeight === chain.length) return rounds;
    }
    return Number.POSITIVE_INFINITY;
  }

  const reportHeights = (world: CoreWorld) => {
    const heartbeat = {
      epoch: GENESIS_EPOCH,
      view: view(601),
      finalizedHeight: height(600),
      committedHeight: height(600),
      refusedView: 0,
    };
    for (const from of OTHERS) world.step(NODE, { type: 'heartbeat', from: peerOf(from), heartbeat });
  };

  const highest = (world: CoreWorld, type: 'execute' | 'finalized') =>
    Math.max(...world.effects(NODE, type).map(({ block }) => block.height));

  const executesAChild = (world: CoreWorld, chain: readonly Block[]) => {
    const at = [601, 602].find((each) => world.leaderOf(each) !== NODE) as number;
    const child = blockOn(lastOf(chain), at, world.leaderOf(at));
    world.givePropose(NODE, child.proposer, proposalOf('normal', child));
    return world.effects(NODE, 'execute').some(({ block }) => block === child);
  };

  it('fetches range after range, one per round trip and each once, and then follows the others', () => {
    const { world, chain } = farBehind();
    reportHeights(world);
    const rounds = catchUp(world, chain, (query) => {
      if (query.type !== 'finalized') return undefined;
      const range = chain.slice(query.from - 1, query.to);
      return served(range, certificateOf(finalize(lastOf(range)), OTHERS));
    });
    expect(rounds).toBeLessThanOrEqual(11);
    const ranges = world
      .effects(NODE, 'fetch')
      .flatMap(({ query }) => (query.type === 'finalized' ? [query.from] : []));
    expect(ranges).toEqual(Array.from({ length: 10 }, (_, i) => 1 + 64 * i));
    expect(world.effects(NODE, 'finalized').map(({ block }) => block)).toEqual(chain);
    expect(executesAChild(world, chain)).toBe(true);
  });

  it('fetches only as far above its committed height as it can buffer, and continues as more is committed', () => {
    const { world, chain } = farBehind({ holdExecution: () => true });
    reportHeights(world);
    const answers = (query: FetchQuery) => {
      if (query.type !== 'finalized') return undefined;
      const range = chain.slice(query.from - 1, query.to);
      return served(range, certificateOf(finalize(lastOf(range)), OTHERS));
    };
    catchUp(world, chain, answers);
    expect([highest(world, 'finalized'), highest(world, 'execute')]).toEqual([256, 256]);
    world.step(NODE, { type: 'committed', height: 100 });
    catchUp(world, chain, answers);
    expect([highest(world, 'finalized'), highest(world, 'execute')]).toEqual([320, 320]);
    world.step(NODE, { type: 'committed', height: 400 });
    expect(catchUp(world, chain, answers)).toBeLessThanOrEqual(11);
  });

  it('executes no further than that of unrequested blocks either', () => {
    const world = createCoreWorld({ cores: [NODE], holdExecution: () => true });
    const chain = chainOf(world, 300);
    for (const block of chain) {
      const query = { type: 'block', blockId: blockIdOf(block) } as const;
      world.step(NODE, { type: 'fetched', query, from: peerOf(SERVER), blocks: [block], certificates: [] });
      world.give(NODE, 2, { certificates: [certificateOf(finalize(block), OTHERS)] });
    }
    expect(highest(world, 'execute')).toBe(256);
    world.step(NODE, { type: 'committed', height: 300 });
    expect(world.effects(NODE, 'finalized').map(({ block }) => block)).toEqual(chain);
  });

  it('forgets certificates of finalized views also while it accepts no block', () => {
    const world = createCoreWorld({ cores: [NODE], holdExecution: () => true });
    for (const block of chainOf(world, 1000)) {
      const query = { type: 'block', blockId: blockIdOf(block) } as const;
      world.step(NODE, { type: 'fetched', query, from: peerOf(SERVER), blocks: [block], certificates: [] });
      world.give(NODE, 2, { certificates: [certificateOf(finalize(block), OTHERS)] });
    }
    expect(world.core(NODE).state().stores.certificates?.views.size).toBeLessThan(300);
  });

  it('with no reported height walks down block by block, past its remembered views, and then follows the others', () => {
    const { world, chain } = farBehind();
    const byId = new Map(chain.map((block) => [hexOf(blockIdOf(block)), block]));
    catchUp(world, chain, (query) => blockOrRange(query, chain, byId));
    expect(world.effects(NODE, 'finalized').map(({ block }) => block)).toEqual(chain);
    expect(executesAChild(world, chain)).toBe(true);
  });

  it('delivers no path by a certificate beyond the bound, by which nothing would commit, but the ranges below it', () => {
    const { world, chain } = farBehind({ holdExecution: () => true });
    const byId = new Map(chain.map((block) => [hexOf(blockIdOf(block)), block]));
    catchUp(world, chain, (query) => (query.type === 'block' ? blockOrRange(query, chain, byId) : undefined));
    expect(here(world, chain)).toBe(600);
    expect(world.effects(NODE, 'finalized')).toEqual([]);
    const asked = world.effects(NODE, 'fetch').flatMap(({ query }) => (query.type === 'finalized' ? [query] : []));
    expect(asked[0]).toEqual({ type: 'finalized', from: 1, to: 64 });
    const range = chain.slice(0, 64);
    const state = certificateOf(certify(chain[59] as Block), OTHERS);
    world.step(NODE, served(range, certificateOf(finalize(lastOf(range)), OTHERS), state));
    const finalized = world.effects(NODE, 'finalized');
    expect([finalized.length, finalized.at(-1)?.certificate]).toEqual([60, state]);
  });
});

it('a quorum check that outlasts its views, while an own vote for them is in flight, stops nothing', () => {
  const world = createCoreWorld({ cores: [NODE] });
  const chain = chainOf(world, 600);
  const frames = OTHERS.map((signer) => ({ votes: [voteOf(nullify(1), signer)], certificates: [], confirmations: [] }));
  const effects = frames.flatMap((frame, i) =>
    world.core(NODE).step({ type: 'consensus-frame', from: peerOf(OTHERS[i] as number), frame }, world.nowMs, 0),
  );
  const check = effects.find((effect) => effect.type === 'verify' && effect.request.type === 'quorum');
  if (check?.type !== 'verify') throw new Error('the quorum is checked');
  for (let from = 0; from < chain.length; from += 60) {
    const range = chain.slice(from, from + 60);
    world.step(NODE, served(range, certificateOf(finalize(lastOf(range)), OTHERS)));
  }
  expect(world.core(NODE).status().finalizedHeight).toBe(600);
  world.step(NODE, { type: 'cast-done', votes: [voteOf(nullify(1), NODE)], confirmation: undefined });
  const result = { aggregate: mark(BLS_AGGREGATE_BYTES), offenders: [], verified: [], checks: 1, tookMs: 0 };
  world.step(NODE, { type: 'verified', token: check.token, verdict: { type: 'quorum', result } });
  expect(world.core(NODE).status().finalizedView).toBe(600);
});
