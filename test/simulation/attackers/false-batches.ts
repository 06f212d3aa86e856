/**
 * A producer that takes every aggregate for true and packs it. Only leaders that it is itself reference its chunks, which it does not send: the
 * others have to fetch them for a block. It executes as they do, so it stays in consensus.
 */
import type { Transport } from '@slipstream/ports';
import { FRAMES } from '@slipstream/types';
import { packBatches, unpackBatches } from '../../../apps/node/src/executor/wire.ts';
import type { NodeCode } from '../harness/cluster.ts';
import { batchesIn } from '../harness/disseminating.ts';

/** `isTrue`: of a batch's wire form. */
export function falseBatches(code: NodeCode, isTrue: (batch: Uint8Array) => boolean): NodeCode {
  return (world, setting) =>
    code(
      { ...world, transport: withoutChunks(world.transport) },
      {
        ...setting,
        distilled: { checkDistilled: async (claims) => claims.map(() => true) },
        judged: (chunks) =>
          chunks.map((chunk) => {
            const serialized = batchesIn(chunk.bytes);
            const truth = unpackBatches(chunk.batches).map(({ batchId, isValid }, i) => ({
              batchId,
              isValid: isValid === true ? isTrue(serialized[i] as Uint8Array) : isValid,
            }));
            return { ...chunk, batches: packBatches(truth) };
          }),
      },
    );
}

function withoutChunks(transport: Transport): Transport {
  const isChunk = (frame: Uint8Array) => frame[0] === FRAMES.chunk.kind;
  return {
    ...transport,
    send: (to, lane, frame) => isChunk(frame) || transport.send(to, lane, frame),
    broadcast(lane, frame) {
      if (!isChunk(frame)) transport.broadcast(lane, frame);
    },
  };
}
