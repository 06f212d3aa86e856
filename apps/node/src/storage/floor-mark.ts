/**
 * Floor mark: the newest version of the rules whose formats a data folder may hold (epochs.md E12).
 *
 *   version of the next epoch --raise: synced--> its first write      start --mark above the known version?--> refused, nothing is written
 *
 * One mark serves log, ledger, state store and chunk files: their formats begin with a version of the rules. A raise is synchronous, so that
 * nothing of the new epoch can be written before it; it happens once a version.
 */
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DATA } from '@slipstream/node-home';
import { countField, openSealedJson, sealJson } from '@slipstream/wal';
import { NodeError } from '../errors.ts';
import { VERSION } from '../version.ts';
import { diskFailure } from './disk-failure.ts';

export interface FloorMark {
  /** 0: of a folder that no node ran on. */
  readonly version: number;
  /** Durable on return; a lower version changes nothing. Throws NodeError `disk-failed`, or `version-unknown` above the known one. */
  raise(version: number): void;
}

const FORMAT_VERSION = 1;

interface Mark {
  readonly version: number;
  /** The program that raised it. */
  readonly program: string;
}

/**
 * Reads only. `known`: newest version of the rules that this program knows. Throws NodeError `version-unknown` when a program that knows more
 * wrote in the folder, `home-incomplete` when the mark is damaged.
 */
export function openFloorMark(folder: string, known: number): FloorMark {
  const path = join(folder, DATA.floorMark);
  const mark = readMark(path);
  let version = mark?.version ?? 0;
  if (mark !== undefined && version > known) {
    const written = `holds formats of version ${version} of the rules (written by slipstream ${mark.program})`;
    throw tooNew(folder, written, version, known);
  }
  return {
    get version() {
      return version;
    },
    raise(to) {
      if (to <= version) return;
      if (to > known) throw tooNew(folder, `would get formats of version ${to} of the rules`, to, known);
      writeMark(path, { version: to, program: VERSION });
      version = to;
    },
  };
}

function tooNew(folder: string, what: string, version: number, known: number): NodeError {
  const message =
    `${folder} ${what}, and this program knows version ${known}: install a program that knows version ${version}. ` +
    'Nothing was changed';
  return new NodeError('version-unknown', message, { folder, version, known });
}

function readMark(path: string): Mark | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const sealed = openSealedJson(text);
  const version = sealed && countField(sealed, 'version');
  if (sealed?.format !== FORMAT_VERSION || version === undefined) throw damaged(path);
  return { version, program: String(sealed.program) };
}

function damaged(path: string): NodeError {
  const message =
    `${path} is damaged: which version of the rules wrote in the folder is unknown. Start the newest program that ran there without this file, ` +
    'or restore it from a backup';
  return new NodeError('home-incomplete', message, { path });
}

/** Atomic: a power cut leaves the old or the new mark. */
function writeMark(path: string, { version, program }: Mark): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    const temporary = `${path}.tmp`;
    const file = openSync(temporary, 'w');
    try {
      writeSync(file, sealJson({ format: FORMAT_VERSION, version, program }));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
    syncFolder(dirname(path));
  } catch (cause) {
    throw diskFailure(`the floor mark ${path} was not written: ${String(cause)}`, cause);
  }
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
