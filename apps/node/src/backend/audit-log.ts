/**
 * A file with one JSON object per line, append-only.
 *
 * A line ends in its check, the first bytes of the SHA-256 of the text before it: damaged entries are not reported. Above FILE_BYTES_MAX
 * the file replaces `<name>.1`.
 */
import { appendFile, readFile, rename, stat } from 'node:fs/promises';
import type { AuditLog } from '@slipstream/api';
import type { Telemetry } from '@slipstream/ports';
import { sha256, toHex, utf8 } from '@slipstream/primitives';
import type { AuditEntry } from '@slipstream/schema';

/** Some 80,000 entries. */
const FILE_BYTES_MAX = 16 * 1024 * 1024;
/** Refused requests cost their sender nothing: beyond this many waiting entries they are only counted. */
const WAITING_MAX = 1_000;
const NEWEST_MAX = 100;
const NEWEST_BYTES_MAX = 256 * 1024;
const DAMAGED_LISTED_MAX = 10;

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
        .then(() => append(`${lineOf(entry)}\n`))
        .catch((error: unknown) => {
          telemetry.log(
            'error',
            'an operator action was done and is not in the audit log: look at the disk and at the file’s permissions',
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
      // The first line may be cut off.
      const lines = text
        .slice(-NEWEST_BYTES_MAX)
        .split('\n')
        .slice(text.length > NEWEST_BYTES_MAX ? 1 : 0, -1);
      const entries = lines.map(parse);
      const damaged = entries.flatMap((entry, at) => (entry === undefined ? lines.length - at : []));
      if (damaged.length > 0) {
        const message = `${file} is damaged, or a power cut left part of a line: ${damaged.length} of its operator actions are not listed`;
        telemetry.log('error', message, { file, linesFromEnd: damaged.slice(0, DAMAGED_LISTED_MAX) });
      }
      const sound = entries.filter((entry) => entry !== undefined);
      return sound.slice(-NEWEST_MAX).reverse();
    },
  };
}

/** Completes a half line that a power loss left. */
async function endLastLine(file: string): Promise<void> {
  const text = await readFile(file, 'utf8').catch(() => '');
  if (text !== '' && !text.endsWith('\n')) await appendFile(file, '\n').catch(() => {}); // the next write reports the error
}

const CHECK_DIGITS = 16;
const LINE = /^(\{.*),"check":"([0-9a-f]{16})"\}$/;

function lineOf(entry: AuditEntry): string {
  const open = JSON.stringify(entry).slice(0, -1);
  return `${open},"check":"${checkOf(open)}"}`;
}

function checkOf(text: string): string {
  return toHex(sha256(utf8(text))).slice(0, CHECK_DIGITS);
}

function parse(line: string): AuditEntry | undefined {
  const [, open, check] = LINE.exec(line) ?? [];
  if (open === undefined || checkOf(open) !== check) return undefined;
  return JSON.parse(`${open}}`) as AuditEntry;
}
