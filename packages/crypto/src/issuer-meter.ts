/**
 * Issuer meter: limits the bad signatures of one peer or address.
 *
 *   asked --tokens left?--> verified --bad--> a token less
 *          \--none: rejected
 *
 * Checks end after admission, so an issuer may go into debt.
 */
import { createRateLimiter, type MonotonicClock } from '@slipstream/primitives';

export interface IssuerMeter {
  hasTokens(issuer: string): boolean;
  failed(issuer: string, count: number): void;
  readonly size: number;
}

interface IssuerMeterOptions {
  readonly burst: number;
  readonly perSecond: number;
  readonly debtMax: number;
  readonly issuersMax: number;
}

const ISSUER_METER_DEFAULTS: IssuerMeterOptions = {
  /** 20 ms of verification at once ... */
  burst: 256,
  /** ... and 2 ms per second: a thousand hostile addresses take less than two cores. */
  perSecond: 32,
  /** Intake's checks at once, so each is paid for. A rejection lasts ten minutes at most. */
  debtMax: 20_000,
  issuersMax: 4_096,
};

export function createIssuerMeter(
  clock: MonotonicClock,
  { burst, perSecond, debtMax, issuersMax }: IssuerMeterOptions = ISSUER_METER_DEFAULTS,
): IssuerMeter {
  const limiter = createRateLimiter<string>(clock, { rate: { perSecond, burst }, debtMax, keysMax: issuersMax });
  return {
    hasTokens: (issuer) => limiter.left(issuer) > 0,
    failed: limiter.charge,
    get size() {
      return limiter.size;
    },
  };
}
