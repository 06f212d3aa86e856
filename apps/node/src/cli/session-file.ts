/** A file with secret and credential of a session. Any holder of the file can act until the session ends. */
import { existsSync } from 'node:fs';
import { type Session, sessionFromJson, sessionToJson } from '@slipstream/client';
import { inFolder, type Terminal, textOr } from '@slipstream/command-line';
import { readText, writeText } from '@slipstream/node-home';
import { NodeError } from '../errors.ts';

export const SESSION_FILE = 'session.json';

export const sessionOption = textOr(SESSION_FILE, 'FILE', 'What "session grant" wrote.');

export async function readSessionFile(file: string, terminal: Terminal): Promise<Session> {
  const path = inFolder(terminal, file);
  const text = await readText(path, 'session file');
  try {
    return sessionFromJson(JSON.parse(text));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const advice = 'take the file that "slipstream session grant" wrote';
    throw new NodeError('home-incomplete', `${path} is no session: ${reason}; ${advice}`, { path }, cause);
  }
}

/** Call before a grant; throws NodeError `usage` when a file exists. */
export function newSessionFile(file: string, terminal: Terminal): string {
  const path = inFolder(terminal, file);
  if (!existsSync(path)) return path;
  const message = `${path} is there already: a session is never overwritten. Choose another --out, or remove it`;
  throw new NodeError('usage', message, { path });
}

export async function writeSessionFile(path: string, session: Session): Promise<void> {
  await writeText(path, `${JSON.stringify(sessionToJson(session), null, 2)}\n`, { secret: true });
}
