import { expect, test } from 'vitest';
import { createNodeLog } from '../../src/cli/node-log.ts';
import { meterLosses } from '../../src/telemetry/log-losses.ts';

const NO_SPACE = new Error('ENOSPC: no space left on device, write');

/** Writes lines while `works`. With `waits` each is ended by hand, in order. */
function logOver({ waits = false } = {}) {
  const written: Record<string, unknown>[] = [];
  const waiting: (() => void)[] = [];
  const disk = { works: true };
  const { logger, losses } = createNodeLog(
    { level: 'info', name: 'validator-0', pretty: false },
    {
      err(line, done) {
        const settle = () => {
          if (disk.works) written.push(JSON.parse(line));
          done?.(disk.works ? undefined : NO_SPACE);
        };
        if (waits) waiting.push(settle);
        else settle();
      },
    },
  );
  return {
    logger,
    losses,
    disk,
    waiting,
    said: () => written.map(({ msg, lines }) => (lines === undefined ? msg : lines)),
  };
}

test('unwritable lines are counted with the reason, and their number follows the next written line', () => {
  const { logger, losses, disk, said } = logOver();
  logger.info('one');
  disk.works = false;
  logger.info('two');
  logger.info('three');
  expect(losses).toMatchObject({ lines: 2, reason: NO_SPACE.message });
  disk.works = true;
  logger.info('four');
  expect(said()).toEqual(['one', 'four', 2]);
  expect(losses).toMatchObject({ lines: 2, reason: undefined });
  logger.info('five');
  expect(said()).toEqual(['one', 'four', 2, 'five']);
});

test('the line about losses is an error, with the reason', () => {
  const lines: string[] = [];
  let works = false;
  const { logger, losses } = createNodeLog(
    { level: 'error', name: 'validator-0', pretty: false },
    {
      err(line, done) {
        if (works) lines.push(line);
        done?.(works ? undefined : NO_SPACE);
      },
    },
  );
  logger.error('lost');
  works = true;
  losses.reportNow();
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({
      level: 'error',
      node: 'validator-0',
      lines: 1,
      reason: NO_SPACE.message,
      msg: 'lines of the log were lost: it could not be written',
    }),
  ]);
});

test('an idle log is retried each second, and a retry is not a loss', () => {
  const { logger, losses, disk, said } = logOver();
  disk.works = false;
  logger.info('one');
  for (let second = 0; second < 5; second++) losses.reportNow();
  expect(losses.lines).toBe(1);
  disk.works = true;
  losses.reportNow();
  losses.reportNow();
  expect(said()).toEqual([1]);
  expect(losses.reason).toBeUndefined();
});

test('lines lost during the report of a loss are in the next report', () => {
  const { logger, losses, disk, waiting, said } = logOver({ waits: true });
  logger.info('one');
  disk.works = false;
  waiting.shift()?.();
  losses.reportNow();
  losses.reportNow();
  expect(waiting).toHaveLength(1);
  logger.info('two');
  disk.works = true;
  waiting.shift()?.();
  disk.works = false;
  waiting.shift()?.();
  disk.works = true;
  losses.reportNow();
  while (waiting.length > 0) waiting.shift()?.();
  expect(said()).toEqual([1, 1]);
  expect(losses).toMatchObject({ lines: 2, reason: undefined });
});

test('the metric counts each lost line once', () => {
  const { logger, losses, disk } = logOver();
  const counts: (readonly [string, number | undefined])[] = [];
  const read = meterLosses(losses, { count: (name, by) => void counts.push([name, by]) });
  expect(read()).toBeUndefined();
  disk.works = false;
  logger.info('one');
  logger.info('two');
  expect([read(), read()]).toEqual([NO_SPACE.message, NO_SPACE.message]);
  disk.works = true;
  expect(read()).toBeUndefined();
  expect(counts.map(([, by]) => by)).toEqual([0, 2, 0, 0]);
  expect(new Set(counts.map(([name]) => name))).toEqual(new Set(['node_log_lines_lost_total']));
});
