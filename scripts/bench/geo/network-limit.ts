/**
 * The network's own limit: when a block can be notarized and final if computing, signing and writing cost nothing.
 *
 *   proposal --> every member votes on arrival --> notarized here at the q-th vote --> Finalize --> final here at the q-th
 *
 * It is calculated from the table of round trips alone. A forwarded finalization may come before the q-th vote, so both ways count.
 */

/** One-way ms, per message. */
export type Draw = (from: number, to: number) => number;

export interface NetworkLimit {
  /** Mean over leaders and members, from the sending. */
  readonly notarizationMs: number;
  readonly finalityMs: number;
  /** Mean from leaders to their next leaders: the least block interval when each waits for the parent. */
  readonly oneDelayMs: number;
  readonly rounds: number;
}

export interface LimitSetting {
  readonly members: number;
  readonly quorum: number;
  readonly crashed: ReadonlySet<number>;
  readonly leaders: readonly number[];
  readonly draw: Draw;
}

export function networkLimit({ members, quorum, crashed, leaders, draw }: LimitSetting): NetworkLimit {
  const alive = Array.from({ length: members }, (_, member) => member).filter((member) => !crashed.has(member));
  let notarization = 0;
  let finality = 0;
  let oneDelay = 0;
  for (const [round, leader] of leaders.entries()) {
    const voted = alive.map((member) => (member === leader ? 0 : draw(leader, member)));
    const notarized = gather(alive, voted, quorum, draw);
    const final = gather(alive, notarized, quorum, draw);
    notarization += mean(notarized);
    finality += mean(final);
    const next = leaders[(round + 1) % leaders.length] as number;
    oneDelay += next === leader ? 0 : draw(leader, next);
  }
  const rounds = leaders.length;
  return {
    notarizationMs: notarization / rounds,
    finalityMs: finality / rounds,
    oneDelayMs: oneDelay / rounds,
    rounds,
  };
}

/** When each member holds a quorum of votes sent at `sentMs`, by own count or a forwarded certificate. */
function gather(alive: readonly number[], sentMs: readonly number[], quorum: number, draw: Draw): number[] {
  const own = alive.map((to) => {
    const arrivals = alive.map((from, at) => (sentMs[at] as number) + (from === to ? 0 : draw(from, to)));
    return arrivals.sort((a, b) => a - b)[quorum - 1] as number;
  });
  return alive.map((to, at) => {
    const forwarded = alive.map((from, other) => (own[other] as number) + (from === to ? 0 : draw(from, to)));
    return Math.min(own[at] as number, ...forwarded);
  });
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
