import {
  type Block,
  type BlockId,
  blockIdOf,
  type ChunkReference,
  type Epoch,
  GENESIS_EPOCH,
  height,
  payloadRootOf,
  view,
} from '@slipstream/types';
import { START_MS } from './start-time.ts';

export interface BlockForm {
  readonly parentId: BlockId;
  readonly payload: readonly ChunkReference[];
  readonly timestampMs?: number;
  readonly proposer?: number;
  readonly height?: number;
  readonly epoch?: Epoch;
}

export function block(form: BlockForm): { readonly id: BlockId; readonly block: Block } {
  const made: Block = {
    epoch: form.epoch ?? GENESIS_EPOCH,
    view: view(form.height ?? 1),
    height: height(form.height ?? 1),
    parentId: form.parentId,
    parentView: view(0),
    timestampMs: form.timestampMs ?? START_MS + 100,
    proposer: form.proposer ?? 0,
    payload: form.payload,
    payloadRoot: payloadRootOf(form.payload),
    next: undefined,
  };
  return { id: blockIdOf(made), block: made };
}

export const FOREVER: AbortSignal = new AbortController().signal;
