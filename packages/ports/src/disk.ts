/**
 * Files. Paths are relative to the disk's root, with `/` between parts.
 *
 * Written data is durable only after `sync` of the file; a created, renamed or removed file only after `syncDirectory` of its folder. A
 * simulated disk loses or tears everything else at a crash.
 * Failures are DiskError; after a failed write or sync the caller must assume nothing about the disk's content.
 */
import { CodedError } from '@slipstream/primitives';

export interface Disk {
  /** For reading and writing. `create: true` creates a missing file; its folder must exist. */
  open(path: string, options?: { readonly create?: boolean }): Promise<DiskFile>;
  /** Names in a folder, sorted; empty when the folder is missing. */
  list(path: string): Promise<readonly string[]>;
  /** In bytes; undefined when there is no such file. */
  size(path: string): Promise<number | undefined>;
  /** The whole file; undefined when it is missing. Throws DiskError `too-large` above bytesMax. */
  readWhole(path: string, bytesMax: number): Promise<Uint8Array | undefined>;
  rename(from: string, to: string): Promise<void>;
  /** Hard link. */
  link(from: string, to: string): Promise<void>;
  /** Does nothing when the file is missing. */
  remove(path: string): Promise<void>;
  /** Creates a folder and its parents. */
  makeDirectory(path: string): Promise<void>;
  removeDirectory(path: string): Promise<void>;
  syncDirectory(path: string): Promise<void>;
}

export interface DiskFile {
  readonly path: string;
  size(): Promise<number>;
  /** Up to `length` bytes from `position`; fewer at the end of the file. */
  read(position: number, length: number): Promise<Uint8Array>;
  /** Writes the parts consecutively from `position` on. */
  write(position: number, parts: readonly Uint8Array[]): Promise<void>;
  truncate(bytes: number): Promise<void>;
  /** fdatasync: resolves when everything written so far survives a power cut. */
  sync(): Promise<void>;
  /** `write`, then `sync`; one system call when nothing else is unsynced. After an error either may have failed. */
  writeAndSync(position: number, parts: readonly Uint8Array[]): Promise<void>;
  close(): Promise<void>;
}

/** `damaged`: the content differs from the written one. Data: file, offset. */
export type DiskErrorCode =
  | 'io'
  | 'no-space'
  | 'not-found'
  | 'exists'
  | 'too-large'
  | 'closed'
  | 'permission'
  | 'damaged';

export class DiskError extends CodedError<DiskErrorCode> {}
