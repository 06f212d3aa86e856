/** From the boundary of an epoch on no node receives a vote that makes a block final, until the release: views of fillers follow. */
import type { Transport } from '@slipstream/ports';
import { decodeFrame, encodeFrame, type Vote } from '@slipstream/types';
import type { NodeCode } from '../harness/cluster.ts';
import { startValidator } from '../harness/validator.ts';

export interface HeldFinality {
  /** For every node, liars too: a certificate that one of them made would end it. */
  around(code?: NodeCode): NodeCode;
  /** Of the first seen block that closes the epoch. */
  readonly boundaryView: number;
  release(): void;
}

export function holdFinality(epoch: number): HeldFinality {
  let boundaryView = Number.POSITIVE_INFINITY;
  let held = true;

  function isHeld({ subject }: Vote): boolean {
    const { kind, view } = subject;
    const makesFinal = kind === 'finalize' || kind === 'certify';
    return held && subject.epoch === epoch && makesFinal && view >= boundaryView;
  }

  function withoutHeld(bytes: Uint8Array): Uint8Array {
    const decoded = decodeFrame(bytes);
    if (!decoded.ok) return bytes;
    if (decoded.value.name === 'proposal') {
      const { block } = decoded.value.value;
      if (block.next !== undefined && block.epoch === epoch) boundaryView = Math.min(boundaryView, block.view);
    }
    if (decoded.value.name !== 'consensus') return bytes;
    const { value } = decoded.value;
    return encodeFrame('consensus', { ...value, votes: value.votes.filter((vote) => !isHeld(vote)) });
  }

  return {
    get boundaryView() {
      return boundaryView;
    },
    around: (code = startValidator) => {
      return (world, setting) => {
        const { transport } = world;
        const wire: Transport = {
          ...transport,
          self: transport.self,
          onFrame(handler) {
            transport.onFrame((sender, lane, bytes) => handler(sender, lane, withoutHeld(bytes)));
          },
        };
        return code({ ...world, transport: wire }, setting);
      };
    },
    release() {
      held = false;
    },
  };
}
