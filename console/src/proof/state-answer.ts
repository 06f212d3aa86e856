/** Verifies what the page shows of the present state. */
import { type Client, ClientError, sessionJson, stateKeys, verifyStateProof } from '@slipstream/client';
import type { AccountView } from '@slipstream/schema';
import { type Checked, type Committees, type Prepared, prepared, unchanged } from './check.ts';
import { flipBit } from './flip-bit.ts';
import type { ProvenEntry, Question, StateName } from './verify-message.ts';

type Of<K extends Question['kind']> = Extract<Question, { readonly kind: K }>;
type VerifiedState = Extract<ReturnType<typeof verifyStateProof>, { readonly ok: true }>['value'];

export function prepareAccount({ account, shown }: Of<'account'>, flip: boolean): Prepared {
  const { proof } = shown;
  if (proof === undefined) throw new ClientError('proof-not-ready', 'no certified state has it so far');
  const key = stateKeys.account(account);
  return prepared<unknown>(flip ? flipBit(proof.ssz) : unchanged(shown), (given, committees) => {
    const verified = verifyStateProof(given, committees, [key]);
    if (verified.ok) return passed(verified.value);
    if (flip || verified.error.step !== 'claims') return verified;
    const message = contradiction(shown, proof.ssz, key, committees) ?? verified.error.message;
    return { ok: false, error: { message, steps: verified.error.steps } };
  });
}

/** The node says another balance than its own proof. */
function contradiction({ balance }: AccountView, proof: string, key: Uint8Array, committees: Committees) {
  const alone = verifyStateProof(proof, committees, [key]);
  const entry = alone.ok ? alone.value.entries[0] : undefined;
  if (entry?.kind !== 'account' || entry.balance.toString() === balance) return undefined;
  return `this node says a balance of ${balance}, its proof says ${entry.balance}`;
}

export async function prepareState({ of }: Of<'state'>, flip: boolean, client: Client): Promise<Prepared> {
  const key = keyOf(of);
  const proof = await client.call('stateProofs', { body: { keys: [hexOf(key)] } });
  return prepared<unknown>(flip ? flipBit(proof.ssz) : unchanged(proof), (given, committees) => {
    const verified = verifyStateProof(given, committees, [key]);
    return verified.ok ? passed(verified.value) : verified;
  });
}

function passed({ steps, genesisHash, proof, height, entries }: VerifiedState): Checked {
  const { height: certifiedAt, epoch } = proof.certificate.subject;
  const state = { height, entry: entryOf(entries[0], height) };
  return { ok: true, value: { steps, genesisHash, certified: { height: certifiedAt, epoch }, state } };
}

function keyOf(of: StateName): Uint8Array {
  switch (of.type) {
    case 'data':
      return stateKeys.data(of.account, of.name);
    case 'session':
      return stateKeys.session(of.id);
    case 'applications':
      return stateKeys.applications();
    case 'entry':
      return stateKeys.entry(of.application, of.table, of.key);
    default:
      return of satisfies never;
  }
}

function entryOf(entry: VerifiedState['entries'][number] | undefined, height: number): ProvenEntry | null {
  if (entry?.kind === 'other') return { kind: 'entry', value: entry.value ?? null, height };
  if (entry?.kind === 'data') return { kind: 'data', value: entry.value === undefined ? null : hexOf(entry.value) };
  if (entry?.kind !== 'session') return null;
  const { id, record } = entry;
  if (record === undefined) return { kind: 'session', session: null };
  return { kind: 'session', session: { ...sessionJson(id, record), revoked: record.revoked } };
}

function hexOf(bytes: Uint8Array): string {
  return `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
