/**
 * Signatures of validators' and root keys inside actions: facts of the bytes, checked as chunks arrive, like a session's credential.
 *
 *   consent    H(domain || genesisHash || BLS key || network key || operator)                  the new key: possession, this chain, this owner
 *   ready      H(domain || genesisHash || epoch || version || BLS key || network key || artifacts)          the key of a node that is synced and connected
 *   evidence   two messages of one key that contradict each other (contradiction.ts)
 *   handover   a state certificate of an issuer's committee; for the first its root key's signature on that committee
 *   register   H(domain || genesisHash || account || BLS key)                                  possession, this chain, this account
 *
 * All are 96 bytes, compressed.
 */
import { domainPrefix, fromHex, hashInDomain, type PeerKey, uint32le } from '@slipstream/primitives';
import { type AccountKey, accountKeyBytes } from '../account.ts';
import type { Action, ActionKind, AdvanceIssuer, Ready } from '../actions/index.ts';
import { certifiedCommittee } from '../committee.ts';
import { compressKey } from '../directory/g1-key.ts';
import { registrationMessage } from '../directory/registration.ts';
import type { GenesisHash } from '../ids.ts';
import type { SkipReason } from '../receipt.ts';
import { committeeMessage } from '../session/committee-certificate.ts';
import type { TransactionBody } from '../transaction.ts';
import { contradictionOf } from './contradiction.ts';
import { checkHandoverStructure } from './handover.ts';

export const KEY_SIGNATURE_FAULTS = [
  'bad-possession',
  'bad-readiness',
  'bad-evidence',
  'no-contradiction',
  'bad-handover',
] as const satisfies readonly SkipReason[];
export type KeySignatureFault = (typeof KEY_SIGNATURE_FAULTS)[number];

export interface KeySignature {
  /** 48 bytes each, unproven. Several: the signature is of their sum. */
  readonly publicKeys: readonly Uint8Array[];
  /** 32 bytes. */
  readonly message: Uint8Array;
  /** 96 bytes. */
  readonly signature: Uint8Array;
  /** When it is false. */
  readonly fault: KeySignatureFault;
}

const CONSENT_DOMAIN = domainPrefix('slipstream/key-consent');
const READY_DOMAIN = domainPrefix('slipstream/ready');

interface BoundKeys {
  readonly blsPublicKey: Uint8Array;
  readonly peerKey: PeerKey;
}

/** 32 bytes. Holds the key, so that it proves possession too. */
export function consentMessage(
  genesisHash: GenesisHash,
  { blsPublicKey, peerKey }: BoundKeys,
  operator: AccountKey,
): Uint8Array {
  return hashInDomain(CONSENT_DOMAIN, genesisHash, blsPublicKey, fromHex(peerKey), accountKeyBytes(operator));
}

/** 32 bytes. `version`: the newest that the node's program knows. */
export function readyMessage(
  genesisHash: GenesisHash,
  { blsPublicKey, peerKey, epoch, version, artifacts }: BoundKeys & Pick<Ready, 'epoch' | 'version' | 'artifacts'>,
): Uint8Array {
  const place = [uint32le(epoch), uint32le(version)];
  return hashInDomain(READY_DOMAIN, genesisHash, ...place, blsPublicKey, fromHex(peerKey), ...artifacts);
}

const SIGNED_KINDS: ReadonlySet<ActionKind> = new Set([
  'propose',
  'ready',
  'rotateKeys',
  'reportEquivocation',
  'advanceIssuer',
  'register',
]);

/** Cheap: for every transaction that arrives. */
export function hasKeySignatures({ actions }: Pick<TransactionBody, 'actions'>): boolean {
  for (const { kind } of actions) if (SIGNED_KINDS.has(kind)) return true;
  return false;
}

/** Those that must hold, or a fault that needs no signature. */
export function keySignaturesOf(body: TransactionBody): readonly KeySignature[] | KeySignatureFault {
  const all: KeySignature[] = [];
  for (const action of body.actions) {
    const found = signaturesIn(action, body);
    if (typeof found === 'string') return found;
    all.push(...found);
  }
  return all;
}

function signaturesIn(
  action: Action,
  { genesisHash, sender }: TransactionBody,
): readonly KeySignature[] | KeySignatureFault {
  switch (action.kind) {
    case 'propose':
      return action.changes.flatMap((change) =>
        change.kind === 'addValidator' ? [consent(genesisHash, change, change.operator)] : [],
      );
    case 'rotateKeys':
      return [consent(genesisHash, action, sender)];
    case 'ready': {
      const { blsPublicKey, signature } = action;
      const message = readyMessage(genesisHash, action);
      return [{ publicKeys: [blsPublicKey], message, signature, fault: 'bad-readiness' }];
    }
    case 'reportEquivocation': {
      const { blsPublicKey, first, second } = action;
      const messages = contradictionOf(genesisHash, action);
      if (messages === undefined) return 'no-contradiction';
      const signatures = [first.signature, second.signature] as const;
      return messages.map((message, i) => ({
        publicKeys: [blsPublicKey],
        message,
        signature: signatures[i] as Uint8Array,
        fault: 'bad-evidence' as const,
      }));
    }
    case 'advanceIssuer':
      return issuerSignaturesOf(action);
    case 'register': {
      const { blsKey, proof: signature } = action;
      const key = compressKey(blsKey);
      if (key === undefined) return 'bad-possession';
      const message = registrationMessage(genesisHash, sender, blsKey);
      return [{ publicKeys: [key], message, signature, fault: 'bad-possession' }];
    }
    default:
      return [];
  }
}

/** The root's comes first: it costs one key. */
export function issuerSignaturesOf({
  issuer,
  rootKey,
  root,
  members,
  handover,
}: AdvanceIssuer): readonly KeySignature[] | KeySignatureFault {
  const committee = certifiedCommittee(handover.certificate.subject.epoch, members);
  const step = checkHandoverStructure(handover, issuer, committee);
  if (!step.ok) return 'bad-handover';
  const { publicKeys, message, aggregate: signature } = step.value.statement;
  const ofCommittee = { publicKeys, message, signature, fault: 'bad-handover' } as const;
  if (root === undefined) return [ofCommittee];
  const certified = committeeMessage(issuer, members, root.expiryMs);
  const ofRoot = {
    publicKeys: [rootKey],
    message: certified,
    signature: root.signature,
    fault: 'bad-handover',
  } as const;
  return [ofRoot, ofCommittee];
}

function consent(
  genesisHash: GenesisHash,
  keys: BoundKeys & { readonly consent: Uint8Array },
  operator: AccountKey,
): KeySignature {
  const message = consentMessage(genesisHash, keys, operator);
  return { publicKeys: [keys.blsPublicKey], message, signature: keys.consent, fault: 'bad-possession' };
}
