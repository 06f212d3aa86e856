/** Epochs, validators and proposals as JSON. */
import {
  ADMINISTRATORS_MAX,
  BLS_PUBLIC_KEY_BYTES,
  COMMITTEE_MEMBERS_MAX,
  PROPOSAL_CHANGES_MAX,
  TRUSTED_ISSUERS_MAX,
} from '@slipstream/types';
import { Type } from 'typebox';
import { BlsKey, ChangeSchema, FeeParametersSchema, TimeParametersSchema } from './governance.ts';
import { Account, Cursor, count, EPOCH_MAX, Height, Id, type Json, orNull, PeerId, TimeMs, View } from './scalars.ts';
import { StateProofSchema } from './state-proofs.ts';

const EpochNumber = count('Number of an epoch.', EPOCH_MAX);
const Version = count('Of the rules.', 2 ** 16 - 1);
const next = Type.Union([Cursor, Type.Null()], { description: 'For the next page; null on the last.' });

const EpochSummarySchema = Type.Object(
  {
    epoch: EpochNumber,
    version: Version,
    members: count('Validators in its committee.', COMMITTEE_MEMBERS_MAX),
    recordHash: Type.Union([Id, Type.Null()], {
      description: 'null: its members are no longer in the state; /v1/epochs/{epoch} answers its record.',
    }),
    totalWeight: orNull(count('Sum of all weights; null as recordHash.')),
    endedMs: Type.Union([TimeMs, Type.Null()], { description: "Time of the next epoch's first block." }),
  },
  { title: 'EpochSummary' },
);
export type EpochSummary = Json<typeof EpochSummarySchema>;

export const EpochsSchema = Type.Object(
  {
    height: Height,
    current: Type.Object({
      epoch: EpochNumber,
      firstHeight: Height,
      firstView: View,
      sealed: Type.Union([Id, Type.Null()], { description: "Hash of the next epoch's record, once it is sealed." }),
      sealsFrom: Type.Union([Height, Type.Null()], {
        description: 'The first block that may seal the next record; null once one is sealed.',
      }),
    }),
    items: Type.Array(EpochSummarySchema, { description: 'Newest first; a sealed one comes before the current one.' }),
    next,
  },
  { title: 'Epochs' },
);
export type Epochs = Json<typeof EpochsSchema>;

const RecordMemberSchema = Type.Object(
  {
    index: count('Name in certificates.', COMMITTEE_MEMBERS_MAX - 1),
    validatorId: Id,
    name: Type.String(),
    weight: count('Weight of its vote.'),
    leads: Type.Boolean({ description: 'Whether views have it as leader.' }),
    blsPublicKey: BlsKey,
    peer: PeerId,
    previousPeer: Type.Union([PeerId, Type.Null()], {
      description: 'Its network key in the epoch before, where it differs.',
    }),
    address: Type.String({ examples: ['validator.example.org:9000'] }),
    feeAccount: Account,
  },
  { title: 'RecordMember' },
);

export const EpochRecordSchema = Type.Object(
  {
    height: Height,
    epoch: EpochNumber,
    recordHash: Id,
    version: Version,
    endedMs: orNull(TimeMs),
    totalWeight: count('Sum of all weights.'),
    quorumWeight: count('Least weight that is a quorum.'),
    parameters: Type.Object({
      fees: FeeParametersSchema,
      times: TimeParametersSchema,
      trustedIssuers: Type.Array(BlsKey, { maxItems: TRUSTED_ISSUERS_MAX }),
      leaderReputation: Type.Boolean({
        description: 'Whether members that lose their turns lead no view for a while.',
      }),
    }),
    members: Type.Array(RecordMemberSchema, { maxItems: COMMITTEE_MEMBERS_MAX }),
  },
  { title: 'EpochRecord', description: 'One committee with one set of parameters.' },
);
export type EpochRecordJson = Json<typeof EpochRecordSchema>;

const KeysSchema = Type.Object({ blsPublicKey: BlsKey, peer: PeerId });

