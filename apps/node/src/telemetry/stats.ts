import type { TelemetryFields } from '@slipstream/ports';
import { createSlidingSamples, type Quantiles } from './quantiles.ts';

const RATE_WINDOW_MS = 10_000;

export interface Rates {
  readonly blocksPerSecond: number;
  readonly transactionsPerSecond: number;
  readonly rowsPerSecond: number;
  /** Time between commits of consecutive blocks here. */
  readonly blockTimeMs: Quantiles | null;
  /** Time from a proposal's arrival to its finalization here. */
  readonly finalityMs: Quantiles | null;
  /** Since the start until `finalSinceStart`. */
  readonly sinceFinalMs: number;
  readonly finalSinceStart: boolean;
  readonly quorumChecks: number;
  readonly votesChecked: number;
  readonly bisections: number;
  /** In committed blocks since the start. */
  readonly sessionsGranted: number;
  readonly sessionTransactions: number;
  /** Of distilled batches: charged by committed blocks, since the start. */
  readonly executedRows: number;
  /** Chunks of all producers since the start. */
  readonly certifiedChunks: number;
  /** Time from a chunk's creation to its certificate here: a validator's own chunks, a full node's all. */
  readonly certificationMs: Quantiles | null;
  /** Within the last minute: nullified views, and all that ended. */
  readonly nullifiedViews: number;
  readonly endedViews: number;
  /** Views that this validator led and entered. */
  readonly ownNullifiedViews: number;
  readonly ownEndedViews: number;
}

export interface RateMeter {
  listen(type: string, fields: TelemetryFields): void;
  read(): Rates;
}

/** `selfNow`: this validator's index. It learns of others' chunks with the notarization (docs/decisions/0040). */
export function createRateMeter(nowMs: () => number, selfNow: () => number | undefined = () => undefined): RateMeter {
  const blockTimes = createSlidingSamples();
  const finalities = createSlidingSamples();
  const certifications = createSlidingSamples();
  /** 1: nullified; 0: final block. */
  const views = createSlidingSamples();
  const ownViews = createSlidingSamples();
  let ownViewEntered: unknown;
  const committed: { readonly atMs: number; readonly transactions: number; readonly rows: number }[] = [];
  let lastCommitMs: number | undefined;
  let lastFinalMs = nowMs();
  let finalSinceStart = false;
  let quorumChecks = 0;
  let votesChecked = 0;
  let bisections = 0;
  let sessionsGranted = 0;
  let sessionTransactions = 0;
  let executedRows = 0;
  let certifiedChunks = 0;

  function listen(type: string, fields: TelemetryFields): void {
    const atMs = nowMs();
    const self = selfNow();
    if (type === 'block.final') {
      lastFinalMs = atMs;
      finalSinceStart = true;
      finalities.add(atMs, Number(fields.sinceArrivalMs));
      views.add(atMs, 0);
      if (self !== undefined && fields.proposer === self) ownViews.add(atMs, 0);
    } else if (type === 'view.entered') {
      if (self !== undefined && fields.leader === self) ownViewEntered = fields.view;
    } else if (type === 'view.nullified') {
      views.add(atMs, 1);
      // A view nullified while this node was offline says nothing about its leader.
      if (self !== undefined && fields.leader === self && fields.view === ownViewEntered) ownViews.add(atMs, 1);
    } else if (type === 'chunk.certified') {
      certifiedChunks++;
      if (self === undefined || fields.producer === self) certifications.add(atMs, Number(fields.sinceCreatedMs));
    } else if (type === 'block.committed') {
      if (lastCommitMs !== undefined) blockTimes.add(atMs, atMs - lastCommitMs);
      lastCommitMs = atMs;
      committed.push({ atMs, transactions: Number(fields.transactions), rows: Number(fields.rows) });
      executedRows += Number(fields.rows);
      sessionsGranted += Number(fields.sessionsGranted ?? 0);
      sessionTransactions += Number(fields.sessionTransactions ?? 0);
    } else if (type === 'quorum.verified') {
      quorumChecks++;
      votesChecked += Number(fields.votes);
    } else if (type === 'bisection') {
      bisections++;
    }
  }

  function read(): Rates {
    const atMs = nowMs();
    while (committed[0] && committed[0].atMs < atMs - RATE_WINDOW_MS) committed.shift();
    const transactions = committed.reduce((sum, block) => sum + block.transactions, 0);
    const rows = committed.reduce((sum, block) => sum + block.rows, 0);
    const ended = views.values(atMs);
    const ownEnded = ownViews.values(atMs);
    const seconds = RATE_WINDOW_MS / 1000;
    return {
      blocksPerSecond: committed.length / seconds,
      transactionsPerSecond: transactions / seconds,
      rowsPerSecond: rows / seconds,
      blockTimeMs: blockTimes.quantiles(atMs),
      finalityMs: finalities.quantiles(atMs),
      sinceFinalMs: atMs - lastFinalMs,
      finalSinceStart,
      quorumChecks,
      votesChecked,
      bisections,
      sessionsGranted,
      sessionTransactions,
      executedRows,
      certifiedChunks,
      certificationMs: certifications.quantiles(atMs),
      nullifiedViews: ended.filter((each) => each === 1).length,
      endedViews: ended.length,
      ownNullifiedViews: ownEnded.filter((each) => each === 1).length,
      ownEndedViews: ownEnded.length,
    };
  }

  return { listen, read };
}
