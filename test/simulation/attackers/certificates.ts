/** Formed by an attacker from received votes and its own, which it may withhold. */
import { type Certificate, type Subject, subjectKey, subjectMessage, type Vote } from '@slipstream/types';
import type { Liar } from './corrupted.ts';

export interface VoteCollection {
  /** The certificate, once per subject, when this vote and the own one complete a quorum. */
  add(vote: Vote): Promise<Certificate | undefined>;
}

export function collectVotes(liar: Liar, kind: Subject['kind']): VoteCollection {
  const { setting, self } = liar;
  const { committee, genesisHash } = setting.chain;
  const weightOf = (member: number) => committee.members[member]?.weight ?? 0;
  const slots = new Map<string, Map<number, Vote>>();
  const made = new Set<string>();

  return {
    async add(vote) {
      const { subject } = vote;
      if (subject.kind !== kind) return undefined;
      const key = subjectKey(subject);
      const slot = slots.get(key) ?? new Map<number, Vote>();
      slots.set(key, slot.set(vote.signer, vote));
      const weight = [...slot.keys()].reduce((sum, signer) => sum + weightOf(signer), 0);
      if (made.has(key) || 3 * (weight + weightOf(self)) <= 2 * committee.totalWeight) return undefined;
      made.add(key);
      const own = await liar.vote(subject);
      const all = [...slot.values(), own].sort((a, b) => a.signer - b.signer);
      const votes = all.map(({ signer, signature }) => ({ signer, signature, verified: false }));
      const { aggregate } = await setting.verifier.checkQuorum({
        epoch: subject.epoch,
        message: subjectMessage(genesisHash, subject),
        votes,
      });
      return aggregate && ({ subject, signers: all.map(({ signer }) => signer), aggregate } as Certificate);
    },
  };
}
