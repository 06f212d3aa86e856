/**
 * Cases of governance, validators and the directory, for the `calibration` bench: each on a new chain, since its validators leave once and
 * its governors propose once.
 *
 * Units are bounds by a transaction's bytes alone. So entries are measured at their longest too, and approvals with the largest proposal.
 */
import { ed25519Sign } from '@slipstream/crypto/native';
import { DIRECTORY_KEY } from '@slipstream/execution';
import { uint32le } from '@slipstream/primitives';
import {
  type Action,
  asId,
  type Change,
  certifiedMembers,
  certifiedMembersHash,
  committeeMessage,
  committeeOfRecord,
  consentMessage,
  type DecodedTransaction,
  type EpochRecord,
  frontierRoot,
  GENESIS_EPOCH,
  type Handover,
  ID_BYTES,
  type ProposalId,
  readyMessage,
  type SignedStatement,
  type Subject,
  subjectCodec,
  subjectMessage,
  transactionIdOf,
  view,
} from '@slipstream/types';
import { blsKeyPairFrom, register } from '../../../packages/client/src/register.ts';
import { type EpochChain, epochChain } from '../../../packages/crypto/test/epoch-chain.ts';
import { encodeHead } from '../../../packages/execution/src/directory/head.ts';
import { writeProposal } from '../../../packages/execution/src/epochs/proposals.ts';
import { enqueue } from '../../../packages/execution/src/epochs/queue.ts';
import type { Entries } from '../../../packages/execution/src/overlay.ts';
import { advance, issuerStateKey } from '../../../packages/execution/src/sessions/issuers.ts';
import {
  bodyOf,
  encoded,
  HOUR_MS,
  NOW_MS,
  type Person,
  person,
} from '../../../packages/execution/test/session-world.ts';
import { fresh32, PEOPLE } from './cases.ts';
import { type GovernanceChain, issuerRoot, keyPairOf, longNames, VALIDATORS } from './governance-chain.ts';

interface GovernanceCase {
  readonly name: string;
  readonly count?: number;
  /** In the state before. */
  readonly arrange?: (entries: Entries) => void;
  readonly signed: (i: number) => { readonly sender: Person; readonly action: Action };
}

const MAX_FEE = 10n ** 9n;
const CHANGES_MAX = 8;
/** With those of a case: as many as a committee has members. */
const APPROVALS = 1000;
const ISSUER_MEMBERS = [4, 64] as const;
const ISSUERS = 4;
const REPLACED = 16;
const DIRECTORY_LEVELS = 24;

/** `issuersEach`: of each size; their keys take seconds. */
export async function governanceCases(
  governed: GovernanceChain,
  issuersEach = ISSUERS,
): Promise<readonly GovernanceCase[]> {
  const issuers = await Promise.all(
    ISSUER_MEMBERS.map((members) =>
      Promise.all(
        Array.from({ length: issuersEach }, (_, i) => issuerOf(`calibration issuer ${members} ${i}`, members)),
      ),
    ),
  );
  return [
    ...proposalCases(governed),
    ...[false, true].flatMap((isLong) => validatorCases(governed, isLong)),
    ...ISSUER_MEMBERS.map((members, at) => ({
      name: `advanceIssuer of ${members}`,
      count: issuersEach,
      arrange: (entries: Entries) => {
        if (members === ISSUER_MEMBERS[0]) return;
        for (const issuer of issuers[at] as EpochChain[]) writeReplaced(entries, issuer);
      },
      signed: (i: number) => ({
        sender: senderOf(i),
        action: advanceOf((issuers[at] as EpochChain[])[i] as EpochChain),
      }),
    })),
    { name: 'register alone', count: 1, signed: (i) => registration(governed, i) },
    {
      name: 'register alone in a full directory',
      count: 1,
      arrange: writeFullDirectory,
      signed: (i) => registration(governed, i),
    },
  ];
}

