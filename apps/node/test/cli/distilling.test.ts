/** What `slipstream distill` says of brokers. */
import { expect, test } from 'vitest';
import { capturedTerminal } from '../../../../packages/command-line/test/captured-terminal.ts';
import { reportBroker } from '../../src/cli/distilling.ts';

const url = 'http://127.0.0.1:8080';
const lost = { type: 'lost', url, code: 'ended', retryInMs: 100 } as const;

test('a broker that is tried again and again is reported once, and again after it was reached', () => {
  const terminal = capturedTerminal('/');
  const report = reportBroker(terminal);
  for (let i = 0; i < 5; i++) report({ ...lost, reason: 'stopping: the node stops' });
  expect(terminal.errLines).toEqual([`${url}: ended: stopping: the node stops; trying again`]);
  report({ type: 'live', url });
  report({ ...lost, reason: 'stopping: the node stops' });
  expect(terminal.errLines).toHaveLength(2);
});

test('an end for an account that is too new for brokers comes with the reason', () => {
  const terminal = capturedTerminal('/');
  reportBroker(terminal)({ ...lost, reason: 'index-unknown: the login was refused' });
  expect(terminal.errLines.join()).toContain('some blocks after its registration');
});