export const ValidatorSchema = Type.Object(
  {
    id: Id,
    name: Type.String(),
    status: Type.Enum(['candidate', 'member', 'removed'], {
      description: 'By the newest record, sealed or current.',
    }),
    weight: count('In the newest record; 0: not there.'),
    blsPublicKey: BlsKey,
    peer: PeerId,
    rotation: Type.Union([KeysSchema, Type.Null()], { description: 'Keys that its node is to take over.' }),
    ready: Type.Boolean({
      description: 'Whether the node with the new keys reported that it is synced and connected.',
    }),
    leaving: Type.Boolean({ description: 'Its operator asked for its removal.' }),
    reported: Type.Boolean({ description: 'It signed a contradiction: the next seal removes it.' }),
    lostTurns: count('Turns in a row that it lost as leader, 3 at most; 0 while leaderReputation is off.', 3),
    bench: Type.Union(
      [
        Type.Object({
          readyFrom: Height,
          ready: Type.Boolean({ description: 'Reported since: it leads again after the next seal.' }),
        }),
        Type.Null(),
      ],
      {
        description: 'By the newest record it leads no view. Readiness that is reported from this height on ends that.',
      },
    ),
    version: Type.Integer({ minimum: 0, description: 'Newest version of the rules that its node reported.' }),
    versionEpoch: count('Epoch of that report.', EPOCH_MAX),
    operator: Account,
    feeAccount: Account,
    address: Type.String({ examples: ['validator.example.org:9000'] }),
    proof: Type.Optional(StateProofSchema),
  },
  { title: 'Validator', description: 'What the state knows of a validator.' },
);
export type ValidatorView = Json<typeof ValidatorSchema>;

export const ValidatorPageSchema = Type.Object(
  { height: Height, items: Type.Array(ValidatorSchema), next },
  { title: 'ValidatorPage' },
);
export type ValidatorPage = Json<typeof ValidatorPageSchema>;

const PROPOSAL_WAITS = [
  'approvals',
  'time',
  'not-ready',
  'version-unknown',
  'artifact-missing',
  'weight',
  'earlier-change',
  'epoch-young',
  'next-epoch',
] as const;
export type ProposalWait = (typeof PROPOSAL_WAITS)[number];

const ApprovalSchema = Type.Object({
  account: Account,
  weight: count('Of the account, if it governs now; else 0.'),
});

const GovernorSchema = Type.Object({
  ...ApprovalSchema.properties,
  validators: Type.Array(Type.String(), { description: 'Names of members that the account operates.' }),
});

export const ProposalSchema = Type.Object(
  {
    id: Id,
    proposer: Account,
    changes: Type.Array(ChangeSchema, {
      maxItems: PROPOSAL_CHANGES_MAX,
      description: 'Those that are not sealed yet.',
    }),
    approvals: Type.Array(ApprovalSchema, { maxItems: COMMITTEE_MEMBERS_MAX }),
    approvedWeight: count('Of the approvals.'),
    neededWeight: count('From which the proposal is approved.'),
    notBeforeMs: TimeMs,
    expiresMs: TimeMs,
    waits: Type.Array(Type.Enum([...PROPOSAL_WAITS]), {
      description:
        'Why it is not sealed. approvals: too few. time: before notBeforeMs. not-ready: a candidate has not reported readiness. ' +
        'version-unknown: nodes of too little weight reported that they know the version. ' +
        'artifact-missing: nodes of too little weight reported that they have the artifact. weight: a seal moves less of the ' +
        'weight. earlier-change: one that waits comes first. epoch-young: an epoch has 64 blocks before a seal. next-epoch: a ' +
        'record is sealed already. None: the next block seals it.',
    }),
  },
  { title: 'Proposal' },
);
export type ProposalView = Json<typeof ProposalSchema>;

export const ProposalPageSchema = Type.Object(
  {
    height: Height,
    governance: Type.Object({
      by: Type.Enum(['administrators', 'operators'], { description: 'Who decides.' }),
      governors: Type.Array(GovernorSchema, { maxItems: Math.max(COMMITTEE_MEMBERS_MAX, ADMINISTRATORS_MAX) }),
      neededWeight: count('Of approvals: a number of administrators, or weight of validators.'),
    }),
    items: Type.Array(ProposalSchema, { description: 'Oldest first.' }),
    next,
  },
  { title: 'ProposalPage' },
);
export type ProposalPage = Json<typeof ProposalPageSchema>;

/** A validator's id, or a BLS key that it has or had. */
export const ValidatorReference = Type.String({
  description: "A validator's id, or a BLS public key that it has or had.",
  pattern: `^0x([0-9a-fA-F]{64}|[0-9a-fA-F]{${2 * BLS_PUBLIC_KEY_BYTES}})$`,
  examples: [`0x${'0b'.repeat(32)}`],
});