export function governanceTransaction({ chain }: GovernanceChain, one: GovernanceCase, i: number): DecodedTransaction {
  const { sender, action } = one.signed(i);
  const body = bodyOf(chain, { sender: sender.account, actions: [action], maxFee: MAX_FEE });
  return encoded({ body, auth: { scheme: 'ed25519', signature: ed25519Sign(transactionIdOf(body), sender.secret) } });
}

/** Neither validators nor governors. */
const senderOf = (i: number) => PEOPLE[100 + i] as Person;

function proposalCases(governed: GovernanceChain): readonly GovernanceCase[] {
  const { administratorOf, idOf } = governed;
  const propose = (changes: (i: number) => readonly Change[]) => (i: number) => ({
    sender: administratorOf(i),
    action: { kind: 'propose', changes: changes(i), notBeforeMs: 0 } as const,
  });
  const setWeight = (i: number): Change => ({ kind: 'setWeight', validatorId: idOf(i, false), weight: 2 });
  const names = (count: number) => Array.from({ length: count }, (_, i) => i);
  const arrange = (entries: Entries) => {
    for (let i = 0; i < VALIDATORS; i++) writeLargest(entries, i, administratorOf(VALIDATORS + i));
  };
  return [
    { name: 'propose a validator', signed: propose((i) => [additionOf(governed, `${i}`, {})]) },
    {
      name: `propose ${CHANGES_MAX} validators`,
      count: CHANGES_MAX,
      signed: propose((i) => names(CHANGES_MAX).map((n) => additionOf(governed, `${i} ${n}`, longNames(n)))),
    },
    { name: 'propose a weight', signed: propose((i) => [setWeight(i)]) },
    { name: `propose ${CHANGES_MAX} weights`, signed: propose((i) => names(CHANGES_MAX).map((n) => setWeight(i + n))) },
    { name: 'propose a governance', signed: propose(() => [LARGEST]) },
    { name: `propose ${CHANGES_MAX} governances`, signed: propose(() => names(CHANGES_MAX).map(() => LARGEST)) },
    {
      name: 'approve of the largest',
      arrange,
      signed: (i) => ({ sender: administratorOf(i), action: { kind: 'approve', proposalId: largestId(i) } }),
    },
    {
      name: 'revoke of the largest',
      arrange,
      signed: (i) => ({
        sender: administratorOf(VALIDATORS + i),
        action: { kind: 'revoke', proposalId: largestId(i) },
      }),
    },
  ];
}

/** The longest change. */
const LARGEST: Change = {
  kind: 'setGovernance',
  governance: { administrators: PEOPLE.slice(0, 64).map(({ account }) => account), approvals: 2 },
};

const largestId = (i: number) => asId<ProposalId>(fresh32(i));

function writeLargest(entries: Entries, i: number, { account: proposer }: Person): void {
  const approvals = Array.from({ length: APPROVALS }, (_, n) => ({ ...proposer, bytes: fresh32(i, n) }));
  writeProposal(entries, largestId(i), {
    proposer,
    notBeforeMs: 0,
    expiresMs: NOW_MS + HOUR_MS,
    approvals: [...approvals, proposer],
    changes: Array.from({ length: CHANGES_MAX }, () => LARGEST),
  });
  enqueue(entries, { kind: 'proposal', id: largestId(i) });
}

function additionOf({ chain }: GovernanceChain, name: string, names: { name?: string; address?: string }): Change {
  const { bls, peerKey } = keyPairOf(`calibration candidate ${name}`);
  const keys = { blsPublicKey: bls.publicKey, peerKey };
  const { account: operator } = person(`candidate's operator ${name}`);
  return {
    kind: 'addValidator',
    name: 'candidate',
    weight: 1,
    ...keys,
    address: '127.0.0.1:9000',
    ...names,
    operator,
    feeAccount: operator,
    consent: bls.signCompressed(consentMessage(chain.genesisHash, keys, operator)),
  };
}

