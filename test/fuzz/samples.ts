/** Valid values of everything that a node decodes. Each is small and has all its parts. */
import { type PeerKey, sha256, toHex, utf8 } from '@slipstream/primitives';
import {
  type Action,
  asId,
  type Block,
  type BlockId,
  type Certificate,
  type ChunkId,
  type ChunkReference,
  type DigestPreimage,
  ed25519Account,
  GENESIS_EPOCH,
  type GenesisHash,
  type Handover,
  height,
  NO_RECORD,
  type Proposal,
  type ProposalId,
  payloadRootOf,
  type Receipt,
  type StateCertificate,
  type StateDigest,
  type Subject,
  type Transaction,
  type TransactionId,
  transactionCodec,
  type ValidatorId,
  type Vote,
  view,
} from '@slipstream/types';

const id32 = (name: string) => sha256(utf8(name));
export const GENESIS = asId<GenesisHash>(id32('genesis'));
const blockId = asId<BlockId>(id32('block'));
const stateDigest = asId<StateDigest>(id32('digest'));
const account = (name: string) => ed25519Account(id32(name));
export const ACCOUNT = account('alice');
const signature = new Uint8Array(192).fill(3);
const aggregate = new Uint8Array(96).fill(5);

const SUBJECTS: readonly Subject[] = [
  { kind: 'notarize', epoch: GENESIS_EPOCH, view: view(7), blockId },
  { kind: 'nullify', epoch: GENESIS_EPOCH, view: view(8) },
  { kind: 'finalize', epoch: GENESIS_EPOCH, view: view(7), blockId },
  { kind: 'certify', epoch: GENESIS_EPOCH, view: view(7), height: height(6), blockId, stateDigest },
];

export const certificates: readonly Certificate[] = SUBJECTS.map((subject) => ({
  subject,
  signers: [0, 1, 3],
  aggregate,
}));
export const stateCertificate = certificates[3] as StateCertificate;
export const votes: readonly Vote[] = SUBJECTS.map((subject, signer) => ({ subject, signer, signature }));

const payload: readonly ChunkReference[] = [
  { chunkId: asId<ChunkId>(id32('chunk 1')), certificate: { epoch: GENESIS_EPOCH, signers: [0, 2, 3], aggregate } },
  { chunkId: asId<ChunkId>(id32('chunk 2')), certificate: undefined },
];

export const block: Block = {
  epoch: GENESIS_EPOCH,
  view: view(7),
  height: height(6),
  parentId: asId<BlockId>(id32('parent')),
  parentView: view(5),
  timestampMs: 1_800_000_000_000,
  proposer: 2,
  payload,
  payloadRoot: payloadRootOf(payload),
  next: undefined,
};

export const proposals: readonly Proposal[] = [
  { kind: 'normal', block, justification: certificates.slice(0, 2), signature },
  { kind: 'optimistic', block, justification: [], signature },
];

const keys = { blsPublicKey: new Uint8Array(48).fill(6), peerKey: toHex(id32('peer')) as PeerKey };
const validatorId = id32('validator') as ValidatorId;

const KEY = { blsPublicKey: keys.blsPublicKey };

export const preimages: readonly DigestPreimage[] = [6, 7].map((at) => ({
  height: height(at),
  blockId,
  parentDigest: stateDigest,
  batchChecksum: id32('batch'),
  stateRoot: id32('state'),
  receiptsRoot: id32('receipts'),
  transactionCount: 2,
  next: NO_RECORD,
}));

export const handover: Handover = {
  preimage: preimages[0] as DigestPreimage,
  certificate: stateCertificate,
  version: 1,
  parametersHash: id32('parameters'),
  restHash: id32('rest'),
  members: [
    { weight: 2, ...KEY },
    { weight: 3, ...KEY },
  ],
};

const ACTIONS: readonly Action[] = [
  { kind: 'transfer', to: account('bob'), amount: 12n },
  { kind: 'transferMany', outputs: [1n, 2n, 3n].map((amount, at) => ({ to: account(`heir ${at}`), amount })) },
  { kind: 'setData', name: 'colour', value: utf8('blue') },
  { kind: 'addDevice', anchor: account('alice'), device: account('phone') },
  { kind: 'removeDevice', anchor: account('alice'), device: account('phone') },
  { kind: 'register', blsKey: new Uint8Array(96).fill(4), proof: aggregate },
  { kind: 'call', application: 'token', action: 2, input: utf8('input') },
];

const GOVERNANCE: readonly Action[] = [
  {
    kind: 'propose',
    changes: [
      {
        kind: 'addValidator',
        name: 'erin',
        weight: 2,
        address: 'erin:9000',
        consent: aggregate,
        ...keys,
        operator: account('erin'),
        feeAccount: account('erin'),
      },
      { kind: 'setWeight', validatorId, weight: 3 },
      { kind: 'setTrustedIssuers', trustedIssuers: [keys.blsPublicKey] },
      { kind: 'setGovernance', governance: { administrators: [account('alice')], approvals: 1 } },
    ],
    notBeforeMs: 1_800_000_000_000,
  },
  { kind: 'approve', proposalId: asId<ProposalId>(id32('proposal')) },
  { kind: 'ready', ...keys, epoch: 3, version: 1, artifacts: [new Uint8Array(32).fill(7)], signature: aggregate },
  {
    kind: 'rotateKeys',
    ...keys,
    validatorId,
    address: 'erin:9001',
    consent: aggregate,
    feeAccount: account('erin'),
  },
  { kind: 'leave', validatorId },
  {
    kind: 'reportEquivocation',
    type: 'votes',
    blsPublicKey: keys.blsPublicKey,
    first: { statement: utf8('first'), signature: aggregate },
    second: { statement: utf8('second'), signature: aggregate },
  },
  {
    kind: 'advanceIssuer',
    issuer: GENESIS,
    rootKey: keys.blsPublicKey,
    members: [{ weight: 1, ...KEY }],
    handover,
    root: { expiryMs: 1_800_000_000_000, signature: aggregate },
  },
];

const transactionOf = (action: Action, at: number): Transaction => ({
  body: {
    genesisHash: GENESIS,
    sender: account('alice'),
    expiryMs: 1_800_000_060_000,
    salt: id32(`salt ${at}`).subarray(0, 8),
    maxFee: 1_000n,
    actions: [action, { kind: 'transfer', to: account('carol'), amount: 1n }],
  },
  auth: { scheme: 'ed25519', signature: new Uint8Array(64).fill(8) },
});

export const transactions: readonly Transaction[] = ACTIONS.map(transactionOf);
export const transactionBytes = transactions.map((each) => transactionCodec.encode(each));
export const governanceBytes = GOVERNANCE.map((action, at) => transactionCodec.encode(transactionOf(action, at)));

export const receipts: readonly Receipt[] = (['success', 'failed'] as const).map((status, index) => ({
  transactionId: asId<TransactionId>(id32('transaction')),
  outcome: status === 'success' ? { status } : { status, code: 'insufficient-balance', action: 1 },
  output: utf8('output'),
  fee: 5n,
  units: [1, 2, 3, 4, 5],
  height: height(6),
  index,
}));
