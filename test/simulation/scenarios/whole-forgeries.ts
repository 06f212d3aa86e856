/** Strangers that forge what validators' keys sign, in transactions to whole nodes: possession, and evidence against honest members. */
import { assert } from '@slipstream/primitives';
import {
  type Action,
  consentMessage,
  decodeFrame,
  type Subject,
  subjectCodec,
  subjectKey,
  subjectMessage,
} from '@slipstream/types';
import { accountKeyOf } from '../harness/accounts.ts';
import type { Cluster } from '../harness/cluster.ts';
import { isIn } from '../harness/whole/governance.ts';
import type { Sent } from '../harness/whole/record.ts';
import { ADMINISTRATORS } from '../harness/whole/stores.ts';
import type { Scenario, Stage } from '../scenario.ts';
import { finish } from './whole.ts';
import { EPOCH_MS_MAX, governed } from './whole-epochs.ts';

const EVERY_MS = 250;
const LIFE_MS = 5_000;
const VOTES_MAX = 400;

/** Its honest votes, as anyone sees them. */
function votesOf({ network, peer }: Cluster, member: number): Subject[] {
  const seen = new Map<string, Subject>();
  const votes: Subject[] = [];
  network.tap(({ from, frame }) => {
    const decoded = from === peer(member) ? decodeFrame(frame) : undefined;
    if (!decoded?.ok || decoded.value.name !== 'consensus') return;
    for (const { subject } of decoded.value.value.votes) {
      const key = `${subject.kind} ${subjectKey(subject)}`;
      if (!seen.has(key)) votes.push(subject);
      seen.set(key, subject);
      if (votes.length > VOTES_MAX) votes.shift();
    }
  });
  return votes;
}

type Forge = (random: Stage['random'], votes: readonly Subject[]) => Action;

function forgeries({ chain, scheme, peer, members }: Cluster, victim: number): readonly Forge[] {
  const { genesisHash } = chain;
  const { publicKey } = scheme.signer(victim);
  const stranger = members.length + 7;
  const other = members.find((member) => member !== victim) as number;
  const sign = (key: number, subject: Subject) => ({
    statement: subjectCodec.encode(subject),
    signature: scheme.signAction(key, subjectMessage(genesisHash, subject)),
  });
  const report = (first: ReturnType<typeof sign>, second: ReturnType<typeof sign>): Action => ({
    kind: 'reportEquivocation',
    type: 'votes',
    blsPublicKey: publicKey,
    first,
    second,
  });
  return [
    // The same vote twice.
    (random, votes) => {
      const vote = random.pick(votes);
      return report(sign(victim, vote), sign(victim, vote));
    },
    // Two honest votes: of other kinds, views or epochs.
    (random, votes) => report(sign(victim, random.pick(votes)), sign(victim, random.pick(votes))),
    // Notarize and Finalize of the last view.
    (_random, votes) => {
      const last = votes.findLast(({ kind }) => kind === 'finalize') ?? (votes.at(-1) as Subject);
      const same = votes.find(
        ({ kind, view, epoch }) => kind === 'notarize' && view === last.view && epoch === last.epoch,
      );
      return report(sign(victim, same ?? last), sign(victim, last));
    },
    // The second one is signed by another key.
    (random, votes) => {
      const vote = random.pick(votes.filter(({ kind }) => kind !== 'nullify'));
      return report(sign(victim, vote), sign(other, { ...vote, blockId: random.bytes(32) } as Subject));
    },
    // A key that its owner does not lend.
    (random) => {
      const operator = accountKeyOf(random.pick(ADMINISTRATORS));
      const keys = { blsPublicKey: scheme.signer(stranger).publicKey, peerKey: peer(victim) };
      const consent = scheme.signAction(other, consentMessage(genesisHash, keys, operator));
      const address = '127.0.0.1:9999';
      const change = { kind: 'addValidator', name: 'x', weight: 1, ...keys, address } as const;
      return {
        kind: 'propose',
        changes: [{ ...change, operator, feeAccount: operator, consent }],
        notBeforeMs: 0,
      };
    },
  ];
}

export const wholeForgeries: Scenario = {
  name: 'whole-forgeries',
  about:
    'Over a boundary, strangers report honest votes as evidence, with false signatures or without contradiction, and administrators propose keys without their owner’s consent: no block contains any of it, and no member is removed for it.',
  long: true,
  async play(stage) {
    const { size, random } = stage;
    const victim = random.below(size);
    const made = governed(stage, 1, [{ leaves: (victim + 1) % size, joins: size }]);
    const { cluster, record, clients, indices } = made;
    const votes = votesOf(cluster, victim);
    const forges = forgeries(cluster, victim);
    const forged: Sent[] = [];
    let isOver = false;
    function forge(): void {
      if (isOver) return;
      cluster.simulation.schedule(EVERY_MS, forge);
      if (votes.length < 10) return;
      const actions = [random.pick(forges)(random, votes)];
      forged.push(clients.send({ account: random.pick(ADMINISTRATORS), actions, mayFail: true, lifeMs: LIFE_MS }));
    }
    cluster.simulation.schedule(EVERY_MS, forge);
    cluster.start();
    await cluster.until('epoch 1 begins', () => record.boundaries.has(0), 2 * EPOCH_MS_MAX);
    await cluster.run(2_000);
    isOver = true;
    await cluster.run(LIFE_MS);
    assert(forged.length > 10, 'much is forged');
    const taken = forged.filter(({ id }) => record.places.has(id));
    assert(taken.length === 0, `no forgery is in a block (${taken.length} of ${forged.length})`);
    assert(isIn(record, 1, cluster.peer(victim)), 'the victim is a member of the next epoch');
    await finish(made, indices);
  },
};
