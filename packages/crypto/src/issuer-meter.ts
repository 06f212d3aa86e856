/**
 * Issuer meter: what the bad signatures of one peer or address may cost.
 *
 * A good signature pays for itself; a bad one costs as much and brings nothing. So each bad one is a debt of whoever sent it,
 * forgiven at a fixed rate, and who owes too much is refused before another microsecond is spent on him.
 *
 *   asked --owes less than the maximum?--> verified --bad--> owes one more
 *          \--else refused
 *
 * Bounded: of very many issuers, the one that was heard of longest ago is forgotten. That helps nobody who stays bad: with so
 * many names he pays for each of them with a signature that is verified once.
 */
export interface IssuerMeter {
  /** Whether his signatures are worth verifying now. */
  mayAsk(issuer: string): boolean;
  /** So many of his were bad. */
  failed(issuer: string, count: number): void;
  /** Issuers that owe something, as far as they are remembered. */
  readonly size: number;
}

export interface IssuerMeterOptions {
  /** Bad signatures that one may owe. */
  readonly debtMax: number;
  /** Forgiven in a second. */
  readonly forgivenPerSecond: number;
  readonly issuersMax: number;
}

export const ISSUER_METER_DEFAULTS: IssuerMeterOptions = {
  /** 20 ms of verification at once ... */
  debtMax: 256,
  /** ... and 2 ms a second: a thousand hostile addresses together take less than two cores, and are refused at the door. */
  forgivenPerSecond: 32,
  issuersMax: 4_096,
};

interface Debt {
  owed: number;
  atMs: number;
}

export function createIssuerMeter(
  { monotonicMs }: { readonly monotonicMs: () => number },
  { debtMax, forgivenPerSecond, issuersMax }: IssuerMeterOptions = ISSUER_METER_DEFAULTS,
): IssuerMeter {
  /** The one heard of longest ago first. */
  const debts = new Map<string, Debt>();

  function owedBy(issuer: string, nowMs: number): number {
    const debt = debts.get(issuer);
    if (debt === undefined) return 0;
    return Math.max(0, debt.owed - ((nowMs - debt.atMs) * forgivenPerSecond) / 1_000);
  }

  return {
    mayAsk(issuer) {
      if (!debts.has(issuer)) return true;
      const owed = owedBy(issuer, monotonicMs());
      if (owed === 0) debts.delete(issuer);
      return owed < debtMax;
    },
    failed(issuer, count) {
      const nowMs = monotonicMs();
      const owed = owedBy(issuer, nowMs) + count;
      debts.delete(issuer);
      debts.set(issuer, { owed, atMs: nowMs });
      if (debts.size > issuersMax) debts.delete(debts.keys().next().value as string);
    },
    get size() {
      return debts.size;
    },
  };
}
