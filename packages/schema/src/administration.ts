import { Type } from 'typebox';
import { count, type Json, orNull, TimeMs } from './scalars.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevelName = (typeof LOG_LEVELS)[number];

export const LogLevelSchema = Type.Object(
  { level: Type.Enum([...LOG_LEVELS], { description: 'The least severity that is logged.' }) },
  { additionalProperties: false, title: 'LogLevel' },
);
export type LogLevelJson = Json<typeof LogLevelSchema>;

export const DrainStateSchema = Type.Object(
  {
    draining: Type.Boolean(),
    sinceMs: orNull(TimeMs),
    pending: count('Transactions that were accepted here and have not ended.'),
    stops: Type.Boolean({ description: 'Whether the process ends when nothing is pending.' }),
    deadlineMs: orNull(TimeMs),
  },
  { title: 'DrainState' },
);
export type DrainState = Json<typeof DrainStateSchema>;

const AuditEntrySchema = Type.Object(
  {
    atMs: TimeMs,
    act: Type.String({ examples: ['block-peer'] }),
    address: Type.String({ description: 'Where it came from.', examples: ['127.0.0.1'] }),
    outcome: Type.String({ description: 'done, unknown, refused, or why it was not let in.', examples: ['done'] }),
    detail: Type.String({ description: 'What it was done to, and with what.' }),
  },
  { title: 'AuditEntry' },
);
export type AuditEntry = Json<typeof AuditEntrySchema>;

export const AuditPageSchema = Type.Object({ items: Type.Array(AuditEntrySchema) }, { title: 'AuditPage' });
