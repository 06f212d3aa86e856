/**
 *   vitals, once per second, and recent reports --> rules --> raised, changed, cleared
 */
import type { TelemetryFields } from '@slipstream/ports';
import type { Alert } from '@slipstream/schema';
import type { Vitals } from './alert-rule.ts';
import { ALERT_RULES } from './alert-rules.ts';

/** Long, because the key must no longer be trusted. */
const EVIDENCE_MS = 600_000;
const BISECTION_MS = 60_000;

/** Vitals from the caller; reports give the rest. */
export type Observed = Omit<Vitals, 'equivocators' | 'offenders'>;

interface AlertChanges {
  readonly raised: readonly Alert[];
  /** The message changed, for example by a second offline validator. */
  readonly changed: readonly Alert[];
  readonly cleared: readonly Alert[];
}

export interface Alerts {
  listen(type: string, fields: TelemetryFields): void;
  readonly active: readonly Alert[];
  check(observed: Observed): AlertChanges;
}

export function createAlerts(monotonicMs: () => number): Alerts {
  const active = new Map<string, Alert>();
  /** Time of each member's last report; monotonic, because the wall clock may be set back. */
  const equivocators = new Map<number, number>();
  const offenders = new Map<number, number>();

  function seenWithin(seen: Map<number, number>, forMs: number): readonly number[] {
    const nowMs = monotonicMs();
    for (const [member, atMs] of seen) if (atMs < nowMs - forMs) seen.delete(member);
    return [...seen.keys()].toSorted((a, b) => a - b);
  }

  return {
    get active() {
      return [...active.values()];
    },
    listen(type, fields) {
      if (type === 'evidence') equivocators.set(Number(fields.offender), monotonicMs());
      if (type !== 'bisection' || !Array.isArray(fields.offenders)) return;
      for (const offender of fields.offenders) offenders.set(Number(offender), monotonicMs());
    },
    check(observed) {
      const vitals: Vitals = {
        ...observed,
        equivocators: seenWithin(equivocators, EVIDENCE_MS),
        offenders: seenWithin(offenders, BISECTION_MS),
      };
      const raised: Alert[] = [];
      const changed: Alert[] = [];
      const cleared: Alert[] = [];
      for (const { name, severity, threshold, remedy, message } of ALERT_RULES) {
        const wrong = message(vitals);
        const standing = active.get(name);
        if (wrong && !standing) {
          const alert: Alert = { rule: name, severity, message: wrong, threshold, remedy, sinceMs: vitals.nowMs };
          active.set(name, alert);
          raised.push(alert);
        } else if (wrong && standing && wrong !== standing.message) {
          const alert: Alert = { ...standing, message: wrong };
          active.set(name, alert);
          changed.push(alert);
        } else if (!wrong && standing) {
          active.delete(name);
          cleared.push(standing);
        }
      }
      return { raised, changed, cleared };
    },
  };
}
