/** A receipt's proof, verified in this page; and with one changed bit, which is refused. */
import './proof.css';
import type { ProofJson } from '@slipstream/schema';
import { useState } from 'react';
import { Badge } from '../design/badge.tsx';
import { Button } from '../design/button.tsx';
import { count, duration } from '../design/format.ts';
import { Hex } from '../design/hex.tsx';
import { client, explain } from '../node/client.ts';
import { bitsOf, flipBit } from './flip-bit.ts';
import { ProofSteps } from './proof-steps.tsx';
import { type Verification, verifyInPage } from './verify.ts';

type Outcome =
  | { readonly type: 'idle' }
  | { readonly type: 'busy' }
  | { readonly type: 'failed'; readonly reason: string }
  | { readonly type: 'done'; readonly verification: Verification; readonly flipped: number | null };

interface ProofPanelProps {
  readonly id: string;
  /** Of a row of a distilled batch too. */
  readonly of?: 'transaction' | 'row';
  /** Without it the node is queried. */
  readonly proof?: ProofJson | undefined;
}

export function ProofPanel({ id, of = 'transaction', proof }: ProofPanelProps) {
  const [outcome, setOutcome] = useState<Outcome>({ type: 'idle' });

  const run = async (flip: boolean) => {
    setOutcome({ type: 'busy' });
    try {
      const [given, genesis] = await Promise.all([
        proof ?? (of === 'row' ? client.rowProof(id) : client.proof(id)),
        client.genesis(),
      ]);
      const flipped = flip ? Math.floor(Math.random() * bitsOf(given)) : null;
      const verification = await verifyInPage(flipped === null ? given : flipBit(given, flipped), genesis, {
        of,
        transactionId: id,
      });
      setOutcome({ type: 'done', verification, flipped });
    } catch (error) {
      setOutcome({ type: 'failed', reason: explain(error) });
    }
  };

  const busy = outcome.type === 'busy';
  return (
    <div className="stack">
      <div className="row">
        <Button kind="primary" disabled={busy} onClick={() => run(false)}>
          {busy ? 'Verifying …' : 'Verify in this browser'}
        </Button>
        <Button disabled={busy} onClick={() => run(true)}>
          Change one bit and verify
        </Button>
      </div>
      <div aria-live="polite">
        <ProofOutcome outcome={outcome} />
      </div>
      <TrustNote genesisHash={outcome.type === 'done' ? outcome.verification.genesisHash : null} />
    </div>
  );
}

function ProofOutcome({ outcome }: { readonly outcome: Outcome }) {
  if (outcome.type === 'failed') return <p className="small">Not verified: {outcome.reason}</p>;
  if (outcome.type !== 'done') return null;
  return <VerificationResult verification={outcome.verification} flipped={outcome.flipped} />;
}

interface VerificationResultProps {
  readonly verification: Verification;
  readonly flipped: number | null;
}

export function VerificationResult({ verification, flipped }: VerificationResultProps) {
  const { accepted, steps, tookMs } = verification;
  return (
    <div className="stack">
      <p className="proof-verdict">
        <Badge tone={accepted ? 'good' : 'bad'}>{accepted ? 'Proof verified' : 'Proof refused'}</Badge>
        <span className="small soft">
          {flipped === null ? '' : `with bit ${count(flipped)} changed, `}in {duration(tookMs)}, in this browser
        </span>
      </p>
      <ProofSteps steps={steps} />
    </div>
  );
}

/** A proof is worth as much as the genesis file, which must not come from the doubted node. So the hash shown is that of the file used. */
export function TrustNote({ genesisHash }: Pick<Verification, 'genesisHash'>) {
  return (
    <div className="small soft">
      {genesisHash === null ? (
        <p>
          The genesis file comes from this node. Its hash is shown with the proof: compare it with the one that you
          trust.
        </p>
      ) : (
        <>
          <p>The genesis file came from this node. Compare its hash with the one that you trust:</p>
          <Hex value={genesisHash} what="genesis hash" whole />
        </>
      )}
      <p>
        To verify without this node: <code>slipstream tx verify-proof</code>
      </p>
    </div>
  );
}