function validatorCases(governed: GovernanceChain, isLong: boolean): readonly GovernanceCase[] {
  const { chain, keysOf, idOf, operatorOf } = governed;
  const { genesisHash } = chain;
  const of = isLong ? ' with the longest entry' : '';
  return [
    {
      name: `ready${of}`,
      signed(i) {
        const { bls, peerKey } = keysOf(i, isLong);
        const form = { blsPublicKey: bls.publicKey, peerKey, epoch: 0, version: 2, artifacts: [] };
        const signature = bls.signCompressed(readyMessage(genesisHash, form));
        return { sender: senderOf(i), action: { kind: 'ready', ...form, signature } };
      },
    },
    {
      name: `rotateKeys${of}`,
      signed(i) {
        const sender = operatorOf(i, isLong);
        const { bls, peerKey } = keyPairOf(`calibration next ${i} ${isLong}`);
        const keys = { blsPublicKey: bls.publicKey, peerKey };
        const { address } = isLong ? longNames(i) : { address: `127.0.0.1:${9000 + i}` };
        const consent = bls.signCompressed(consentMessage(genesisHash, keys, sender.account));
        const rest = { validatorId: idOf(i, isLong), address, feeAccount: sender.account, consent };
        return { sender, action: { kind: 'rotateKeys', ...keys, ...rest } };
      },
    },
    {
      name: `leave${of}`,
      signed: (i) => ({ sender: operatorOf(i, isLong), action: { kind: 'leave', validatorId: idOf(i, isLong) } }),
    },
    {
      name: `reportEquivocation${of}`,
      signed(i) {
        const { bls } = keysOf(i, isLong);
        const [first, second] = [1, 2].map((n): SignedStatement => {
          const subject = {
            kind: 'notarize',
            epoch: GENESIS_EPOCH,
            view: view(7),
            blockId: asId(fresh32(n)),
          } as Subject;
          const signature = bls.signCompressed(subjectMessage(genesisHash, subject));
          return { statement: subjectCodec.encode(subject), signature };
        }) as [SignedStatement, SignedStatement];
        const evidence = { type: 'votes', blsPublicKey: bls.publicKey, first, second } as const;
        return { sender: senderOf(i), action: { kind: 'reportEquivocation', ...evidence } };
      },
    },
  ];
}

const issuerOf = (name: string, members: number) => epochChain(name, { members, epochs: 1, rotations: () => members });

/** The first of an issuer: its root's certificate, and its committee's. */
function advanceOf({ genesisHash, records, handovers }: EpochChain): Action {
  const members = certifiedMembers(committeeOfRecord(records[0] as EpochRecord));
  const expiryMs = NOW_MS + HOUR_MS;
  const signature = issuerRoot.signCompressed(committeeMessage(genesisHash, members, expiryMs));
  return {
    kind: 'advanceIssuer',
    issuer: genesisHash,
    rootKey: issuerRoot.publicKey,
    root: { expiryMs, signature },
    members,
    handover: handovers[0] as Handover,
  };
}

/** Its committee changed as often as its entry tells. */
function writeReplaced(entries: Entries, { genesisHash, records }: EpochChain): void {
  const key = issuerStateKey(issuerRoot.publicKey, genesisHash);
  const hash = certifiedMembersHash(certifiedMembers(committeeOfRecord(records[0] as EpochRecord)));
  for (let n = 0; n < REPLACED; n++) advance(entries, key, { from: fresh32(n), to: { epoch: 0, hash }, nowMs: NOW_MS });
}

/** Each size below a power of two has one hash for each level. */
function writeFullDirectory(entries: Entries): void {
  const hashes = Array.from({ length: DIRECTORY_LEVELS - 1 }, (_, i) => fresh32(i));
  const frontier = { size: 2 ** DIRECTORY_LEVELS - 2, hashes };
  entries.set(DIRECTORY_KEY, encodeHead({ frontier, root: frontierRoot(frontier), height: 0, registrations: 0 }));
}

function registration({ chain: { genesisHash } }: GovernanceChain, i: number) {
  const sender = senderOf(i);
  const secret = new Uint8Array(ID_BYTES).fill(1);
  secret.set(uint32le(i), ID_BYTES - 4);
  return { sender, action: register(blsKeyPairFrom(secret), { account: sender.account, genesisHash }) };
}
