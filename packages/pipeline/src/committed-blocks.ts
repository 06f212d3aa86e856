/** Late queries and certificates for committed blocks, answered from the ledger. */
import type { Ledger } from '@slipstream/ledger';
import type { Telemetry } from '@slipstream/ports';
import { bytesEqual } from '@slipstream/primitives';
import {
  type BlockId,
  type GenesisHash,
  type Height,
  type StateCertificate,
  type StateDigest,
  stateDigestOf,
} from '@slipstream/types';
import type { Halt } from './components.ts';

export interface CommittedBlocks {
  /** Never settles for a block that was not committed. */
  digestOf(blockId: BlockId, height: Height): Promise<StateDigest>;
  /** Applies P4 to committed blocks. A certificate of the block itself is stored, because it shortens proofs. */
  check(certificate: StateCertificate): void;
  /** Resolves when no check runs. */
  idle(): Promise<void>;
}

interface CommittedBlocksComponents {
  readonly ledger: Ledger;
  readonly telemetry: Telemetry;
  readonly genesisHash: GenesisHash;
  readonly running: () => boolean;
  readonly onDiverged: (halt: Halt) => void;
}

export function createCommittedBlocks(components: CommittedBlocksComponents): CommittedBlocks {
  const { ledger, telemetry, genesisHash, running, onDiverged } = components;
  const underWay = new Set<Promise<void>>();

  async function digestOf(blockId: BlockId, height: Height): Promise<StateDigest> {
    const preimage = await ledger.preimage(height);
    if (preimage && bytesEqual(preimage.blockId, blockId)) return stateDigestOf(genesisHash, preimage);
    return new Promise(() => {});
  }

  async function compare(certificate: StateCertificate): Promise<void> {
    const { height, blockId, stateDigest } = certificate.subject;
    const preimage = await ledger.preimage(height);
    if (preimage === undefined || !running()) return;
    const own = stateDigestOf(genesisHash, preimage);
    if (!bytesEqual(preimage.blockId, blockId) || !bytesEqual(own, stateDigest)) {
      onDiverged({ type: 'diverged', blockId: preimage.blockId, block: undefined, own, certified: certificate });
      return;
    }
    const { stateCertificate } = await ledger.certificates(height);
    if (stateCertificate === undefined) await ledger.putCertificates([certificate]);
  }

  function check(certificate: StateCertificate): void {
    const compared = compare(certificate).catch((error: unknown) => {
      telemetry.log('error', 'pipeline: a late certificate could not be checked', { error: String(error) });
    });
    underWay.add(compared);
    void compared.then(() => underWay.delete(compared));
  }

  return { digestOf, check, idle: async () => void (await Promise.all(underWay)) };
}
