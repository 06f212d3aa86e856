/** Chains through epochs: their boundaries, fillers and records. */
import {
  type Block,
  blockIdOf,
  type EpochEnd,
  type EpochRecord,
  epoch as epochOf,
  type Finalization,
  height,
  recordHashOf,
  recordOfGenesis,
  view,
} from '@slipstream/types';
import { testChain } from '../../execution/test/session-world.ts';
import type { CommitSeal, Ledger } from '../src/index.ts';
import { childOf, GENESIS_HASH, type Link } from './builders.ts';

const FIRST = recordOfGenesis(testChain('ledger epochs').genesis);

export function recordOf(epoch: number): EpochRecord {
  return { ...FIRST, epoch: epochOf(epoch) };
}

export function fillersOn({ block, blockId }: Link, count: number): readonly Block[] {
  const fillers: Block[] = [];
  let [parent, parentId] = [block, blockId];
  for (let i = 0; i < count; i++) {
    const height_ = height(parent.height + 1);
    // A view without a block between any two.
    parent = {
      ...parent,
      height: height_,
      view: view(parent.view + 2),
      parentId,
      parentView: parent.view,
      payload: [],
    };
    parentId = blockIdOf(parent);
    fillers.push(parent);
  }
  return fillers;
}

export function finalOf(block: Block): Finalization {
  return {
    subject: { kind: 'finalize', epoch: block.epoch, view: block.view, blockId: blockIdOf(block) },
    signers: [0, 1, 2],
    aggregate: new Uint8Array(96).fill(3),
  };
}

export function endOf(link: Link, fillerCount: number): EpochEnd {
  const { block, blockId } = link;
  const fillers = fillersOn(link, fillerCount);
  return { block, blockId, fillers, certificate: finalOf(fillers.at(-1) ?? block) };
}

/** The last block of the parent's epoch. */
export function boundaryOn(parent: Link): Link {
  return childOf(parent, { next: recordHashOf(GENESIS_HASH, recordOf(parent.block.epoch + 1)) });
}

export function firstOn(boundary: Link): Link {
  return childOf(boundary, { epoch: epochOf(boundary.block.epoch + 1) });
}

export async function commit(ledger: Ledger, link: Link, seal: Partial<CommitSeal> = {}): Promise<void> {
  await ledger.putBlock(link);
  const bare = { preimages: [link.preimage], certificate: undefined, finalization: undefined };
  await ledger.commit(link.blockId, { ...bare, ...seal });
}
