/** Input of consensus for the pipeline, as the main thread sends it (wire.ts). */
import type { Pipeline } from '@slipstream/pipeline';
import { assert } from '@slipstream/primitives';
import {
  asId,
  type BlockId,
  blockCodec,
  type Certificate,
  certificateCodec,
  type Finalization,
  type StateCertificate,
  type StateDigest,
} from '@slipstream/types';
import type { Handlers } from '../threads/channel.ts';
import { decodeOwn } from '../threads/decode-own.ts';
import type { ThreadMessage } from '../threads/message.ts';
import type { ExecutorSide } from './wire.ts';

interface OrderReports {
  readonly digested: (blockId: BlockId, digest: StateDigest) => void;
  readonly fail: (error: unknown) => void;
}

export function createPipelineOrders(
  pipeline: () => Pipeline,
  { digested, fail }: OrderReports,
): Handlers<ExecutorSide>['notices'] {
  function execute({ bytes: [id, block] }: ThreadMessage): void {
    const blockId = asId<BlockId>(own(id));
    const digesting = pipeline().execute(blockId, decodeOwn(blockCodec.decode(own(block))));
    digesting.then((digest) => digested(blockId, digest), fail);
  }

  function finalized({ bytes: [id, block, certificate] }: ThreadMessage): void {
    const decoded = decodeOwn(blockCodec.decode(own(block)));
    pipeline().finalized(asId<BlockId>(own(id)), decoded, certificateOf<Finalization>(certificate));
  }

  function moved({ bytes: [id, block, certificate, ...fillers] }: ThreadMessage): void {
    pipeline().moved({
      blockId: asId<BlockId>(own(id)),
      block: decodeOwn(blockCodec.decode(own(block))),
      fillers: fillers.map((filler) => decodeOwn(blockCodec.decode(filler))),
      certificate: certificateOf(certificate),
    });
  }

  return {
    start: () => pipeline().start(),
    execute,
    finalized,
    moved,
    certified: ({ bytes: [certificate] }) => pipeline().certified(certificateOf<StateCertificate>(certificate)),
    notarized: ({ bytes: [id] }) => pipeline().notarized(asId<BlockId>(own(id))),
  };
}

function certificateOf<C extends Certificate>(bytes: Uint8Array | undefined): C {
  return decodeOwn(certificateCodec.decode(own(bytes))) as C;
}

/** Decoded values share the memory of the message, which is small. */
export function own(bytes: Uint8Array | undefined): Uint8Array {
  assert(bytes !== undefined, 'a message between threads has the byte strings of its kind');
  return bytes;
}
