/** Two conflicting messages signed by one validator. */
import type { EvidencePage, Listed } from '@slipstream/schema';
import { count } from '../../design/format.ts';
import { Panel } from '../../design/panel.tsx';
import { Empty, Failure, LeftOut, Loading } from '../../design/states.tsx';
import { client } from '../../node/client.ts';
import { useQuery } from '../../node/use-ask.ts';
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
        {items.map(({ type, offender, view, first, second }) => (
          <li key={`${type}/${offender}/${view}`}>
            <details>
              <summary>
                Validator {offender} signed two {type} in view {count(view)}
              </summary>
              <div className="stack small">
                <span>First message</span>
                <code className="evidence-bytes">{first}</code>
                <span>Second message</span>
                <code className="evidence-bytes">{second}</code>
              </div>
            </details>
          </li>
        ))}
      </ul>
      <LeftOut malformed={malformed} />
    </>
  );
}
