/**
 * The line that a person sees while a command works: from its first second on, until it says something.
 *
 *   state verify: [#########-----------] 45 %, 3 s left        the command tells how far it is
 *   tx wait: 4 s                                               it does not
 *
 * On standard error of a terminal alone; what a command prints wipes the line away, for good.
 */
import type { Terminal } from './terminal.ts';

/** How much of all is done, in any unit. */
export type TellProgress = (done: number, total: number) => void;

export interface ProgressLine {
  readonly tell: TellProgress;
  /** Wipes it away. Idempotent. */
  end(): void;
}

/** What it needs of time: milliseconds, and a call again and again until the returned function is called. */
export interface Pulse {
  nowMs(): number;
  every(ms: number, act: () => void): () => void;
}

/** Whoever answers sooner needs no line. */
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
  if (!terminal.interactive) return { tell() {}, end() {} };
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
    tell(done, total) {
      share = total > 0 ? Math.min(1, Math.max(0, done / total)) : undefined;
      // Work that leaves the thread no turn of its own is drawn here.
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

/** The terminal for a command that has this line: its words take the line's place. */
export function wipedBy(terminal: Terminal, line: ProgressLine): Terminal {
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
