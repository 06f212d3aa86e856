import { Writable } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { createAnswers, EXIT_READER_GONE } from '../src/answers.ts';
import { createFileOutput, createStreamOutput, type Output } from '../src/output.ts';

const NO_SPACE = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
const READER_GONE = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });

/** Takes at most `atOnce` bytes per write. */
function fileWith(roomBytes: number, atOnce = Number.POSITIVE_INFINITY) {
  let text = '';
  let room = roomBytes;
  return {
    read: () => text,
    makeRoom: (bytes: number) => {
      room += bytes;
    },
    write(bytes: Uint8Array): number {
      if (room === 0) throw NO_SPACE;
      const taken = Math.min(bytes.length, room, atOnce);
      text += Buffer.from(bytes.subarray(0, taken)).toString();
      room -= taken;
      return taken;
    },
  };
}

function outcomes(output: Output) {
  const faults: (string | undefined)[] = [];
  const write = (text: string) => output.write(text, (fault) => faults.push(fault?.message));
  return { faults, write };
}

test('a file that takes a text in parts gets all of it', () => {
  const file = fileWith(100, 3);
  const { faults, write } = outcomes(createFileOutput(file.write));
  write('a long line\n');
  expect(file.read()).toBe('a long line\n');
  expect(faults).toEqual([undefined]);
});

test('a partly written text counts as lost, and the next begins on a new line', () => {
  const file = fileWith(4);
  const { faults, write } = outcomes(createFileOutput(file.write));
  write('one line\n');
  write('two\n');
  file.makeRoom(100);
  write('three\n');
  write('four\n');
  expect(file.read()).toBe('one \nthree\nfour\n');
  expect(faults).toEqual([NO_SPACE.message, NO_SPACE.message, undefined, undefined]);
});

test('a stream whose reader has closed fails each write, without an unhandled error', async () => {
  const stream = new Writable({ write: (_chunk, _encoding, done) => done(READER_GONE) });
  stream.on('error', () => {});
  const { faults, write } = outcomes(createStreamOutput(stream, 100));
  write('one\n');
  await vi.waitFor(() => expect(faults).toEqual([READER_GONE.message]));
  write('two\n');
  await vi.waitFor(() => expect(faults).toHaveLength(2));
  expect(faults[1]).toBeDefined();
});

test('a stream with a slow reader buffers up to the bound, and reports each text above it', async () => {
  const waiting: (() => void)[] = [];
  const stream = new Writable({ write: (_chunk, _encoding, done) => void waiting.push(done) });
  const output = createStreamOutput(stream, 10);
  const { faults, write } = outcomes(output);
  for (const text of ['12345678', '87654321', 'more', 'more']) write(text);
  expect(faults).toEqual(Array(2).fill('its reader is more than 10 bytes behind'));
  const settled = output.settled();
  while (waiting.length > 0) {
    waiting.shift()?.();
    await new Promise(setImmediate);
  }
  await settled;
  expect(faults.slice(2)).toEqual([undefined, undefined]);
});

/** Each write fails with this. */
function answersOver(fault?: Error) {
  const readerIsGone = vi.fn();
  const output: Output = { write: (_text, done) => done?.(fault), settled: () => Promise.resolve() };
  return { answers: createAnswers(output, { readerIsGone }), readerIsGone };
}

test('an answer that was written leaves the exit code unchanged', () => {
  const { answers } = answersOver();
  answers.write('answer\n');
  expect([0, 1, 2].map(answers.exitCodeOf)).toEqual([0, 1, 2]);
  expect(answers.fault).toBeUndefined();
});

test('an answer that could not be written changes exit code 0 to 1, leaves other codes, and reports why', () => {
  const { answers, readerIsGone } = answersOver(NO_SPACE);
  answers.write('answer\n');
  expect([0, 1, 2].map(answers.exitCodeOf)).toEqual([1, 1, 2]);
  expect(answers.fault).toContain('ENOSPC');
  expect(readerIsGone).not.toHaveBeenCalled();
});

test('a closed reader is reported once, without a message, and each exit code becomes 141', () => {
  const { answers, readerIsGone } = answersOver(READER_GONE);
  answers.write('one\n');
  answers.write('two\n');
  expect(readerIsGone).toHaveBeenCalledTimes(1);
  expect([0, 1].map(answers.exitCodeOf)).toEqual([EXIT_READER_GONE, EXIT_READER_GONE]);
  expect(answers.fault).toBeUndefined();
});

test.each([NO_SPACE, READER_GONE])('where answers may be lost, $code changes nothing', (fault) => {
  const { answers, readerIsGone } = answersOver(fault);
  answers.allowLoss();
  answers.write('answer\n');
  expect(answers.exitCodeOf(0)).toBe(0);
  expect(readerIsGone).not.toHaveBeenCalled();
});
