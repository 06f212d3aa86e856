/** Two conflicting messages signed by one validator. */
import type { EvidencePage, EvidenceView, Listed } from '@slipstream/schema';
import { Badge } from '../../design/badge.tsx';
import { count } from '../../design/format.ts';
import { Panel } from '../../design/panel.tsx';
import { Empty, Failure, LeftOut, Loading } from '../../design/states.tsx';
import { client } from '../../node/client.ts';
import { useQuery } from '../../node/use-ask.ts';
import { useEvidenceVerdict } from '../../proof/verify-evidence.ts';
import { useStream } from '../../stream/use-stream.ts';

export function EvidencePanel() {
  const received = useStream((snapshot) => snapshot.evidence.length);
  const { answer, again } = useQuery<Listed<EvidencePage>>(`evidence ${received}`, (signal) =>
    client.call('evidence', { query: { limit: 100 }, signal }),
  );
  return (
    <Panel title="Evidence" note="conflicting messages signed by one validator">
      {answer.type === 'loading' ? <Loading what="evidence" /> : null}
      {answer.type === 'failed' ? <Failure title="No answer" detail={answer.reason} onRetry={again} /> : null}
      {answer.type === 'done' ? <EvidenceList {...answer.value} /> : null}
    </Panel>
  );
}

function EvidenceList({ items, malformed }: Pick<Listed<EvidencePage>, 'items' | 'malformed'>) {
  if (malformed.length > 0 && items.length === 0) return <LeftOut malformed={malformed} />;
  if (items.length === 0) return <Empty title="None">No validator signed conflicting messages.</Empty>;
  return (
    <>
      <ul className="stack">
        {items.map((item) => (
          <li key={`${item.type}/${item.epoch}/${item.offender}/${item.view}`}>
            <EvidenceItem item={item} />
          </li>
        ))}
      </ul>
      <LeftOut malformed={malformed} />
    </>
  );
}

function EvidenceItem({ item }: { readonly item: EvidenceView }) {
  const { type, epoch, offender, view, first, second } = item;
  const fault = useEvidenceVerdict(item);
  return (
    <details>
      <summary>
        Validator {offender} signed two {type} in view {count(view)} of epoch {count(epoch)}{' '}
        {fault === undefined ? null : (
          <Badge tone={fault === null ? 'good' : 'bad'}>
            {fault === null ? 'verified in this browser' : `refused: ${fault}`}
          </Badge>
        )}
      </summary>
      <div className="stack small">
        <span>First message</span>
        <code className="evidence-bytes">{first}</code>
        <span>Second message</span>
        <code className="evidence-bytes">{second}</code>
      </div>
    </details>
  );
}
