/** On a development chain: a transfer from a key to a verified proof. */
import './try.css';
import { Button } from '../../design/button.tsx';
import { Facts } from '../../design/facts.tsx';
import { amount, duration } from '../../design/format.ts';
import { Hex } from '../../design/hex.tsx';
import { Empty, Loading } from '../../design/states.tsx';
import { TrustNote, VerificationResult } from '../../proof/proof-panel.tsx';
import { useProof } from '../../proof/use-proof.ts';
import { VerdictLine } from '../../proof/verdict-line.tsx';
import { href } from '../../shell/router.ts';
import { useStream } from '../../stream/use-stream.ts';
import type { Funding } from './journey.ts';
import { Leg } from './leg.tsx';
import { OrderForm } from './order-form.tsx';
import { SessionLeg } from './session-leg.tsx';
import { Track } from './track.tsx';
import { type Journey, type JourneyActions, useJourney } from './use-journey.ts';

export function TryView() {
  const status = useStream((snapshot) => snapshot.status);
  const [journey, actions] = useJourney();
  if (status === null) return <Loading what="the chain" />;
  return (
    <div className="view">
      <div className="view-head">
        <h1>Try it</h1>
        <p className="soft">Send a transfer and verify its proof in this browser.</p>
      </div>
      {status.faucet ? (
        <ol className="journey">
          <KeyLeg journey={journey} actions={actions} />
          <FaucetLeg journey={journey} actions={actions} />
          <TransferLeg journey={journey} actions={actions} />
          <ProofLeg journey={journey} />
          <SessionLeg key={journey.key?.pair.accountText ?? 'none'} number={5} device={journey.key?.pair ?? null} />
        </ol>
      ) : (
        <Empty title="This chain has no faucet">
          Only development chains have a faucet. Start one with npm run node.
        </Empty>
      )}
    </div>
  );
}

interface LegOf {
  readonly journey: Journey;
  readonly actions: JourneyActions;
}

function KeyLeg({ journey: { key, busy }, actions }: LegOf) {
  return (
    <Leg number={1} title="Generate a key" state={key === null ? 'now' : 'done'} tookMs={key?.tookMs ?? null}>
      {key === null ? (
        <>
          <p className="small soft">
            An Ed25519 key, made by this browser and kept in this page alone. Reloading the page forgets it.
          </p>
          <div>
            <Button kind="primary" onClick={actions.makeKey}>
              Generate a key
            </Button>
          </div>
        </>
      ) : (
        <div className="row">
          <Hex value={key.pair.accountText} what="account" whole />
          <Button kind="quiet" disabled={busy !== null} onClick={actions.makeKey}>
            Start over
          </Button>
        </div>
      )}
    </Leg>
  );
}

function FaucetLeg({ journey: { key, funding, busy, failure }, actions }: LegOf) {
  const state = funding !== null ? 'done' : key === null ? 'later' : 'now';
  return (
    <Leg number={2} title="Request test funds" state={state} tookMs={funding?.tookMs ?? null}>
      {funding === null ? (
        <div>
          <Button kind="primary" disabled={key === null || busy !== null} onClick={actions.askFaucet}>
            {busy === 'faucet' ? 'Waiting for finality …' : 'Request test funds'}
          </Button>
        </div>
      ) : (
        <Funded funding={funding} />
      )}
      <FailureLine failure={failure} at="faucet" />
    </Leg>
  );
}

function Funded({ funding: { id, account } }: { readonly funding: Funding }) {
  const { verification } = useProof(`funded ${id}`, { kind: 'account', account: account.account, shown: account });
  return (
    <>
      <Facts
        facts={[
          ['Balance', <b key="balance">{amount(account.balance)}</b>],
          ['Paid by', <Hex key="id" value={id} href={href('explorer', 'transaction', id)} what="transaction id" />],
        ]}
      />
      <VerdictLine what="Balance" verification={verification} />
    </>
  );
}

function TransferLeg({ journey: { key, recipient, funding, transfer, busy, failure }, actions }: LegOf) {
  const final = transfer?.reached.find(({ stage }) => stage === 'final');
  const state = final !== undefined ? 'done' : funding === null ? 'later' : 'now';
  return (
    <Leg number={3} title="Send a transfer" state={state} tookMs={final?.atMs ?? null}>
      {key === null || recipient === null || funding === null ? (
        <p className="small soft">Signed in this page; the node sees the signed bytes alone.</p>
      ) : (
        <OrderForm
          key={recipient.pair.accountText}
          recipient={recipient.pair.accountText}
          busy={busy !== null}
          again={transfer !== null}
          onSend={actions.send}
        />
      )}
      {transfer === null ? null : (
        <>
          <Track reached={transfer.reached} />
          <div className="row small">
            <span className="soft">Transaction</span>
            <Hex value={transfer.id} href={href('explorer', 'transaction', transfer.id)} what="transaction id" />
          </div>
        </>
      )}
      <FailureLine failure={failure} at="transfer" />
    </Leg>
  );
}

function ProofLeg({ journey: { transfer } }: { readonly journey: Journey }) {
  const verification = transfer?.verification ?? null;
  const proof = transfer?.proof ?? null;
  return (
    <Leg
      number={4}
      title="Verify the proof"
      state={verification !== null ? 'done' : proof !== null ? 'now' : 'later'}
      tookMs={verification?.tookMs ?? null}
    >
      <div className="stack" aria-live="polite">
        {verification === null ? (
          <p className="small soft">
            The receipt, its path to the certified state, and the signature of a quorum: checked here, without asking
            the node.
          </p>
        ) : (
          <>
            <VerificationResult verification={verification} />
            <TotalLine transfer={transfer} />
            <TrustNote genesisHash={verification.genesisHash} />
          </>
        )}
      </div>
    </Leg>
  );
}

function TotalLine({ transfer }: { readonly transfer: Journey['transfer'] }) {
  const last = transfer?.reached.at(-1);
  if (transfer === null || last === undefined) return null;
  return (
    <p className="small">
      <b>{amount(String(transfer.amount))}</b> sent, final and proven in <b>{duration(last.atMs)}</b>, as this browser
      saw it.
    </p>
  );
}

function FailureLine({ failure, at }: { readonly failure: Journey['failure']; readonly at: 'faucet' | 'transfer' }) {
  if (failure === null || failure.at !== at) return null;
  return (
    <p className="small" role="alert">
      {failure.reason}
    </p>
  );
}
