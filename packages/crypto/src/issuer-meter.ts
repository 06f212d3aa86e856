/**
 * Issuer meter: limits the bad signatures of one peer or address.
 *
 * Each bad signature takes a token of its issuer. An issuer without tokens is rejected before any of its signatures is verified.
 *
 *   asked --tokens left?--> verified --bad--> a token less
 *          \--none: rejected
 *
 * Checks end after they were admitted, so an issuer may have more under way than it has tokens: it then goes into debt.
 */
import { createRateLimiter, type MonotonicClock } from '@slipstream/primitives';

export interface IssuerMeter {
  /** Whether signatures of this issuer may be verified now. */
  mayAsk(issuer: string): boolean;
  /** Records `count` bad signatures. */
  failed(issuer: string, count: number): void;
  /** Number of stored buckets. */
  readonly size: number;
}

interface IssuerMeterOptions {
  /** Bad signatures at once. */
  readonly burst: number;
  readonly perSecond: number;
  readonly debtMax: number;
  readonly issuersMax: number;
}

const ISSUER_METER_DEFAULTS: IssuerMeterOptions = {
  /** 20 ms of verification at once ... */
  burst: 256,
  /** ... and 2 ms per second: a thousand hostile addresses together take less than two cores. */
  perSecond: 32,
  /** As many as intake has in checks at once, so each is paid for. An issuer is rejected for ten minutes at most. */
  debtMax: 20_000,
  issuersMax: 4_096,
};

export function createIssuerMeter(
  clock: MonotonicClock,
  { burst, perSecond, debtMax, issuersMax }: IssuerMeterOptions = ISSUER_METER_DEFAULTS,
): IssuerMeter {
  const limiter = createRateLimiter<string>(clock, { rate: { perSecond, burst }, debtMax, keysMax: issuersMax });
  return {
    mayAsk: (issuer) => limiter.left(issuer) > 0,
    failed: limiter.charge,
    get size() {
      return limiter.size;
    },
  };
}
