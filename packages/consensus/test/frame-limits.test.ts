/** What leaves in one step fits the frames that it leaves in, however much it is: a frame above its limits gets its sender blocked. */
import { type Block, encodeFrame, FRAME_CERTIFICATES_MAX, FRAME_VOTES_MAX } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import type { Context } from '../src/context.ts';
import { createCore, type Effect, type Event, LOCAL_OPTIONS, NOTHING_RESTORED } from '../src/index.ts';
import { flush } from '../src/rules/outbox.ts';
import {
  blockOn,
  certificateOf,
  certify,
  committeeOf,
  digestOf,
  GENESIS,
  GENESIS_HASH,
  GENESIS_ID,
  notarize,
  nullify,
  peerOf,
  voteOf,
} from './core-world.ts';

/** A validator that has started again and may not sign yet; what a driver would do is done at once. */
function restarted() {
  const setting = {
    genesisHash: GENESIS_HASH,
    committee: committeeOf([1, 1, 1, 1]),
    self: 0,
    options: LOCAL_OPTIONS,
    root: { block: GENESIS, blockId: GENESIS_ID, certificate: undefined },
    refuseUpToView: 0,
    nullifyUpToView: 0,
    restored: NOTHING_RESTORED,
  };
  const core = createCore(setting, 0, 0);
  const casts: Extract<Effect, { type: 'cast' }>[] = [];

  function answerTo(effect: Effect): Event | undefined {
    switch (effect.type) {
      case 'verify':
        return { type: 'verified', token: effect.token, verdict: { type: 'certificate', valid: true } };
      case 'check-payload':
        return { type: 'payload-checked', blockId: effect.blockId, verdict: { type: 'valid' } };
      case 'execute':
        return { type: 'executed', blockId: effect.blockId, digest: digestOf(effect.block) };
      default:
        return undefined;
    }
  }

  function step(event: Event, nowMs: number): void {
    const queue = [event];
    for (let next = queue.shift(); next; next = queue.shift()) {
      for (const effect of core.step(next, nowMs, nowMs)) {
        if (effect.type === 'cast') casts.push(effect);
        const answer = answerTo(effect);
        if (answer) queue.push(answer);
      }
    }
  }
  return { core, casts, step };
}

/** An outbox with this much in it, and the casts that it leaves in. */
function castsOf({ votes = [], certificates = [], confirm }: Partial<Context['outbox']>): readonly Effect[] {
  const context = {
    outbox: { votes: [...votes], certificates: [...certificates], confirm, heldSinceMs: undefined },
    effects: [],
    setting: { self: 0 },
    own: { at: () => ({ nullify: true }) },
  };
  flush(context as unknown as Context);
  return context.effects;
}

describe('the output of one step', () => {
  it('fits its frames when a validator owes Certify votes for more blocks than one frame holds', () => {
    const { core, casts, step } = restarted();
    const blocks: Block[] = [];
    for (let at = 1; at <= 128; at++) blocks.push(blockOn(blocks.at(-1) ?? GENESIS, at, core.leaderOf(at as never)));
    for (const upTo of [64, 128]) {
      const part = blocks.slice(upTo - 64, upTo);
      const certificates = [certificateOf(certify(part[63] as Block), [1, 2, 3])];
      const query = { type: 'finalized', from: upTo - 63, to: upTo } as const;
      step({ type: 'fetched', query, from: peerOf(1), blocks: part, certificates }, upTo);
    }
    expect(core.status()).toMatchObject({ finalizedHeight: 128, certifiedHeight: 128 });
    step({ type: 'signing-enabled', finalizedUpToView: 0 }, 1000);
    const certified = casts.flatMap(({ votes }) => votes).filter(({ kind }) => kind === 'certify');
    expect(certified).toEqual(blocks.slice(-certified.length).map(certify));
    expect(certified.length).toBeGreaterThan(FRAME_VOTES_MAX);
    for (const { votes, certificates } of casts) {
      const signed = votes.map((subject) => voteOf(subject, 0));
      expect(() => encodeFrame('consensus', { votes: signed, certificates, confirmations: [] })).not.toThrow();
    }
  });

  it('keeps its order, and the confirmation leaves once, with the latest of the certificates', () => {
    const votes = Array.from({ length: FRAME_VOTES_MAX + 1 }, (_, at) => nullify(at + 1));
    const certificates = Array.from({ length: FRAME_CERTIFICATES_MAX + 1 }, (_, at) =>
      certificateOf(nullify(at + 1), [1, 2, 3]),
    );
    const block = blockOn(GENESIS, 1, 0);
    const confirm = { block, blockId: notarize(block).blockId };
    expect(castsOf({ votes, certificates, confirm })).toEqual([
      {
        type: 'cast',
        signer: 0,
        votes: votes.slice(0, -1),
        certificates: certificates.slice(0, -1),
        confirm: undefined,
      },
      { type: 'cast', signer: 0, votes: votes.slice(-1), certificates: certificates.slice(-1), confirm },
    ]);
    expect(castsOf({ votes, confirm })).toMatchObject([{ confirm }, { confirm: undefined }]);
    expect(castsOf({ confirm })).toEqual([{ type: 'cast', signer: 0, votes: [], certificates: [], confirm }]);
  });
});
