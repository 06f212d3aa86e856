/** Which broker comes next: one after another; one that lied is passed over for a minute, if there is another. */
import type { BrokerFault } from './options.ts';

const LYING: ReadonlySet<BrokerFault> = new Set<BrokerFault>([
  ...(['wrong-chain', 'malformed', 'flood', 'false-header', 'false-outcome'] as const),
]);
const BANNED_MS = 60_000;
const RETRY_MS_MIN = 100;
const RETRY_MS_MAX = 5_000;

export interface BrokerChoice {
  readonly url: string;
  /** It accepted the login. */
  succeeded(): void;
  /** Returns the delay before the next one. */
  failed(code: BrokerFault, nowMs: number): number;
}

/** `random`: in [0, 1), so that clients of a lost broker do not come to the next one at once. */
export function createBrokerChoice(urls: readonly string[], random: () => number): BrokerChoice {
  const bannedUntil = new Map<string, number>();
  let at = 0;
  let failures = 0;
  const url = () => urls[at] as string;
  return {
    get url() {
      return url();
    },
    succeeded() {
      failures = 0;
    },
    failed(code, nowMs) {
      if (LYING.has(code)) bannedUntil.set(url(), nowMs + BANNED_MS);
      failures += 1;
      const next = urls.map((_, i) => (at + 1 + i) % urls.length);
      at = next.find((i) => (bannedUntil.get(urls[i] as string) ?? 0) <= nowMs) ?? (next[0] as number);
      const isBanned = (bannedUntil.get(url()) ?? 0) > nowMs;
      const bound = isBanned ? RETRY_MS_MAX : Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** Math.min(10, failures));
      return Math.round(bound / 2 + (random() * bound) / 2);
    },
  };
}
