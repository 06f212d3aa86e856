/** What the sealed record changes, and who is not ready for a next one. */
import type { EpochRecordJson, ProposalView, ProposalWait, ValidatorView } from '@slipstream/schema';
import { span } from '../../design/format.ts';
import { issuersDiffer, parameterDifferences } from './parameters.ts';

interface Difference {
  readonly name: string;
  readonly what: string;
}

export function differences(now: EpochRecordJson, next: EpochRecordJson): readonly Difference[] {
  const before = new Map(now.members.map((member) => [member.validatorId, member]));
  const after = new Set(next.members.map(({ validatorId }) => validatorId));
  const members = next.members.flatMap((member): readonly Difference[] => {
    const old = before.get(member.validatorId);
    const { name, weight } = member;
    if (old === undefined) return [{ name, what: `joins with weight ${weight}` }];
    const keys = old.blsPublicKey !== member.blsPublicKey || old.peer !== member.peer;
    return [
      ...(old.weight === weight ? [] : [{ name, what: `weight ${old.weight} → ${weight}` }]),
      ...(keys ? [{ name, what: 'takes its next keys' }] : []),
      ...(old.address === member.address ? [] : [{ name, what: `is reached at ${member.address}` }]),
    ];
  });
  const left = now.members.filter(({ validatorId }) => !after.has(validatorId));
  return [
    ...members,
    ...left.map(({ name }) => ({ name, what: 'leaves' })),
    ...parameterDifferences(now.parameters, next.parameters).map((what) => ({ name: 'Parameters', what })),
    ...(issuersDiffer(now, next) ? [{ name: 'Trusted issuers', what: 'change' }] : []),
    ...(now.version === next.version ? [] : [{ name: 'Rules', what: `version ${now.version} → ${next.version}` }]),
  ];
}

/** What a validator waits for, or why it goes; undefined: nothing is under way. */
export function underWay({ status, rotation, ready, leaving, reported }: ValidatorView): string | undefined {
  if (status === 'removed') return undefined;
  if (reported) return 'signed a contradiction: removed at the next seal';
  if (leaving) return 'leaves at a seal';
  if (status === 'candidate') return ready ? 'candidate, ready' : 'candidate, NOT READY';
  if (rotation === null) return undefined;
  return ready ? 'next keys, ready' : 'next keys, NOT READY';
}

const WAITS: Readonly<Record<ProposalWait, string>> = {
  approvals: 'more approvals',
  time: 'its time',
  'not-ready': 'a candidate to report readiness',
  'artifact-missing': 'nodes of more than two thirds of the weight to report that they have the artifact',
  'version-unknown': 'nodes of more than two thirds of the weight to report that they know the version',
  weight: 'a later epoch: one seal moves less of the weight',
  'earlier-change': 'an earlier change',
  'epoch-young': 'the epoch to have 64 blocks',
  'next-epoch': 'the next epoch: a record is sealed already',
};

interface Step {
  readonly name: string;
  readonly isDone: boolean;
}

/** From the proposal to its seal. `waiting`: validators that a seal is awaited for. */
export function stepsOf(
  { changes, approvedWeight, neededWeight, notBeforeMs }: ProposalView,
  waiting: Iterable<ValidatorView>,
  nowMs: number,
): readonly Step[] {
  const added = new Set(changes.flatMap((change) => (change.kind === 'addValidator' ? [change.blsPublicKey] : [])));
  const candidates = [...waiting].filter(
    ({ status, blsPublicKey }) => status === 'candidate' && added.has(blsPublicKey),
  );
  return [
    { name: 'proposed', isDone: true },
    { name: 'approved', isDone: approvedWeight >= neededWeight },
    ...(notBeforeMs === 0 ? [] : [{ name: 'time reached', isDone: notBeforeMs <= nowMs }]),
    ...candidates.map(({ name, ready }) => ({ name: `${name} ready`, isDone: ready })),
    { name: 'sealed', isDone: false },
  ];
}

export function waitText({ waits }: Pick<ProposalView, 'waits'>): string {
  return waits.length === 0 ? 'the next block, which seals it' : waits.map((wait) => WAITS[wait] ?? wait).join('; ');
}

export function countdown({ notBeforeMs, expiresMs }: ProposalView, nowMs: number): string {
  if (notBeforeMs > nowMs) return `not before ${span(notBeforeMs - nowMs)} from now`;
  return expiresMs > nowMs ? `expires in ${span(expiresMs - nowMs)}` : 'expired';
}
