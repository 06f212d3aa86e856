/**
 * The record of what operators did, in a file of its own: one JSON object a line, appended, never rewritten.
 *
 * Above FILE_BYTES_MAX the file becomes `<name>.1`, in the place of the one before; so it holds between one and two of them.
 */
import { appendFile, readFile, rename, stat } from 'node:fs/promises';
import type { AuditLog } from '@slipstream/api';
import type { Telemetry } from '@slipstream/ports';
import type { AuditEntry } from '@slipstream/schema';

/** Some 80,000 acts. */
const FILE_BYTES_MAX = 16 * 1024 * 1024;
/** Refusals cost their sender nothing: more than these wait for the disk no longer, and are counted instead. */
const WAITING_MAX = 1_000;
const NEWEST_MAX = 100;
/** What is read of the end of the file for the newest. */
const NEWEST_BYTES_MAX = 256 * 1024;

export function createAuditLog(file: string, telemetry: Telemetry): AuditLog {
  let writing: Promise<void> = endLastLine(file);
  let waiting = 0;

  async function append(line: string): Promise<void> {
    const size = await stat(file).then(
      (found) => found.size,
      () => 0,
    );
    if (size + line.length > FILE_BYTES_MAX) await rename(file, `${file}.1`);
    await appendFile(file, line, { mode: 0o600 });
  }

  return {
    record(entry) {
      if (waiting >= WAITING_MAX) return telemetry.count('node_audit_entries_lost', 1);
      waiting += 1;
      writing = writing
        .then(() => append(`${JSON.stringify(entry)}\n`))
        .catch((error: unknown) => {
          telemetry.log(
            'error',
            'an act of an operator was done and is not in the audit log: look at the disk and at the file’s permissions',
            {
              file,
              ...entry,
              error: String(error),
            },
          );
        })
        .finally(() => {
          waiting -= 1;
        });
    },
    async newest() {
      await writing;
      const text = await readFile(file, 'utf8').catch(() => '');
      const entries = text.slice(-NEWEST_BYTES_MAX).split('\n').flatMap(parse);
      return entries.slice(-NEWEST_MAX).reverse();
    },
  };
}

/** A power cut may have left half of a line: the next entry begins on its own. */
async function endLastLine(file: string): Promise<void> {
  const text = await readFile(file, 'utf8').catch(() => '');
  if (text !== '' && !text.endsWith('\n')) await appendFile(file, '\n').catch(() => {}); // the next write tells
}

/** None for a line that is cut. */
function parse(line: string): readonly AuditEntry[] {
  try {
    return [JSON.parse(line) as AuditEntry];
  } catch {
    return [];
  }
}
