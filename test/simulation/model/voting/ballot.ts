/**
 * The votes of all honest members: the whole state of the model checker.
 *
 * A sent message may arrive at any time or never, so any member may know a certificate once it can be formed. Byzantine members vote for
 * everything: honest votes and all of theirs must be a quorum. They lead every view, so a block of any parent may be proposed at any time,
 * to any member. A block is its index: 0 is genesis; the first honest vote creates another one.
 */
export interface Ballot {
  /** By block; genesis is its own parent, in view 0. */
  readonly views: readonly number[];
  readonly parents: readonly number[];
  /** By honest member: sent votes, and those known after a restart. */
  readonly sent: readonly Votes[];
  readonly remembered: readonly Votes[];
}

/** By view, from 1 on: notarized blocks as bits, and whether the view is nullified. */
export interface Votes {
  readonly notarize: readonly number[];
  readonly nullify: readonly boolean[];
}

export type VoteKind = keyof Votes;

export function emptyBallot(members: number, views: number): Ballot {
  const zeros = new Array<number>(views + 1).fill(0);
  const none: Votes = { notarize: zeros, nullify: zeros.map(() => false) };
  const all = Array.from({ length: members }, () => none);
  return { views: [0], parents: [0], sent: all, remembered: all };
}

export function hasBit(bits: number, block: number): boolean {
  return (bits & (1 << block)) !== 0;
}

/** `block` counts as its own ancestor. */
export function descends({ parents, views }: Ballot, block: number, ancestor: number): boolean {
  let at = block;
  while ((views[at] as number) > (views[ancestor] as number)) at = parents[at] as number;
  return at === ancestor;
}

function replaced<T>(list: readonly T[], at: number, value: T): T[] {
  const copy = list.slice();
  copy[at] = value;
  return copy;
}

function marked({ notarize, nullify }: Votes, kind: VoteKind, view: number, block: number): Votes {
  if (kind === 'nullify') return { notarize, nullify: replaced(nullify, view, true) };
  return { notarize: replaced(notarize, view, (notarize[view] as number) | (1 << block)), nullify };
}

/** A nullification ignores `block`. */
export function withVote(ballot: Ballot, member: number, kind: VoteKind, view: number, block: number): Ballot {
  const sent = ballot.sent[member] as Votes;
  const remembered = ballot.remembered[member] as Votes;
  const next = marked(sent, kind, view, block);
  return {
    ...ballot,
    sent: replaced(ballot.sent, member, next),
    remembered: replaced(ballot.remembered, member, remembered === sent ? next : marked(remembered, kind, view, block)),
  };
}

/** After a restart: votes of this kind and view were sent before they were durable. */
export function withForgotten(ballot: Ballot, member: number, kind: VoteKind, view: number): Ballot {
  const { notarize, nullify } = ballot.remembered[member] as Votes;
  const without =
    kind === 'nullify'
      ? { notarize, nullify: replaced(nullify, view, false) }
      : { notarize: replaced(notarize, view, 0), nullify };
  return { ...ballot, remembered: replaced(ballot.remembered, member, without) };
}

export function withBlock(ballot: Ballot, view: number, parent: number): Ballot {
  return { ...ballot, views: [...ballot.views, view], parents: [...ballot.parents, parent] };
}

/**
 * One name for ballots that differ only in the order of members and blocks. Ties stay, so a ballot may have several names, but no name
 * stands for two ballots.
 */
export function nameOf({ sent, remembered, views, parents }: Ballot): string {
  const shapes = views.map((view, block) => {
    const bit = 1 << block;
    let voters = 0;
    for (const { notarize } of sent) if (((notarize[view] as number) & bit) !== 0) voters++;
    return voters + 4 * (views[parents[block] as number] as number);
  });
  const shapeOf = ({ notarize, nullify }: Votes): number => {
    let total = 0;
    for (let view = 1; view < notarize.length; view++) {
      const bits = notarize[view] as number;
      total =
        total * 64 + (bits === 0 ? 0 : 2 + 2 * (shapes[31 - Math.clz32(bits)] as number)) + (nullify[view] ? 1 : 0);
    }
    return total;
  };
  const keys = sent.map(shapeOf);
  const order = sent.map((_, member) => member).sort((a, b) => (keys[a] as number) - (keys[b] as number) || a - b);
  const rank = new Array<number>(views.length).fill(-1);
  rank[0] = 0;
  let next = 1;
  const codes: number[] = [];
  const write = ({ notarize, nullify }: Votes) => {
    for (let view = 1; view < notarize.length; view++) {
      let renamed = nullify[view] ? 1 : 0;
      const bits = notarize[view] as number;
      for (let block = 1; bits >> block !== 0; block++)
        if (hasBit(bits, block)) renamed |= 2 << (rank[block] as number);
      codes.push(renamed);
    }
  };
  for (let view = 1; view < (sent[0] as Votes).notarize.length; view++) {
    for (const member of order) {
      const bits = (sent[member] as Votes).notarize[view] as number;
      for (let block = 1; bits >> block !== 0; block++) {
        if (rank[block] !== -1 || !hasBit(bits, block)) continue;
        rank[block] = next++;
        codes.push(rank[parents[block] as number] as number);
      }
    }
  }
  for (const member of order) {
    write(sent[member] as Votes);
    const forgot = remembered[member] !== sent[member];
    codes.push(forgot ? 1 : 0);
    if (forgot) write(remembered[member] as Votes);
  }
  return String.fromCharCode(...codes);
}
