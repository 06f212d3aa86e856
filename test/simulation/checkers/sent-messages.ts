import { toHex } from '@slipstream/primitives';
import type { Checker } from '@slipstream/simulator';
import {
  type Block,
  blockIdOf,
  type Certificate,
  decodeFrame,
  FRAMES,
  type Frame,
  type ProposalKind,
  proposalCodec,
  type Vote,
} from '@slipstream/types';
import type { Check, Watched } from './watched.ts';

export interface SentProposal {
  readonly epoch: number;
  readonly view: number;
  readonly kind: ProposalKind;
  readonly blockId: string;
  /** Undefined in a confirmation, which has no block. */
  readonly parentId: string | undefined;
  readonly signature: Uint8Array;
}

export interface MessageListener {
  frame?(frame: Uint8Array): void;
  /** By an honest node. */
  delivered?(frame: Uint8Array): void;
  /** Proposed by any node. */
  block?(blockId: string, block: Block): void;
  /** In a proposal that a corrupted node sent: honest ones relay it. */
  corruptedSignature?(signature: Uint8Array): void;
  vote?(from: string, vote: Vote, check: Check): void;
  proposal?(from: string, proposal: SentProposal, check: Check): void;
  certificate?(from: string, certificate: Certificate, check: Check): void;
}

export function observeSent(watched: Watched, listeners: readonly MessageListener[]): Checker {
  let lastFrame: Uint8Array | undefined;
  let lastFrom = '';

  return (event, { check }) => {
    if (event.type === 'frame-delivered' && watched.isHonest(event.to)) {
      for (const listener of listeners) listener.delivered?.(event.frame);
    }
    if (event.type !== 'frame-sent') return;
    const { frame } = event;
    const from = watched.nodeOf(event.from);
    if (frame === lastFrame && from === lastFrom) return;
    lastFrame = frame;
    lastFrom = from;
    const isHonest = watched.isHonest(from);
    if (!isHonest && frame[0] !== FRAMES.proposal.kind) return;
    const decoded = decodeFrame(frame);
    if (decoded.ok && decoded.value.name === 'proposal') {
      const { block, signature } = decoded.value.value;
      const blockId = toHex(blockIdOf(block));
      for (const listener of listeners) {
        listener.block?.(blockId, block);
        if (!isHonest) listener.corruptedSignature?.(signature);
      }
    }
    if (!isHonest) return;
    check(decoded.ok, 'an honest node sends frames that decode', { from });
    if (decoded.ok) dispatch(from, decoded.value, check);
  };

  function dispatch(from: string, frame: Frame, check: Check): void {
    const certificates: Certificate[] = [];
    switch (frame.name) {
      case 'consensus':
        for (const vote of frame.value.votes) for (const listener of listeners) listener.vote?.(from, vote, check);
        for (const { epoch, view, blockId, signature } of frame.value.confirmations) {
          tell(from, { epoch, view, kind: 'normal', blockId: toHex(blockId), parentId: undefined, signature }, check);
        }
        certificates.push(...frame.value.certificates);
        break;
      case 'proposal': {
        const { block, kind, justification, signature } = frame.value;
        const ids = { blockId: toHex(blockIdOf(block)), parentId: toHex(block.parentId) };
        tell(from, { epoch: block.epoch, view: block.view, kind, ...ids, signature }, check);
        certificates.push(...justification);
        break;
      }
      case 'historyAnswer':
        certificates.push(...frame.value.certificates);
        for (const bytes of frame.value.proposals) {
          check(proposalCodec.decode(bytes).ok, 'an honest node answers with proposals that decode', { from });
        }
        break;
      case 'syncResponse':
        certificates.push(...frame.value.certificates);
        break;
    }
    for (const certificate of certificates) {
      for (const listener of listeners) listener.certificate?.(from, certificate, check);
    }
  }

  function tell(from: string, proposal: SentProposal, check: Check): void {
    for (const listener of listeners) listener.proposal?.(from, proposal, check);
  }
}
