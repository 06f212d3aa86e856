/** Verifies what the page shows with the committees of the light client. */
import { type Client, ClientError, verifyProof, verifyRowProof } from '@slipstream/client';
import { askBlockProof, type BlockProof, type LightClient, verifyBlocks } from '@slipstream/client/light';
import type { BlockView } from '@slipstream/schema';
import { type Checked, type Prepared, prepared, unchanged } from './check.ts';
import { flipBit } from './flip-bit.ts';
import { prepareAccount, prepareState } from './state-answer.ts';
import type { Certified, Question, Verification, VerifyRequest } from './verify-message.ts';

interface Verifier {
  /** Of the node's genesis file; rejects with ClientError without it. */
  readonly light: () => Promise<Pick<LightClient, 'judge' | 'head'>>;
  readonly client: Client;
}

export async function answerTo(
  { question, flip }: Pick<VerifyRequest, 'question' | 'flip'>,
  { light, client }: Verifier,
): Promise<Verification> {
  try {
    const [{ check, flipped }, { judge, head }] = await Promise.all([prepare(question, flip, client), light()]);
    const startMs = performance.now();
    const judged = await judge(check);
    const tookMs = performance.now() - startMs;
    const result = { flipped, tookMs, atMs: Date.now() };
    if (judged.ok) {
      const { state, ...value } = judged.value;
      const old = oldness(state?.height, head()?.height);
      return {
        ...result,
        ...value,
        outcome: old === null ? 'verified' : 'old',
        reason: old,
        entry: state?.entry ?? null,
      };
    }
    const { message, unknownEpoch, refusal } = judged.error;
    // The epoch itself may be what was changed.
    const outcome = unknownEpoch === undefined || flip ? 'refused' : 'not-checked';
    return { ...UNVERIFIED, ...result, outcome, reason: message, steps: refusal?.steps ?? [] };
  } catch (error) {
    return unanswered(error);
  }
}

const UNVERIFIED = {
  steps: [],
  certified: null,
  genesisHash: null,
  entry: null,
  flipped: null,
  tookMs: 0,
} as const;

/** Heights below the newest proven one. */
const OLD_HEIGHTS = 64;

/** A proof says when, not that nothing came after. */
function oldness(height: number | undefined, newest: number | undefined): string | null {
  if (height === undefined || newest === undefined || newest - height <= OLD_HEIGHTS) return null;
  return `true of height ${height}, while height ${newest} is proven: ask the node again`;
}

/** The node gave nothing that could be judged. */
function unanswered(error: unknown): Verification {
  const reason = error instanceof Error ? error.message : String(error);
  const outcome = error instanceof ClientError ? outcomeOf(error) : 'not-checked';
  return { ...UNVERIFIED, outcome, reason, atMs: Date.now() };
}

function outcomeOf({ code }: ClientError): Verification['outcome'] {
  if (code === 'malformed-answer') return 'refused';
  return NOT_YET.has(code) ? 'not-yet' : 'not-checked';
}

const NOT_YET: ReadonlySet<string> = new Set(['not-ready', 'proof-not-ready', 'certificate-unknown']);

async function prepare(question: Question, flip: boolean, client: Client): Promise<Prepared> {
  switch (question.kind) {
    case 'transaction': {
      const { id, shown } = question;
      const proof = shown.proof ?? (await client.proof(id));
      return prepared<unknown>(flip ? flipBit(proof.ssz) : unchanged({ ...shown, proof }), (given, committees) => {
        const verified = verifyProof(given, committees, id);
        return verified.ok ? passed(verified.value) : verified;
      });
    }
    case 'row': {
      const { id, shown } = question;
      const proof = await client.rowProof(id);
      return prepared<unknown>(flip ? flipBit(proof.ssz) : unchanged({ ...shown, proof }), (given, committees) => {
        const verified = verifyRowProof(given, committees, id);
        return verified.ok ? passed(verified.value) : verified;
      });
    }
    case 'blocks': {
      const proof = await blockProofOf(question.shown, client);
      return prepared(flip ? flipBit(proof) : unchanged(proof), (given, committees) => {
        const verified = verifyBlocks(given, committees);
        if (!verified.ok) return verified;
        const { steps, genesisHash, certified } = verified.value;
        return {
          ok: true,
          value: { steps, genesisHash, certified: { height: certified.height, epoch: certified.epoch } },
        };
      });
    }
    case 'account':
      return prepareAccount(question, flip);
    case 'state':
      return prepareState(question, flip, client);
    default:
      return question satisfies never;
  }
}

interface CertifiedProof {
  readonly steps: Verification['steps'];
  readonly genesisHash: string;
  readonly proof: { readonly certificate: { readonly subject: Certified } };
}

function passed({ steps, genesisHash, proof }: CertifiedProof): Checked {
  const { height, epoch } = proof.certificate.subject;
  return { ok: true, value: { steps, genesisHash, certified: { height, epoch } } };
}

/** The blocks as they are shown, up to one with a state certificate. */
async function blockProofOf(shown: readonly BlockView[], client: Client): Promise<BlockProof> {
  const newest = shown.at(-1) as BlockView;
  const { blocks, stateDigest, certificates } = await askBlockProof(client, newest.block.height);
  const above = blocks.slice(1);
  return {
    blocks: [...shown.map(({ block }) => block), ...above],
    stateDigest: above.length === 0 ? newest.stateDigest : stateDigest,
    certificates,
  };
}
