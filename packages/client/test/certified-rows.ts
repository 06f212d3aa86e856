/** Rows of a block of the chain of real-chain.ts, certified by its members. */
import {
  type BatchLeaf,
  batchesRootOf,
  batchIdOf,
  type CertifiedRowProof,
  columnsOf,
  failureByte,
  makeRowProof,
  outcomeOf,
  outcomesRootOf,
  type Row,
  type RowOutcome,
  rowIdOf,
  skipByte,
} from '@slipstream/distilled';
import { to0x } from '@slipstream/primitives';
import { type RowProofJson, rowProofToJson } from '@slipstream/schema';
import { asId, type CertifiedState, type DistilledRoots, merkleRoot, type TransactionId } from '@slipstream/types';
import { headerOf, ringOf } from '../../distilled/test/world.ts';
import { genesisHash, proveReceipt, receiptsOf } from './real-chain.ts';

export const AT = 7;
const ROWS = 100;

export const rows = ringOf(ROWS);
/** Position 3 failed, 4 was skipped. */
export const outcomes = new Uint8Array(ROWS);
outcomes[3] = failureByte('insufficient-balance');
outcomes[4] = skipByte('sequence-used');

function leafOf(of: readonly Row[], firstIndex: number, ran: Uint8Array): BatchLeaf {
  const header = headerOf(of, { number: firstIndex });
  return { header, rowFee: 20n, stragglerFee: 90n, firstIndex, outcomesRoot: outcomesRootOf(ran) };
}

export const leaf = leafOf(rows, 2, outcomes);
const leaves = [leafOf(ringOf(2), 0, new Uint8Array(2)), leaf];
export const batchId = batchIdOf(genesisHash, leaf.header);
const distilled: DistilledRoots = {
  batchesRoot: batchesRootOf(leaves),
  batches: leaves.length,
  directoryRoot: merkleRoot([]),
  directorySize: ROWS,
};
const receipts = receiptsOf([asId<TransactionId>(new Uint8Array(32).fill(1))], AT);
let signed: CertifiedState | undefined;

/** At first use: signatures take long. */
function certified(): CertifiedState {
  signed ??= proveReceipt(receipts, 0, { later: 2, distilled });
  return signed;
}

export function blockIdOfRows(): string {
  return to0x(certified().preimages[0]?.blockId ?? new Uint8Array(0));
}

export function idOf(position: number): string {
  return to0x(rowIdOf(batchId, position));
}

export function proofOf(position: number): CertifiedRowProof {
  const source = { rows: columnsOf(rows), outcomes, leaves, batch: 1 };
  const { preimages, certificate } = certified();
  return { proof: makeRowProof(source, position), preimages, certificate };
}

export function provenAt(position: number) {
  const proven = { row: rows[position] as Row, outcome: outcomeOf(outcomes[position] as number) as RowOutcome, leaf };
  return { ...proven, rowId: rowIdOf(batchId, position), batchId, position };
}

export function proofJsonOf(position: number): RowProofJson {
  const proven = provenAt(position);
  return rowProofToJson(proofOf(position), proven, proven);
}
