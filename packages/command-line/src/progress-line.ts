/**
 * The progress line of a command: shown from its first second until the command prints something.
 *
 *   state verify: [#########-----------] 45 %, 3 s left        the command reports its progress
 *   tx wait: 4 s                                               it does not
 *
 * It is drawn only where standard error is a terminal.
 */
import type { Terminal } from './terminal.ts';

/** Both numbers are in the same unit, whichever it is. */
export type ReportProgress = (done: number, total: number) => void;

interface ProgressLine {
  readonly report: ReportProgress;
  /** Removes the line. Idempotent. */
  end(): void;
}

/** The returned function stops the interval. */
export interface Pulse {
  nowMs(): number;
  every(ms: number, act: () => void): () => void;
}

const FIRST_MS = 1_000;
const DRAW_MS = 200;
const BAR_CELLS = 20;
const WIPE = '\r\u001b[2K';

const PROCESS_PULSE: Pulse = {
  nowMs: () => performance.now(),
  every(ms, act) {
    const timer = setInterval(act, ms);
    timer.unref();
    return () => clearInterval(timer);
  },
};

export function createProgressLine(title: string, terminal: Terminal, pulse: Pulse = PROCESS_PULSE): ProgressLine {
  if (!terminal.interactive) return { report() {}, end() {} };
  const startedMs = pulse.nowMs();
  let share: number | undefined;
  let isDrawn = false;
  let drawnMs = startedMs;
  let ended = false;
  const cancel = pulse.every(DRAW_MS, draw);

  function draw(): void {
    const nowMs = pulse.nowMs();
    const tookMs = nowMs - startedMs;
    if (ended || tookMs < FIRST_MS) return;
    isDrawn = true;
    drawnMs = nowMs;
    terminal.draw(`${WIPE}${title}: ${progressText(tookMs, share)}`);
  }

  return {
    report(done, total) {
      share = total > 0 ? Math.min(1, Math.max(0, done / total)) : undefined;
      // Work that never yields the thread is drawn here.
      if (pulse.nowMs() - drawnMs >= DRAW_MS) draw();
    },
    end() {
      if (ended) return;
      ended = true;
      cancel();
      if (isDrawn) terminal.draw(WIPE);
    },
  };
}

/** A terminal whose output ends the line. */
export function withProgressLine(terminal: Terminal, line: ProgressLine): Terminal {
  return {
    ...terminal,
    out(text, done) {
      line.end();
      terminal.out(text, done);
    },
    err(text, done) {
      line.end();
      terminal.err(text, done);
    },
  };
}

function progressText(tookMs: number, share: number | undefined): string {
  if (share === undefined) return `${Math.floor(tookMs / 1_000)} s`;
  const cells = Math.round(share * BAR_CELLS);
  const bar = `[${'#'.repeat(cells)}${'-'.repeat(BAR_CELLS - cells)}] ${Math.floor(share * 100)} %`;
  return share === 0 ? bar : `${bar}, ${Math.ceil((tookMs * (1 - share)) / share / 1_000)} s left`;
}
