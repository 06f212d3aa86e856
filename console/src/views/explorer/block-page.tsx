import { ClientError } from '@slipstream/client';
import type { BlockView, CertificateJson, HeightCertificates } from '@slipstream/schema';
import type { ReactNode } from 'react';
import { Badge } from '../../design/badge.tsx';
import { type Fact, Facts } from '../../design/facts.tsx';
import { count, dateAndTime } from '../../design/format.ts';
import { Hex } from '../../design/hex.tsx';
import { Panel } from '../../design/panel.tsx';
import { Empty, Failure, Loading } from '../../design/states.tsx';
import { client } from '../../node/client.ts';
import { useQuery } from '../../node/use-ask.ts';
import { ProofPanel } from '../../proof/proof-panel.tsx';
import { useProof } from '../../proof/use-proof.ts';
import { VerdictLine } from '../../proof/verdict-line.tsx';
import type { Verification } from '../../proof/verify-message.ts';
import { href } from '../../shell/router.ts';
import { Gantt } from '../timeline/gantt.tsx';
import { absenceTitle } from './absence.ts';
import { BatchList } from './batch-list.tsx';
import { TransactionList } from './transaction-list.tsx';

export function BlockPage({ reference }: { readonly reference: string }) {
  const { answer, again } = useQuery<BlockView>(`block ${reference}`, (signal) => client.block(reference, { signal }));
  if (answer.type === 'loading') return <Loading what={`block ${reference}`} />;
  if (answer.type === 'failed') {
    return <Failure title={absenceTitle('block', answer.error)} detail={answer.reason} onRetry={again} />;
  }
  return <Block view={answer.value} />;
}

function Block({ view }: { readonly view: BlockView }) {
  const { block, status, times } = view;
  const { height } = block;
  const proof = useProof(`block ${block.id} ${view.stateDigest}`, { kind: 'blocks', shown: [view] });
  return (
    <>
      <div className="view-head">
        <h1>Block {count(height)}</h1>
        <Badge tone={status === 'final' ? 'good' : 'info'}>{status}</Badge>
        {height > 0 ? <a href={href('explorer', 'block', height - 1)}>Parent</a> : null}
        <a href={href('explorer', 'block', height + 1)}>Next</a>
      </div>
      <div className="columns">
        <div className="stack">
          <Panel title="Header">
            <div className="stack">
              <VerdictLine what="Header" verification={proof.verification} />
              <Facts facts={factsOf(view, proof.verification)} />
            </div>
          </Panel>
          <ProofPanel proof={proof} note="of the header" hasCommand={false} />
        </div>
        <div className="stack">
          <Certificates height={height} />
          {times?.proposedMs === undefined ? null : (
            <Panel title="Stages" note="at this node, after the proposal">
              <Gantt times={times} shadowedMs={null} />
            </Panel>
          )}
        </div>
      </div>
      {view.batchCount === undefined || view.batchCount === 0 ? null : (
        <Panel title="Distilled batches" note={count(view.batchCount)} flush>
          <BatchList height={height} />
        </Panel>
      )}
      <Panel title="Transactions" note={count(view.transactionCount)} flush>
        <TransactionList
          of={`block ${height}`}
          empty="No transactions in this block"
          ask={(options) => client.blockTransactions(height, options)}
        />
      </Panel>
    </>
  );
}

function factsOf(
  { block, stateDigest, receiptsRoot }: BlockView,
  verification: Verification | undefined,
): readonly Fact[] {
  const isDigestCertified = verification?.certified?.height === block.height;
  return [
    ['Id', <Hex key="id" value={block.id} what="block id" whole />],
    ['Time', dateAndTime(block.timestampMs)],
    ['View', `${count(block.view)}, epoch ${count(block.epoch)}`],
    ['Proposer', `validator ${block.proposer}`],
    [
      'Parent',
      <Hex key="parent" value={block.parentId} href={href('explorer', 'block', block.parentId)} what="parent id" />,
    ],
    ['Chunks', count(block.payload.length)],
    [
      'State digest',
      stateDigest === null ? (
        'not certified yet'
      ) : (
        <Said key="digest" isProven={isDigestCertified}>
          <Hex value={stateDigest} what="state digest" />
        </Said>
      ),
    ],
    [
      'Receipts root',
      receiptsRoot === null ? (
        '–'
      ) : (
        <Said key="root" isProven={false}>
          <Hex value={receiptsRoot} what="receipts root" />
        </Said>
      ),
    ],
  ];
}

/** The header does not cover it. */
function Said({ isProven, children }: { readonly isProven: boolean; readonly children: ReactNode }) {
  return (
    <>
      {children} {isProven ? null : <span className="soft">as this node says</span>}
    </>
  );
}

function Certificates({ height }: { readonly height: number }) {
  const { answer, again } = useQuery<HeightCertificates>(`certificates ${height}`, (signal) =>
    client.certificates(height, { signal }),
  );
  return (
    <Panel title="Certificates" note="who signed">
      {answer.type === 'loading' ? <Loading what="certificates" /> : null}
      {answer.type === 'failed' ? <NoCertificates error={answer.error} reason={answer.reason} onRetry={again} /> : null}
      {answer.type === 'done' ? (
        <Facts
          facts={[
            ['Finalization', <Signers key="finalization" certificate={answer.value.finalization} />],
            ['State', <Signers key="state" certificate={answer.value.state} />],
          ]}
        />
      ) : null}
    </Panel>
  );
}

interface NoCertificatesProps {
  readonly error: unknown;
  readonly reason: string;
  readonly onRetry: () => void;
}

/** A new or pruned block has none here; that is no failure. */
function NoCertificates({ error, reason, onRetry }: NoCertificatesProps) {
  const expected = error instanceof ClientError && (error.code === 'certificate-unknown' || error.code === 'pruned');
  if (expected) return <Empty title="None on this node">{reason}</Empty>;
  return <Failure title="No answer" detail={reason} onRetry={onRetry} />;
}

function Signers({ certificate }: { readonly certificate: CertificateJson | null }) {
  if (certificate === null) return <>not on this node</>;
  return (
    <ul className="chips" aria-label="Validators that signed">
      {certificate.signers.map((signer) => (
        <li key={signer} className="chip">
          {signer}
        </li>
      ))}
    </ul>
  );
}
