/** What the ledger stores with a commit: preimages up to a state certificate, and with the last block of an epoch what ended it (P11). */
import { readRecord } from '@slipstream/execution';
import type { CommitSeal } from '@slipstream/ledger';
import { assert, bytesEqual } from '@slipstream/primitives';
import {
  type DigestPreimage,
  type GenesisHash,
  hexOf,
  PROOF_PREIMAGES_MAX,
  recordHashOf,
  type StateCertificate,
} from '@slipstream/types';
import type { BlockEntry } from './block-entry.ts';
import type { BlockGraph } from './block-graph.ts';
import type { PipelineComponents } from './components.ts';

interface CommitSealsComponents extends Pick<PipelineComponents, 'state'> {
  readonly graph: BlockGraph;
}

/** Call once per committed block, in order. */
export function createCommitSeals(
  { state, graph }: CommitSealsComponents,
  genesisHash: GenesisHash,
): (entry: BlockEntry) => CommitSeal {
  /** The ledger holds the preimages up to this certificate. */
  let sealedBy: StateCertificate | undefined;

  function proofOf(entry: BlockEntry): CommitSeal {
    const { preimage, certifiedBy, finalization } = entry;
    assert(preimage !== undefined && certifiedBy !== undefined, 'a block is committed once a quorum agrees with it');
    if (certifiedBy === sealedBy) return { preimages: [preimage], certificate: undefined, finalization };
    const certified = graph.get(hexOf(certifiedBy.subject.blockId));
    assert(certified !== undefined, 'a certified descendant stays until it is committed');
    const lineage = graph.lineage(certified).filter(({ block }) => block.height >= entry.block.height);
    const preimages = lineage.map((at) => at.preimage as DigestPreimage).reverse();
    if (preimages.length > PROOF_PREIMAGES_MAX) return { preimages: [preimage], certificate: undefined, finalization };
    sealedBy = certifiedBy;
    return { preimages, certificate: certifiedBy, finalization };
  }

  function newEpochOf({ id, block, end }: BlockEntry): CommitSeal['newEpoch'] {
    if (block.next === undefined) return undefined;
    assert(end !== undefined, 'the last block of an epoch is committed once its end is known');
    const view = state.view(id);
    const record = readRecord({ get: ({ bytes }) => view.get(bytes) }, block.epoch + 1);
    assert(bytesEqual(recordHashOf(genesisHash, record), block.next), 'a final boundary names the record of the state');
    return { record, end };
  }

  return (entry) => ({ ...proofOf(entry), newEpoch: newEpochOf(entry) });
}
