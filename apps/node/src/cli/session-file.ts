/** The file of a session: its secret and its credential. Whoever has it may act until the session ends. */
import { type Session, sessionFromJson, sessionToJson } from '@slipstream/client';
import { NodeError } from '../errors.ts';
import { readText, writeText } from '../folder/files.ts';
import { textOr } from './option.ts';
import { inFolder } from './places.ts';
import type { Terminal } from './terminal.ts';

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

/** Returns its path. */
export async function writeSessionFile(file: string, session: Session, terminal: Terminal): Promise<string> {
  const path = inFolder(terminal, file);
  await writeText(path, `${JSON.stringify(sessionToJson(session), null, 2)}\n`, { secret: true });
  return path;
}
