/**
 * The next advanceIssuer that this chain lacks: the first change of an issuer's committee after the one that the state knows.
 *
 *   state: committee hash, or a trusted root key --served: members, handover--> checked as execution checks --> action
 */
import {
  EPOCH_KEY,
  type FetchedEntries,
  issuerStateKey,
  readEpoch,
  readHead,
  readIssuer,
  recordHeadKey,
} from '@slipstream/execution';
import type { Verifier } from '@slipstream/ports';
import { bytesEqual } from '@slipstream/primitives';
import {
  ACTION_BODY_BYTES_MAX,
  type AdvanceIssuer,
  actionToWire,
  certifiedMembersHash,
  type GenesisHash,
  type Handover,
  hexOf,
  issuerSignaturesOf,
} from '@slipstream/types';
import { NodeError } from '../errors.ts';
import type { IssuerSource } from './issuer-source.ts';

interface KnownIssuer {
  readonly rootKey: Uint8Array;
  /** Of the committee; undefined: the chain knows its root key at most. */
  readonly committee: { readonly epoch: number; readonly hash: Uint8Array } | undefined;
}

/** Under each root key that the chain trusts. */
export function knownIssuers(entries: FetchedEntries, issuer: GenesisHash): readonly KnownIssuer[] {
  entries.want([EPOCH_KEY]);
  const { number } = readEpoch(entries);
  entries.want([recordHeadKey(number)]);
  const { trustedIssuers } = readHead(entries, number).parameters;
  const keys = trustedIssuers.map((rootKey) => issuerStateKey(rootKey, issuer));
  entries.want(keys);
  return trustedIssuers.map((rootKey, at) => ({ rootKey, committee: readIssuer(entries, keys[at] as never) }));
}

/** Of one attempt. A page has up to 100 epochs; changes of parameters alone are passed over. */
const PAGES_MAX = 16;

/** Where the search for the next change of an issuer's committee goes on. */
export interface AdvanceSearch {
  /** The chain that the node served. */
  issuer: string;
  /** Of the committee that the chain knows. */
  epoch: number;
  /** No earlier epoch changes it. */
  from: number;
}

/**
 * Undefined: the state has it all. Throws NodeError `issuer-unproven` for what the chain would refuse, and what the source throws.
 */
export async function nextAdvance(
  source: IssuerSource,
  issuer: GenesisHash,
  known: readonly KnownIssuer[],
  search: AdvanceSearch,
  { verifier, nowMs }: { readonly verifier: Pick<Verifier, 'checkBatch'>; readonly nowMs: number },
  signal: AbortSignal,
): Promise<AdvanceIssuer | undefined> {
  const followed = known.find(({ committee }) => committee !== undefined);
  const found = await firstChange(
    source,
    { issuer: hexOf(issuer), epoch: followed?.committee?.epoch ?? 0 },
    search,
    signal,
  );
  if (found === undefined) return undefined;
  const { handover, root } = found;
  const members = await source.members(handover.certificate.subject.epoch, signal);
  const refuse = (why: string) => new NodeError('issuer-unproven', why, { url: source.url });
  if (followed?.committee !== undefined && !bytesEqual(followed.committee.hash, certifiedMembersHash(members)))
    throw refuse('its handover is not by the committee that this chain knows');
  const rootKey = followed?.rootKey ?? root?.rootKey;
  if (rootKey === undefined) throw refuse('it serves no certificate of its root key (sessions.committeeCertificate)');
  if (!known.some((each) => bytesEqual(each.rootKey, rootKey))) throw refuse('this chain does not trust its root key');
  const isFirst = followed === undefined;
  if (isFirst && root !== undefined && root.expiryMs <= nowMs) throw refuse('the certificate of its root key expired');
  const action: AdvanceIssuer = {
    kind: 'advanceIssuer',
    issuer,
    rootKey,
    members,
    handover,
    root: isFirst && root ? { expiryMs: root.expiryMs, signature: root.signature } : undefined,
  };
  if (!(await holds(action, verifier))) throw refuse('its handover does not hold');
  return action;
}

async function firstChange(
  source: IssuerSource,
  { issuer, epoch }: Pick<AdvanceSearch, 'issuer' | 'epoch'>,
  search: AdvanceSearch,
  signal: AbortSignal,
) {
  if (search.issuer !== issuer || search.epoch !== epoch) Object.assign(search, { issuer, epoch, from: epoch });
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const { items, next, root } = await source.handovers(search.from, signal);
    const handover = items.find(({ members }: Handover) => members !== undefined);
    if (handover !== undefined && handover.certificate.subject.epoch >= epoch) return { handover, root };
    if (next === null || next <= search.from) return undefined;
    search.from = next;
  }
  return undefined;
}

async function holds(action: AdvanceIssuer, verifier: Pick<Verifier, 'checkBatch'>): Promise<boolean> {
  const signatures = issuerSignaturesOf(action);
  if (typeof signatures === 'string' || actionToWire(action).body.length > ACTION_BODY_BYTES_MAX) return false;
  const statements = signatures.map(({ publicKeys, message, signature }) => ({
    ...({ kind: 'aggregate', publicKeys, message } as const),
    aggregate: signature,
  }));
  return !(await verifier.checkBatch(statements, 'client')).includes(false);
}
