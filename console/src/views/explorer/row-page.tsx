/** A row of a distilled batch, what became of it, and its proof. */
import type { RowReceiptJson, TransactionView } from '@slipstream/schema';
import { Badge } from '../../design/badge.tsx';
import { type Fact, Facts } from '../../design/facts.tsx';
import { amount, count } from '../../design/format.ts';
import { Hex } from '../../design/hex.tsx';
import { Panel } from '../../design/panel.tsx';
import { ProofPanel } from '../../proof/proof-panel.tsx';
import { useProof } from '../../proof/use-proof.ts';
import { VerdictLine } from '../../proof/verdict-line.tsx';
import { href } from '../../shell/router.ts';
import { outcomeText } from './row-outcome.ts';
import { STATUS_TONES } from './transaction-list.tsx';

interface RowPageProps {
  readonly view: TransactionView;
  readonly row: RowReceiptJson;
}

export function RowPage({ view, row }: RowPageProps) {
  const { id, status } = view;
  const proof = useProof(`row ${id} ${status}`, { kind: 'row', id, shown: view });
  return (
    <>
      <div className="view-head">
        <h1>Row</h1>
        <Badge tone={STATUS_TONES[status]}>{status}</Badge>
      </div>
      <Hex value={id} what="row id" whole />
      <VerdictLine what="Receipt and transfer, without the accounts’ keys" verification={proof.verification} />
      <div className="columns">
        <div className="stack">
          <Panel title="Transfer">
            <Facts facts={transferFacts(row)} />
          </Panel>
          <Panel title="Receipt">
            <Facts facts={receiptFacts(row)} />
          </Panel>
        </div>
        <ProofPanel proof={proof} note="of the row and its outcome" />
      </div>
    </>
  );
}

function transferFacts({ sender, senderIndex, recipient, recipientIndex, ...row }: RowReceiptJson): readonly Fact[] {
  return [
    ['Sender', <Hex key="sender" value={sender} href={href('explorer', 'account', sender)} what="sender" />],
    [
      'Recipient',
      <Hex key="recipient" value={recipient} href={href('explorer', 'account', recipient)} what="recipient" />,
    ],
    ['Indices', `${count(senderIndex)} to ${count(recipientIndex)}`],
    ['Amount', amount(row.amount)],
    ['Sequence', count(row.sequence)],
    ['Tag', count(row.tag)],
  ];
}

function receiptFacts(row: RowReceiptJson): readonly Fact[] {
  const { batchId, position, outcome, fee, straggler, height } = row;
  return [
    ['Outcome', outcomeText(outcome)],
    ['Batch', <Hex key="batch" value={batchId} href={href('explorer', 'batch', batchId)} what="batch id" />],
    ['Position', count(position + 1)],
    [
      'Block',
      <a key="block" href={href('explorer', 'block', height)}>
        {count(height)}
      </a>,
    ],
    ['Fee', fee === undefined ? 'unknown: copies of the batch differ' : amount(fee)],
    ['Signed', straggler ? 'alone, with Ed25519' : 'with its batch'],
  ];
}
