import type { ChainAudit, TransactionCounts } from '@slipstream/app-loadgen';
import { counted } from '@slipstream/primitives';
import type { ChangeReport } from './epochs.ts';
import type { Gap } from './progress.ts';
import type { DoubleSigning } from './signed-statements.ts';

export interface EpisodeReport {
  readonly number: number;
  readonly what: string;
  readonly kinds: readonly string[];
  readonly heldMs: number;
  readonly recoveredMs: number;
}

export interface ChaosReport {
  readonly seed: number;
  readonly repeat: string;
  readonly validators: number;
  readonly fullNodes: number;
  /** By a signal: the figures are of what had ended by then. */
  readonly interrupted: boolean;
  readonly seconds: number;
  /** Injections by kind; zero: skipped. */
  readonly faults: Readonly<Record<string, number>>;
  readonly skipped: Readonly<Record<string, string>>;
  readonly episodes: readonly EpisodeReport[];
  /** Of the committee; empty in a run of minutes. */
  readonly changes: readonly ChangeReport[];
  /** What the blocks have of the accepted transactions; undefined in a run of minutes. */
  readonly audit: ChainAudit | undefined;
  readonly recovery: { readonly p50Ms: number; readonly maxMs: number; readonly slowest: string } | null;
  readonly longestGap: Gap | undefined;
  /** Longest stall of this harness: a shorter gap may not be the chain's. */
  readonly harnessStallMs: number;
  readonly transactions: TransactionCounts;
  readonly refusals: Readonly<Record<string, number>>;
  readonly finalLost: number;
  readonly signedStatements: number;
  readonly doubleSignings: readonly DoubleSigning[];
  readonly unlogged: number;
  /** Signed statements that were cut off their signer's log before it was read. */
  readonly unread: number;
  readonly height: number;
  readonly stateBytes: number;
  /** Lines of severity error or fatal in the nodes' logs, by message. */
  readonly errorsLogged: Readonly<Record<string, number>>;
  readonly violations: readonly string[];
}

const LISTED_MAX = 20;

const rows = (entries: readonly (readonly [string, string | number])[]): string => {
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`).join('\n');
};

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

export function reportText(report: ChaosReport): string {
  const { transactions, longestGap, recovery } = report;
  const faults = Object.entries(report.faults).map(
    ([kind, count]) =>
      [`  ${kind}`, report.skipped[kind] === undefined ? count : `skipped: ${report.skipped[kind]}`] as const,
  );
  return [
    '',
    rows([
      [
        'network',
        `${counted(report.validators, 'validator')}, ${counted(report.fullNodes, 'full node')}, ${report.seconds} s, seed ${report.seed}`,
      ],
      ['faults injected', Object.values(report.faults).reduce((sum, count) => sum + count, 0)],
      ...faults,
      ['transactions sent', transactions.sent],
      ['  final', transactions.final],
      ['  refused', transactions.refused],
      ['  expired', transactions.expired],
      ['  failed', transactions.failed],
      ['  lost', transactions.lost],
      // Sent to a node that was killed or cut off.
      ['  unanswered', transactions.unanswered],
      ['  pending', transactions.pending],
      ['final and gone', report.finalLost],
      ['double signings', `${report.doubleSignings.length} in ${report.signedStatements} signed statements`],
      ['sent, not logged', `${report.unlogged}; ${report.unread} were cut off the log before it was read`],
      [
        'longest gap',
        longestGap ? `${seconds(longestGap.gapMs)} at ${seconds(longestGap.atMs)}: ${longestGap.cause}` : 'none',
      ],
      [
        'recovery',
        recovery
          ? `median ${seconds(recovery.p50Ms)}, slowest ${seconds(recovery.maxMs)}: ${recovery.slowest}`
          : 'none',
      ],
      ['harness stood still', seconds(report.harnessStallMs)],
      ['chain', `height ${report.height}, ${report.stateBytes} bytes of state on each node`],
      ...auditRows(report),
    ]),
    ...report.changes.map(changeText),
    ...list(
      'refused',
      Object.entries(report.refusals).map(([why, count]) => `${count} ${why}`),
    ),
    ...list(
      'errors logged',
      Object.entries(report.errorsLogged).map(([what, count]) => `${count} ${what}`),
    ),
    ...list('VIOLATION', report.violations),
    ...(report.interrupted ? ['Interrupted: the figures are of what had ended by then.'] : []),
    report.violations.length === 0 ? 'Nothing was violated.' : `${report.violations.length} violations.`,
    `Repeat: ${report.repeat}`,
  ].join('\n');
}

function list(name: string, items: readonly string[]): readonly string[] {
  const more = items.length > LISTED_MAX ? [`  ${name}: and ${items.length - LISTED_MAX} more`] : [];
  return [...items.slice(0, LISTED_MAX).map((item) => `  ${name}: ${item}`), ...more];
}

function auditRows({ audit, changes }: ChaosReport): readonly (readonly [string, string | number])[] {
  if (audit === undefined) return [];
  const { twice, missing, resurrected, contradicted } = audit.faults;
  return [
    ['changes of the committee', changes.length],
    ['  views lost', viewsLostText(changes)],
    ['  slowest recovery', seconds(Math.max(0, ...changes.map(({ recoveredMs }) => recoveredMs)))],
    ['accepted, in the blocks', `${audit.final} final, ${audit.failed} failed, of ${audit.blocks} blocks`],
    ['  twice', twice.length],
    ['  missing', missing.length],
    ['  with another end than reported', resurrected.length + contradicted.length],
  ];
}

/** At the ends of epochs, and in the blocks around them, where the faults are. */
function viewsLostText(changes: readonly ChangeReport[]): string {
  const read = changes.flatMap(({ boundary }) => boundary ?? []);
  const lost = read.map(({ viewsLost }) => viewsLost).filter((views) => views > 0);
  const around = read.reduce((sum, { viewsLostAround }) => sum + viewsLostAround, 0);
  const more = lost.filter((views) => views > 1).length;
  return `at ${lost.length} of ${read.length} boundaries, more than one at ${more}, at most ${Math.max(0, ...lost)}; ${around} around them`;
}

function changeText({ number, what, epoch, faults, aim, failures, boundary, tookMs, ...rest }: ChangeReport): string {
  const at =
    boundary === undefined
      ? 'boundary unread'
      : `height ${boundary.height}, ${boundary.viewsLost} views lost (${boundary.viewsLostAround} around), ${boundary.gapMs} ms`;
  return [
    `  ${String(number).padStart(3)}  epoch ${epoch}: ${what}; took ${seconds(tookMs)}, ${failures.length} failed tries`,
    `       ${aim}: ${faults}; recovered ${seconds(rest.recoveredMs)}; ${at}; ${rest.finalTransactions} final`,
  ].join('\n');
}
