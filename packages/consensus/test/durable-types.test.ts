/** I3 by type, from the log to the network. `npm run check` fails when an expected error is missing. */
import type { FrameSender } from '@slipstream/ports';
import { type Durable, declareDurable } from '@slipstream/primitives';
import { encodeFrame, outgoingFrame, type Vote, voteCodec } from '@slipstream/types';
import type { Appended, Wal } from '@slipstream/wal';
import { expectTypeOf, test } from 'vitest';
import type { Core, Event } from '../src/index.ts';
import { nullify, voteOf } from './core-world.ts';

const logged = voteOf(nullify(1), 0);
const vote: Vote = { ...logged };
const payload = voteCodec.encode(vote);

/** Never called: the compiler judges them. */
const judged = {
  log({ append }: Wal) {
    expectTypeOf(append('own-nullify', payload, vote)).toEqualTypeOf<Appended<Vote>>();
    expectTypeOf(append('certificate', payload)).toEqualTypeOf<number>();
    // @ts-expect-error: a record that binds the node has a statement
    append('own-nullify', payload);
    // @ts-expect-error: a buffered record proves nothing
    append('certificate', payload, vote);
    // @ts-expect-error: every kind has a durability
    append('own-oath', payload, vote);
  },
  async send({ append }: Wal, { broadcast }: FrameSender) {
    const appended = append('own-nullify', payload, vote);
    const nothing = { certificates: [], confirmations: [] };
    broadcast('consensus', outgoingFrame('consensus', { ...nothing, votes: [await appended.durable] }));
    // @ts-expect-error: nothing waits for the log
    broadcast('consensus', outgoingFrame('consensus', { ...nothing, votes: [vote] }));
    // @ts-expect-error: nothing waits for the log
    broadcast('consensus', outgoingFrame('consensus', { ...nothing, votes: [appended.durable] }));
    // @ts-expect-error: encodeFrame asks for no record
    broadcast('consensus', encodeFrame('consensus', { ...nothing, votes: [vote] }));
  },
  remember(core: Core) {
    const durable: Event = { type: 'cast-done', votes: [declareDurable(vote)], confirmation: undefined };
    core.step(durable, 0, 0);
    // @ts-expect-error: what the core remembers it sends again
    core.step({ type: 'cast-done', votes: [vote], confirmation: undefined }, 0, 0);
  },
};

test('a vote reaches peers, and the memory of sent votes, only with the proof that it is in the log', () => {
  expectTypeOf(judged).not.toBeAny();
  expectTypeOf(logged).toExtend<Durable<Vote>>();
});
