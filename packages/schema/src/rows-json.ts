/** Rows of distilled batches and their proofs (packages/distilled) as JSON. */
import {
  type BatchHeader,
  type CertifiedRowProof,
  certifiedRowProofCodec,
  type ProvenRow,
  type Row,
} from '@slipstream/distilled';
import { to0x } from '@slipstream/primitives';
import { certificateToJson, preimageToJson } from './chain-json.ts';
import type { RowProofJson } from './rows.ts';

export function rowToJson({ sender, recipient, amount, sequence, tag }: Row): RowProofJson['row'] {
  return { senderIndex: sender, recipientIndex: recipient, amount: amount.toString(), sequence, tag };
}

export function batchHeaderToJson(header: BatchHeader): RowProofJson['header'] {
  const { epoch, broker, number, knownAt, expiryMs, feeCap, rows, root } = header;
  return {
    epoch,
    broker: `0x${broker}`,
    number,
    knownAt,
    expiryMs,
    feeCap: feeCap.toString(),
    rows,
    root: to0x(root),
  };
}

interface ProvenPlace {
  readonly rowId: Uint8Array;
  readonly batchId: Uint8Array;
  readonly position: number;
}

/** `proven`: what the proof shows of the row. */
export function rowProofToJson(
  proof: CertifiedRowProof,
  { row, outcome, leaf }: Omit<ProvenRow, 'index'>,
  { rowId, batchId, position }: ProvenPlace,
): RowProofJson {
  return {
    rowId: to0x(rowId),
    batchId: to0x(batchId),
    position,
    header: batchHeaderToJson(leaf.header),
    rowFee: leaf.rowFee.toString(),
    stragglerFee: leaf.stragglerFee.toString(),
    firstIndex: leaf.firstIndex,
    row: rowToJson(row),
    outcome,
    preimages: proof.preimages.map(preimageToJson),
    certificate: certificateToJson(proof.certificate),
    ssz: to0x(certifiedRowProofCodec.encode(proof)),
  };
}
