/**
 * NAME.lock.json, beside NAME.ts: the numbers of tables, actions and events, which stand in state, transactions and receipts.
 * A number is never given twice: one whose table is gone stays in the file.
 *
 * A digest over the numbers shows an edit, or a merge of two branches that each gave a number.
 */
import type { ApplicationManifest, Numbers } from '@slipstream/app/program';
import { canonicalJson } from '@slipstream/app-realm';
import { sha256, toHex, utf8 } from '@slipstream/primitives';
import { BuildError } from './errors.ts';

const KINDS = ['tables', 'actions', 'events'] as const;

type ByName = Readonly<Record<string, number>>;

export interface Lock extends Numbers {
  readonly application: string;
}

const NAME = /^[A-Za-z][A-Za-z0-9]*$/;

const RESTORE = 'restore it from version control, or delete it if no chain runs this application';

/** Throws BuildError `lock-malformed`, `lock-edited`. `file` is for messages. */
export function readLock(file: string, text: string): Lock {
  const json = parse(text);
  if (json === undefined) throw new BuildError('lock-malformed', `${file}: is no lock file; ${RESTORE}`, { file });
  const { digest, ...lock } = json;
  if (digest !== digestOf(lock)) {
    const message = `${file}: was edited after its last build; ${RESTORE}. After a merge take one side's file and build again`;
    throw new BuildError('lock-edited', message, { file });
  }
  return lock;
}

/** Ends in a line break; lines in the order of numbers. */
export function writeLock(lock: Lock): string {
  const sorted = Object.fromEntries(KINDS.map((kind) => [kind, byNumber(lock[kind])]));
  return `${JSON.stringify({ application: lock.application, ...sorted, digest: digestOf(lock) }, undefined, 2)}\n`;
}

/**
 * @param before the lock file, if there is one
 * @returns the numbers of the manifest, and those retired before
 *
 * Throws BuildError `number-changed`; `lock-malformed` for the file of another application.
 */
export function extendLock(file: string, before: Lock | undefined, manifest: ApplicationManifest): Lock {
  if (before !== undefined && before.application !== manifest.name) {
    const message = `${file}: is the lock file of ${before.application}, not of ${manifest.name}; ${RESTORE}`;
    throw new BuildError('lock-malformed', message, { file });
  }
  const all = KINDS.map((kind) => [kind, extend(file, kind, before?.[kind] ?? {}, manifest[kind])] as const);
  return { application: manifest.name, ...(Object.fromEntries(all) as Record<(typeof KINDS)[number], ByName>) };
}

interface Numbered {
  readonly name: string;
  readonly number: number;
}

function extend(file: string, kind: (typeof KINDS)[number], before: ByName, now: readonly Numbered[]): ByName {
  const names = new Map(Object.entries(before).map(([name, number]) => [number, name]));
  for (const { name, number } of now) {
    const had = Object.hasOwn(before, name) ? before[name] : undefined;
    const owner = names.get(number);
    if (had === number || (had === undefined && owner === undefined)) continue;
    const one = kind.slice(0, -1);
    const reason =
      had === undefined
        ? `${one} ${name} would get number ${number}, which belongs to ${owner}`
        : `${one} ${name} has number ${had} and would get ${number}`;
    const message = `${file}: ${reason}; numbers of a chain stay, ${RESTORE}`;
    throw new BuildError('number-changed', message, { file, kind, name, number });
  }
  return { ...before, ...Object.fromEntries(now.map(({ name, number }) => [name, number])) };
}

function digestOf(lock: Lock): string {
  return toHex(sha256(utf8(canonicalJson(lock))));
}

function byNumber(numbers: ByName): ByName {
  return Object.fromEntries(Object.entries(numbers).sort(([, a], [, b]) => a - b));
}

function parse(text: string): (Lock & { readonly digest: unknown }) | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return isLock(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

function isLock(json: unknown): json is Lock & { readonly digest: unknown } {
  if (typeof json !== 'object' || json === null) return false;
  const { application, digest, ...kinds } = json as Readonly<Record<string, unknown>>;
  if (typeof application !== 'string' || typeof digest !== 'string') return false;
  return Object.keys(kinds).length === KINDS.length && KINDS.every((kind) => areNumbers(kinds[kind]));
}

function areNumbers(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(
    ([name, number]) => NAME.test(name) && Number.isSafeInteger(number) && number >= 0,
  );
}
