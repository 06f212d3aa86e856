import type { Alert, Status } from '@slipstream/schema';
import type { ApiThread } from '../api-thread/api.ts';
import { NodeError } from '../errors.ts';
import { ALERT_RULES } from '../telemetry/alert-rules.ts';
import type { Observed } from '../telemetry/alerts.ts';
import { meterLosses } from '../telemetry/log-losses.ts';
import type { Instruments } from './instruments.ts';
import type { OperatorParts } from './parts.ts';

interface Alerting {
  /** Call once per second, and when a rule may hold at once. */
  check(status: Status): void;
  /** The next check raises an alert. */
  halted(why: string): void;
  /** True for a failed disk, which raises an alert at the next check. */
  stops(reason: unknown): boolean;
}

type AlertingParts = Pick<
  OperatorParts,
  'clock' | 'telemetry' | 'logging' | 'consensus' | 'isStranded' | 'account' | 'oldTrust' | 'quarantine'
>;

export function createAlerting(
  parts: AlertingParts,
  instruments: Instruments,
  audience: Pick<ApiThread, 'publish'>,
): Alerting {
  const { clock, telemetry, logging } = parts;
  const readLosses = meterLosses(logging.losses, telemetry);
  for (const { name: rule, severity } of ALERT_RULES) telemetry.gauge('node_alert_active', 0, { rule, severity });
  /** Set once the full reason is known: operators read an alert's first message. */
  let halted: string | undefined;
  let diskFailed: string | undefined;

  function raise(alert: Alert): void {
    const { rule, severity, message, remedy } = alert;
    audience.publish('alert.raised', alert);
    telemetry.gauge('node_alert_active', 1, { rule, severity });
    telemetry.log('warn', `alert ${rule}: ${message}`, { rule, severity, remedy });
  }

  function clear({ rule, severity, sinceMs }: Alert): void {
    telemetry.gauge('node_alert_active', 0, { rule, severity });
    telemetry.log('info', `alert ${rule} cleared`, { rule });
    // The clock may have been set back.
    audience.publish('alert.cleared', { rule, afterMs: Math.max(0, clock.wallMs() - sinceMs) });
  }

  return {
    check(status) {
      const observed = { ...measured(parts, instruments, status), halted, diskFailed, logLost: readLosses() };
      const { raised, changed, cleared } = instruments.alerts.check(observed);
      for (const alert of raised) raise(alert);
      for (const alert of changed) audience.publish('alert.changed', alert);
      for (const alert of cleared) clear(alert);
    },
    halted(why) {
      halted = why;
    },
    stops(reason) {
      if (!(reason instanceof NodeError && reason.code === 'disk-failed')) return false;
      diskFailed = reason.message;
      return true;
    },
  };
}

function measured(
  {
    clock,
    consensus,
    isStranded,
    account,
    oldTrust,
    quarantine,
  }: Pick<AlertingParts, 'clock' | 'consensus' | 'isStranded' | 'account' | 'oldTrust' | 'quarantine'>,
  { rates, storage, clocks, liveness, peerTable, epochWatch }: Instruments,
  { height, finalHeight, headTimestampMs, signing, uptimeMs }: Status,
): Omit<Observed, 'halted' | 'diskFailed' | 'logLost'> {
  const read = rates.read();
  const { syncMsP99, diskFreeBytes } = storage.read();
  const { offsetMs: clockOffsetMs, fastLeaders } = clocks.read();
  const { suspects, highestReportedHeight, refusedViewOf, view } = consensus.status();
  const refusingValidators = refusedViewOf.flatMap((refused, member) => (refused >= view ? [member] : []));
  const nowMs = clock.wallMs();
  const blockedValidators = peerTable.blockedMembers();
  return {
    nowMs,
    sinceFinalMs: read.sinceFinalMs,
    finalSinceStart: read.finalSinceStart,
    headAgeMs: height === 0 ? undefined : nowMs - headTimestampMs,
    earliestMs: headTimestampMs,
    reachableWeightShare: liveness.reachableWeightShare(),
    commitLagBlocks: finalHeight - height,
    outOfOffenderBudget: suspects > 0,
    behindBlocks: highestReportedHeight - height,
    missingHeight: isStranded() ? height + 1 : undefined,
    nullifiedShare: read.endedViews === 0 ? 0 : read.nullifiedViews / read.endedViews,
    endedViews: read.endedViews,
    ownNullifiedShare: read.ownEndedViews === 0 ? 0 : read.ownNullifiedViews / read.ownEndedViews,
    ownEndedViews: read.ownEndedViews,
    blockedValidators,
    // Messages of blocked members are ignored.
    offlineValidators: liveness.offline().filter((member) => !blockedValidators.includes(member)),
    syncMsP99,
    diskFreeBytes,
    clockOffsetMs,
    fastLeaders,
    signing,
    uptimeMs,
    refusingValidators,
    votingWeightShare: liveness.reachableWeightShare(refusingValidators),
    epoch: epochWatch.read(),
    account: account(),
    oldTrust: oldTrust(),
    quarantined: quarantine.list().map(({ application, name }) => `${application}.${name}`),
  };
}
