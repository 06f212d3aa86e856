/**
 * The candidate file: with it a governor proposes a node as a validator of a running chain. It is public. The keys consent to this chain and
 * this operator by a signature; the weight is the governor's choice.
 */
import { verifyCompressed } from '@slipstream/crypto/native';
import { bytesEqual, fromHex, to0x } from '@slipstream/primitives';
import {
  type AddValidator,
  type ChangeJson,
  changeFromJson,
  changeToJson,
  consentMessage,
  type GenesisHash,
} from '@slipstream/types';
import { NodeError } from '../errors.ts';

export type Candidate = Omit<AddValidator, 'kind' | 'weight'>;

const HASH = /^0x[0-9a-f]{64}$/;

export function candidateText(genesisHash: GenesisHash, candidate: Candidate): string {
  const {
    kind: _,
    weight: __,
    ...json
  } = changeToJson({ kind: 'addValidator', weight: 1, ...candidate }) as Extract<
    ChangeJson,
    { readonly kind: 'addValidator' }
  >;
  return `${JSON.stringify({ genesisHash: to0x(genesisHash), ...json }, null, 2)}\n`;
}

/** Throws NodeError `usage` when it is no candidate, of another chain, or the keys did not consent. */
export function parseCandidate(text: string, path: string, genesisHash: GenesisHash): Candidate {
  const json = objectIn(text, path);
  const hash = json.genesisHash;
  if (typeof hash !== 'string' || !HASH.test(hash)) throw noCandidate(path, 'genesisHash must be 0x and 64 digits');
  if (!bytesEqual(fromHex(hash), genesisHash)) {
    const message = `${path} is for another chain: its genesis hash is ${hash}, this chain's is ${to0x(genesisHash)}`;
    throw new NodeError('usage', message, { path });
  }
  const { kind: _, weight: __, ...candidate } = additionOf(json, path);
  const message = consentMessage(genesisHash, candidate, candidate.operator);
  if (verifyCompressed(candidate.blsPublicKey, message, candidate.consent)) return candidate;
  const fault = 'consent is not signed by its BLS key for these keys, this operator and this chain';
  throw noCandidate(path, fault);
}

function additionOf(json: Readonly<Record<string, unknown>>, path: string): AddValidator {
  const fields = ['name', 'blsPublicKey', 'peerKey', 'address', 'operator', 'feeAccount', 'consent'];
  const missing = fields.filter((field) => typeof json[field] !== 'string');
  if (missing.length > 0) throw noCandidate(path, `${missing.join(', ')}: must be a text`);
  try {
    return changeFromJson({ ...json, kind: 'addValidator', weight: 1 } as unknown as ChangeJson) as AddValidator;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw noCandidate(path, error.message);
  }
}

function objectIn(text: string, path: string): Readonly<Record<string, unknown>> {
  try {
    const json: unknown = JSON.parse(text);
    if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json as Record<string, unknown>;
  } catch {
    // Told below, as any other text.
  }
  throw noCandidate(path, 'it must be a JSON object');
}

function noCandidate(path: string, fault: string): NodeError {
  const message = `${path} is no candidate: ${fault}. Its operator makes it with: slipstream validator candidate`;
  return new NodeError('usage', message, { path });
}
