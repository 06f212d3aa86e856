import { count, defineCommand, flag, usageError } from '@slipstream/command-line';
import { type AuditEntry, LOG_LEVELS } from '@slipstream/schema';
import { adminClient, adminOptions } from '../admin.ts';
import { malformedLine } from '../malformed-items.ts';
import { urlOption } from '../node-url.ts';

const options = { ...adminOptions, url: urlOption };
const MS_PER_S = 1000;
const DEADLINE_S_MAX = 3600;
const DEADLINE_S_DEFAULT = 60;

export const logLevelCommand = defineCommand({
  name: 'admin log-level',
  summary: 'Show or set the log level of a running node.',
  details: 'The level lasts until the node restarts; then log.level of the configuration applies.',
  positionals: [{ name: 'LEVEL', about: LOG_LEVELS.join(', '), optional: true }],
  options,
  example: 'slipstream admin log-level debug --home chain/validator-0',
  async run({ options: { json, ...rest }, arguments: [asked], terminal }) {
    const level = LOG_LEVELS.find((known) => known === asked);
    if (asked !== undefined && level === undefined) {
      throw usageError('slipstream admin log-level', [`LEVEL must be ${LOG_LEVELS.join(', ')}, not "${asked}"`]);
    }
    const client = await adminClient(rest, terminal);
    const answer = level === undefined ? await client.call('logLevel') : await client.setLogLevel(level);
    terminal.out(json ? JSON.stringify(answer) : answer.level);
    return 0;
  },
});

export const drainCommand = defineCommand({
  name: 'admin drain',
  summary: 'Drain a running node: it accepts no new transactions and finishes the accepted ones.',
  details:
    'Submissions are answered 503 and /readyz goes 503 at once, so that a balancer sends clients elsewhere; reads, streams and consensus go on. Undo it with "admin undrain".',
  options: {
    ...options,
    stop: flag('End the process when nothing that was accepted is pending any more.'),
    deadline: count(DEADLINE_S_DEFAULT, [0, DEADLINE_S_MAX], 'SECONDS', 'Stop at the latest after this time.'),
  },
  example: 'slipstream admin drain --stop --home chain/validator-0',
  async run({ options: { json, stop, deadline, ...rest }, terminal }) {
    const client = await adminClient(rest, terminal);
    const state = await client.drain({ stop, deadlineMs: deadline * MS_PER_S });
    const then = stop ? '; it stops when none is left' : '';
    terminal.out(json ? JSON.stringify(state) : `draining: ${state.pending} transactions are pending${then}`);
    return 0;
  },
});

export const undrainCommand = defineCommand({
  name: 'admin undrain',
  summary: 'Stop draining: the node accepts transactions again.',
  options,
  example: 'slipstream admin undrain --home chain/validator-0',
  async run({ options: { json, ...rest }, terminal }) {
    const state = await (await adminClient(rest, terminal)).undrain();
    terminal.out(json ? JSON.stringify(state) : 'taking transactions');
    return 0;
  },
});

export const auditCommand = defineCommand({
  name: 'admin audit',
  summary: 'List operator actions on a node, newest first.',
  details:
    'The full audit log is data/audit.jsonl in the folder of the node: one JSON object per line, with a checksum.',
  options,
  example: 'slipstream admin audit --home chain/validator-0',
  async run({ options: { json, ...rest }, terminal }) {
    const client = await adminClient(rest, terminal);
    const { items, malformed } = await client.call('audit');
    if (json) terminal.out(JSON.stringify({ items, malformed }));
    else for (const line of [...items.map(auditLine), ...malformed.map(malformedLine)]) terminal.out(line);
    return 0;
  },
});

function auditLine({ atMs, act, address, outcome, detail }: AuditEntry): string {
  return `${new Date(atMs).toISOString()}  ${act}  ${outcome}  from ${address}  ${detail}`.trimEnd();
}
