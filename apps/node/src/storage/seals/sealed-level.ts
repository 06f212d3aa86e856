/**
 * LevelDB with sealed files:
 *
 *   seals --> check --> hold --> LevelDB --> a round every ROUND_MS, and one before it closes
 *                          \--> held tables, slowly --> one that differs: reported, and recorded for the next opening
 *
 * This binding of LevelDB compares no checksums of tables, and silently skips damage in its log. The ledger's checks (K3) cover what is
 * newer than the last round.
 */
import { join } from 'node:path';
import { createDisk, type LevelStore, levelDamage, openKeyValue, rejectIfLocked } from '@slipstream/platform';
import {
  type Clock,
  type Disk,
  type DiskError,
  type KeyValue,
  silentTelemetry,
  type Telemetry,
} from '@slipstream/ports';
import { agrees, CHECKING, checkSeals, hold } from './check.ts';
import { readSeals, type Seals } from './seal-file.ts';
import { createSealer, type Sealer } from './sealer.ts';

export interface Watch {
  readonly clock: Pick<Clock, 'after'>;
  /** A held table is damaged; called at most once. The store must not be used any more. */
  readonly onDamaged: (error: DiskError) => void;
}

export interface SealedLevelOptions {
  readonly location: string;
  /** Other threads open it too. */
  readonly shared?: boolean;
  /** This process has compared the files already. */
  readonly isChecked?: boolean;
  readonly telemetry?: Telemetry;
  /** Times the rounds, and the check of held tables. Undefined: held tables wait for a later opening. */
  readonly watch?: Watch;
  readonly tableBytesMax?: number;
}

/** Limits the check at the start, which delays a validator. */
const TABLE_BYTES_MAX = 512 * 1024 * 1024;
const ROUND_MS = 10_000;
/** Pause between pieces of a held table: the check takes a twentieth of the processor, at 40 MiB per second. */
const PAUSE_MS = 25;

/** Rejects with DiskError `damaged`, which names the file, or `permission`: another process has the store open. */
export async function openSealed(options: SealedLevelOptions): Promise<KeyValue> {
  const { location, shared = false, isChecked = false, telemetry = silentTelemetry, watch } = options;
  const { tableBytesMax = TABLE_BYTES_MAX } = options;
  const disk = createDisk({ root: location });
  await disk.makeDirectory('');
  const seals = await sealsOf(disk, location, telemetry);
  const held = await checkSeals(disk, seals, { location, tableBytesMax, isChecked }).catch(async (damage: unknown) => {
    await rejectIfLocked(location);
    throw damage;
  });
  await hold(disk, held);
  const level = await openKeyValue({ location, shared });
  const heldNow = new Set(held);
  const sealer = createSealer(disk, seals.files, heldNow);
  const sealing = createSealing(sealer, level, { location, telemetry });
  const abort = new AbortController();
  const { signal } = abort;
  const parts = { disk, sealing, location, held: heldNow, sealed: seals.files };
  const checking = watch && checkHeld(parts, watch, signal).catch((error: unknown) => sealing.failed(error));
  const stopRounds = watch && repeat(watch.clock, sealing.round);

  let closing: Promise<void> | undefined;

  async function close(): Promise<void> {
    abort.abort();
    stopRounds?.();
    await checking;
    await sealing.round();
    await sealing.inTurn(sealer.close);
    await level.close();
  }

  return {
    get: level.get,
    getMany: level.getMany,
    batch: level.batch,
    range: level.range,
    close: () => (closing ??= close()),
  };
}

async function sealsOf(disk: Disk, location: string, telemetry: Telemetry): Promise<Seals> {
  const seals = await readSeals(disk);
  if (seals !== undefined) return seals;
  const message = `the seals of ${location} are damaged: its files are not compared this time, and are sealed again`;
  telemetry.log('warn', message, {});
  return { files: new Map(), damaged: undefined };
}

interface Sealing {
  /** Never rejects: files need no seal. */
  round(): Promise<void>;
  foundDamaged(name: string): Promise<void>;
  released(name: string): void;
  inTurn(step: () => Promise<void>): Promise<void>;
  failed(error: unknown): void;
}

/** Steps run one after another. */
function createSealing(
  sealer: Sealer,
  level: LevelStore,
  { location, telemetry }: { readonly location: string; readonly telemetry: Telemetry },
): Sealing {
  let last: Promise<void> = Promise.resolve();

  function failed(error: unknown): void {
    telemetry.log('warn', `the files of ${location} could not be sealed`, { error: String(error) });
  }

  function inTurn(step: () => Promise<void>): Promise<void> {
    last = last.then(step).catch(failed);
    return last;
  }

  return {
    round: () => inTurn(() => sealer.round(level.tablesInUse())),
    foundDamaged: (name) => inTurn(() => sealer.foundDamaged(name)),
    released: sealer.released,
    inTurn,
    failed,
  };
}

/** The result ends the repetition. */
function repeat(clock: Watch['clock'], action: () => Promise<void>): () => void {
  let isOver = false;
  let cancel = clock.after(ROUND_MS, next);

  function next(): void {
    void action().then(() => {
      if (!isOver) cancel = clock.after(ROUND_MS, next);
    });
  }

  return () => {
    isOver = true;
    cancel();
  };
}

interface HeldParts {
  readonly disk: Disk;
  readonly sealing: Sealing;
  readonly location: string;
  readonly held: ReadonlySet<string>;
  readonly sealed: Seals['files'];
}

/** Checks held tables one after another; tables that it does not reach stay held. */
async function checkHeld(
  { disk, sealing, location, held, sealed }: HeldParts,
  { clock, onDamaged }: Watch,
  signal: AbortSignal,
): Promise<void> {
  const pause = () => pauseOf(clock, signal);
  for (const name of [...held]) {
    const file = sealed.get(name);
    if (file === undefined) continue;
    const isSound = await agrees(disk, `${CHECKING}/${name}`, file, pause);
    if (signal.aborted) return;
    if (!isSound) {
      await sealing.foundDamaged(name);
      onDamaged(levelDamage(join(location, name), 'it disagrees with its seal'));
      return;
    }
    sealing.released(name);
    await disk.remove(`${CHECKING}/${name}`);
  }
}

function pauseOf(clock: Watch['clock'], signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      cancel();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.after(PAUSE_MS, done);
    signal.addEventListener('abort', done);
  });
}
