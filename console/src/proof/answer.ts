/** Verifies what the page shows with the committees of the light client. */
import { type Client, ClientError, verifyProof, verifyRowProof } from '@slipstream/client';
import { askBlockProof, type BlockProof, type LightClient, verifyBlocks } from '@slipstream/client/light';
import type { BlockView } from '@slipstream/schema';
import { type Flipped, flipBit } from './flip-bit.ts';
import type { Certified, Question, Verification, VerifyRequest } from './verify-message.ts';

interface Verifier {
  /** Of the node's genesis file; rejects with ClientError without it. */
  readonly light: () => Promise<Pick<LightClient, 'judge'>>;
  readonly client: Client;
}

type Steps = Verification['steps'];
type Committees = LightClient['committees'];
interface Judged {
  readonly steps: Steps;
  readonly certified: Certified;
  readonly genesisHash: string;
}
type Check = (
  committees: Committees,
) =>
  | { readonly ok: true; readonly value: Judged }
  | { readonly ok: false; readonly error: { readonly message: string; readonly steps: Steps } };

/** What is checked, and the bit of it that was changed. */
interface Prepared {
  readonly check: Check;
  readonly flipped: number | null;
}

export async function answerTo(
  { question, flip }: Pick<VerifyRequest, 'question' | 'flip'>,
  { light, client }: Verifier,
): Promise<Verification> {
  try {
    const [{ check, flipped }, { judge }] = await Promise.all([prepare(question, flip, client), light()]);
    const startMs = performance.now();
    const judged = await judge(check);
    const tookMs = performance.now() - startMs;
    const result = { flipped, tookMs, atMs: Date.now() };
    if (judged.ok) return { ...result, ...judged.value, outcome: 'verified', reason: null };
    const { message, unknownEpoch, refusal } = judged.error;
    // The epoch itself may be what was changed.
    const outcome = unknownEpoch === undefined || flip ? 'refused' : 'not-checked';
    return { ...UNVERIFIED, ...result, outcome, reason: message, steps: refusal?.steps ?? [] };
  } catch (error) {
    return unanswered(error);
  }
}

const UNVERIFIED = { steps: [], certified: null, genesisHash: null, flipped: null, tookMs: 0 } as const;

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
    default:
      return question satisfies never;
  }
}

function unchanged<T>(value: T): Flipped<T> {
  return { value, bit: null };
}

function prepared<T>({ value, bit }: Flipped<T>, check: (given: T, committees: Committees) => ReturnType<Check>) {
  return { flipped: bit, check: (committees: Committees) => check(value, committees) };
}

interface CertifiedProof {
  readonly steps: Steps;
  readonly genesisHash: string;
  readonly proof: { readonly certificate: { readonly subject: Certified } };
}

function passed({ steps, genesisHash, proof }: CertifiedProof): ReturnType<Check> {
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
