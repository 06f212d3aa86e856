import type { Block } from '../block.ts';
import type { Finalization, StateCertificate } from '../certificate.ts';
import type { BlockId } from '../ids.ts';

/** The boundary of an epoch, and what made it final. */
export interface EpochEnd {
  readonly blockId: BlockId;
  readonly block: Block;
  /** Above the block, up to the one that the certificate is of. */
  readonly fillers: readonly Block[];
  readonly certificate: Finalization | StateCertificate;
}
