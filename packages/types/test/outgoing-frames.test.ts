/** I3 by type: a frame with this node's signature takes what is durable. `npm run check` fails when an expected error is missing. */
import { bytesEqual, type Durable, declareDurable, derived, type OutgoingFrame } from '@slipstream/primitives';
import { expect, expectTypeOf, test } from 'vitest';
import {
  asId,
  type BlockId,
  type ChunkId,
  type Confirmation,
  encodeFrame,
  GENESIS_EPOCH,
  outgoingFrame,
  type Proposal,
  relayedFrame,
  type Vote,
  view,
} from '../src/index.ts';

const id = new Uint8Array(32).fill(7);
const signature = new Uint8Array(192).fill(1);
const vote: Vote = { subject: { kind: 'nullify', epoch: GENESIS_EPOCH, view: view(3) }, signer: 2, signature };
const confirmation: Confirmation = { epoch: GENESIS_EPOCH, view: view(3), blockId: asId<BlockId>(id), signature };
const chunkId = asId<ChunkId>(id);

test('durable statements leave in the bytes that every peer reads', () => {
  const votes = [declareDurable(vote)];
  const confirmations = [declareDurable(confirmation)];
  const frame = outgoingFrame('consensus', { certificates: [], votes, confirmations });
  expect(bytesEqual(frame, encodeFrame('consensus', { certificates: [], votes, confirmations }))).toBe(true);
  const ack = { chunkId: declareDurable(chunkId), signer: 2, signature };
  expect(bytesEqual(outgoingFrame('chunkAck', ack), encodeFrame('chunkAck', ack))).toBe(true);
  const chunk = { compressed: false, bytes: id };
  const own = outgoingFrame('chunk', { ...chunk, chunkId: declareDurable(chunkId) });
  expect(bytesEqual(own, encodeFrame('chunk', chunk))).toBe(true);
  expect(relayedFrame(own)).toBe(own);
});

test('a vote, confirmation, proposal, ack or chunk that is not durable does not compile', () => {
  const unchecked = (proposal: Proposal) => {
    // @ts-expect-error: the vote's record may be lost
    outgoingFrame('consensus', { certificates: [], votes: [vote], confirmations: [] });
    // @ts-expect-error: the confirmation's record may be lost
    outgoingFrame('consensus', { certificates: [], votes: [], confirmations: [confirmation] });
    // @ts-expect-error: the proposal's record may be lost
    outgoingFrame('proposal', proposal);
    // @ts-expect-error: the ack's record may be lost
    outgoingFrame('chunkAck', { chunkId, signer: 2, signature });
    // @ts-expect-error: the header's record may be lost
    outgoingFrame('chunk', { chunkId, compressed: false, bytes: id });
    // @ts-expect-error: the header's record is not named
    outgoingFrame('chunk', { compressed: false, bytes: id });
  };
  expectTypeOf(unchecked).toBeFunction();
});

test('frames without a signature of this node need no record', () => {
  const heartbeat = { epoch: GENESIS_EPOCH, view: 1, finalizedHeight: 0, committedHeight: 0, refusedView: 0 };
  const frames: readonly OutgoingFrame[] = [
    outgoingFrame('heartbeat', heartbeat),
    outgoingFrame('historyQuery', { epoch: GENESIS_EPOCH, nonce: 1 }),
    outgoingFrame('consensus', { certificates: [], votes: [], confirmations: [] }),
  ];
  expect(frames).toHaveLength(3);
});

test('the mark stays with the value: another value made of it has none', () => {
  const durable = declareDurable(vote);
  const changed = { ...durable, signer: 3 };
  expectTypeOf(durable).toEqualTypeOf<Durable<Vote>>();
  // @ts-expect-error: a vote with another signer was never logged
  const kept: Durable<Vote> = changed;
  const part: Durable<Uint8Array> = derived(durable, ({ signature }) => signature);
  expect(kept).toBe(changed);
  expect(part).toBe(signature);
});

test('encoded bytes are no frame that may leave', () => {
  // @ts-expect-error: encodeFrame asks for no record
  const frame: OutgoingFrame = encodeFrame('consensus', { certificates: [], votes: [vote], confirmations: [] });
  expect(frame.length).toBeGreaterThan(0);
});
