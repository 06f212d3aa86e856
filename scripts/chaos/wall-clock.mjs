/**
 * Preloaded into a node under test: shifts its wall clock while it runs.
 *
 *   node --import 'wall-clock.mjs?offset=FILE' ...     FILE holds milliseconds; empty or missing: none
 *
 * Monotonic clock and timers are unchanged, as when a machine's time of day is set.
 */
import { readFileSync } from 'node:fs';

const REREAD_MS = 500;
const file = new URL(import.meta.url).searchParams.get('offset') ?? '';
const RealDate = globalThis.Date;
let offsetMs = 0;

function reread() {
  try {
    offsetMs = Number(readFileSync(file, 'utf8')) || 0;
  } catch {
    offsetMs = 0;
  }
}

class MovedDate extends RealDate {
  /** @param {...unknown} given */
  constructor(...given) {
    if (given.length === 0) super(MovedDate.now());
    else super(.../** @type {[number]} */ (given));
  }

  /** @override */
  static now() {
    return RealDate.now() + offsetMs;
  }
}

reread();
setInterval(reread, REREAD_MS).unref();
globalThis.Date = /** @type {DateConstructor} */ (/** @type {unknown} */ (MovedDate));
