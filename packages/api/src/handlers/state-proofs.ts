/** Proofs of state: of keys, and beside the answers of reads. */
import { fromHex, toHex } from '@slipstream/primitives';
import { stateProofToJson } from '@slipstream/schema';
import type { StateProof } from '@slipstream/state-tree/proofs';
import { type Answer, type ApiRequest, type Handler, json, refuse } from '../answer.ts';
import type { NodeBackend, Proven } from '../backend.ts';
import { handoversBetween } from './handovers.ts';

type ProofBackend = Pick<NodeBackend, 'proven' | 'handovers'>;

interface StateProofRequest {
  readonly keys: readonly string[];
  readonly epochsFrom?: number;
}

export function createStateProofHandlers(backend: ProofBackend): { readonly stateProofs: Handler } {
  return {
    async stateProofs({ body }) {
      const { keys: texts, epochsFrom } = body as StateProofRequest;
      const keys = texts.map((text) => fromHex(text.toLowerCase()));
      if (new Set(keys.map(toHex)).size < keys.length)
        return refuse('malformed-body', { faults: [{ path: '/keys', message: 'has a key twice' }] });
      const proven = await backend.proven.keys(keys);
      if (proven.type !== 'proven') return refusalOf(proven);
      return json(await proofJson(backend, proven.proof, epochsFrom));
    },
  };
}

export const wantsProof = ({ query }: Pick<ApiRequest, 'query'>): boolean => query.proof === 'true';

/** The answer of a read with its proof. `view` makes it of what the proof shows. */
export async function withProof<T>(
  backend: ProofBackend,
  { query }: Pick<ApiRequest, 'query'>,
  proven: Proven<T>,
  view: (value: T) => Answer,
): Promise<Answer> {
  if (proven.type !== 'proven') return refusalOf(proven);
  const answer = view(proven.value);
  if (answer.type !== 'json') return answer;
  const from = query.epochsFrom === undefined ? undefined : Number(query.epochsFrom);
  return json({ ...(answer.json as object), proof: await proofJson(backend, proven.proof, from) });
}

async function proofJson(backend: ProofBackend, proof: StateProof, epochsFrom: number | undefined) {
  const written = stateProofToJson(proof);
  if (epochsFrom === undefined) return written;
  return { ...written, epochs: await handoversBetween(backend, epochsFrom, proof.certificate.subject.epoch) };
}

const STOPPED = 'This node executes no more blocks, and proves nothing: ask another node.';
const TOO_LARGE = 'The values have more than 256 KiB together: ask for fewer keys.';

function refusalOf(proven: Exclude<Proven<never>, { readonly type: 'proven' }>): Answer {
  switch (proven.type) {
    case 'not-ready':
      return refuse('proof-not-ready');
    case 'too-large':
      return refuse('too-large', { detail: TOO_LARGE });
    case 'stopped':
      return refuse('not-ready', { detail: STOPPED });
    case 'shared-prefix': {
      const detail = `The hash of the key 0x${toHex(proven.key)} begins as that of another key: its absence cannot be proven.`;
      return refuse('conflict', { detail });
    }
    default:
      return proven satisfies never;
  }
}
