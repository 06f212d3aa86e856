/** The steps of a proof, verified in this page; and with one changed bit, which is refused. */
import './proof.css';
import { Badge } from '../design/badge.tsx';
import { Button } from '../design/button.tsx';
import { count, duration } from '../design/format.ts';
import { Hex } from '../design/hex.tsx';
import { Panel } from '../design/panel.tsx';
import { ProofSteps } from './proof-steps.tsx';
import type { Proof } from './use-proof.ts';
import { OUTCOMES } from './verdict-line.tsx';
import type { Verification } from './verify-message.ts';

interface ProofPanelProps {
  readonly proof: Proof;
  /** What the steps show. */
  readonly note: string;
  /** The command line verifies it too. */
  readonly hasCommand?: boolean;
}

export function ProofPanel({ proof, note, hasCommand = true }: ProofPanelProps) {
  return (
    <Panel title="Proof" note={note}>
      <ProofBody proof={proof} hasCommand={hasCommand} />
    </Panel>
  );
}

export function ProofBody({ proof, hasCommand = true }: Omit<ProofPanelProps, 'note'>) {
  const { verification, flipped, busy, verify, flip } = proof;
  const shown = flipped ?? verification;
  return (
    <div className="stack">
      <div className="row">
        <Button kind="primary" disabled={busy} onClick={verify}>
          {busy ? 'Verifying …' : 'Verify in this browser'}
        </Button>
        <Button disabled={busy} onClick={flip}>
          Change one bit and verify
        </Button>
      </div>
      <div aria-live="polite">{shown === undefined ? null : <VerificationResult verification={shown} />}</div>
      <TrustNote genesisHash={shown?.genesisHash ?? null} hasCommand={hasCommand} />
    </div>
  );
}

export function VerificationResult({ verification }: { readonly verification: Verification }) {
  const { outcome, steps, reason, flipped, tookMs } = verification;
  const [tone, word] = OUTCOMES[outcome];
  const isChecked = outcome === 'verified' || outcome === 'refused';
  return (
    <div className="stack">
      <p className="proof-verdict">
        <Badge tone={tone}>Proof {word}</Badge>
        <span className="small soft">
          {flipped === null ? '' : `with bit ${count(flipped)} changed, `}
          {isChecked ? `in ${duration(tookMs)}, in this browser` : reason}
        </span>
      </p>
      <ProofSteps steps={steps} />
    </div>
  );
}

/** A proof is worth as much as the genesis file, which must not come from the doubted node. So the hash shown is that of the file used. */
export function TrustNote({
  genesisHash,
  hasCommand = true,
}: Pick<Verification, 'genesisHash'> & Pick<ProofPanelProps, 'hasCommand'>) {
  return (
    <div className="small soft">
      <p>
        Trust begins with the genesis file, which came from this node. Compare its hash with the one that you trust
        {genesisHash === null ? ': it is shown with a proof that holds.' : ':'}
      </p>
      {genesisHash === null ? null : <Hex value={genesisHash} what="genesis hash" whole />}
      {hasCommand ? (
        <p>
          To verify without this node: <code>slipstream tx verify-proof</code>
        </p>
      ) : null}
    </div>
  );
}
