import './proof.css';
import type { Verification } from './verify-message.ts';

export const STEP_WORDS: Readonly<Record<Verification['steps'][number]['name'], string>> = {
  genesis: 'The genesis file is read: it names the first committee',
  form: 'The proof is canonical',
  epochs: 'Handovers lead from the genesis file to the committee of its epoch',
  receipt: 'The receipt is a leaf of the receipts tree of its block',
  batch: 'The batch is of its block, and has this row',
  row: 'The row is at its place under the header that the senders signed',
  outcome: 'The outcome is the one of this row',
  digests: 'The state digests follow from one another, up to the certified one',
  certificate: 'The certificate is for exactly this digest, block and height',
  quorum: 'Its signers weigh more than two thirds of the committee',
  claims: 'What the node says beside the proof is what the proof shows',
  keys: 'The proof is of what was asked for',
  height: 'Its state is not too old',
  value: 'It shows a value where there is one, and none where there is none',
  path: 'The path leads from the value, or its empty place, to the state root',
  certified: 'A quorum of the committee signed the certificates of it, or of a descendant',
  links: 'Each block hashes to its id, and names the one before as its parent',
  digest: 'The state digest that the node says is the certified one',
  signature: 'They signed it: one aggregate BLS signature verifies',
};

const OUTCOMES = { passed: 'passed', failed: 'failed', 'not-reached': 'not reached' } as const;

export function ProofSteps({ steps }: Pick<Verification, 'steps'>) {
  return (
    <ol className="steps">
      {steps.map(({ name, outcome, detail }) => (
        <li key={name} className="step" data-outcome={outcome}>
          <svg
            className="step-mark"
            width="16"
            height="16"
            viewBox="0 0 16 16"
            fill="none"
            stroke="currentColor"
            strokeWidth="2"
            aria-hidden="true"
          >
            {outcome === 'passed' ? <path d="m3 8.5 3.5 3.5L13 4.5" /> : null}
            {outcome === 'failed' ? <path d="m4 4 8 8M12 4l-8 8" /> : null}
            {outcome === 'not-reached' ? <path d="M4 8h8" /> : null}
          </svg>
          <span className="step-name">
            {STEP_WORDS[name]}
            <span className="hidden-label">: {OUTCOMES[outcome]}</span>
          </span>
          <span className="step-detail">{detail}</span>
        </li>
      ))}
    </ol>
  );
}
