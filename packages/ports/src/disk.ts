/**
 * Files. Paths are relative to the disk's root, with `/` between parts.
 *
 * Data is durable only after `sync` of the file, a changed name only after `syncDirectory` of its folder. A simulated disk loses or tears
 * the rest at a crash. After a failed write or sync (DiskError) the caller must assume nothing about the content.
 */
import { CodedError } from '@slipstream/primitives';

export interface Disk {
  /** For reading and writing. `create` needs an existing folder. */
  open(path: string, options?: { readonly create?: boolean }): Promise<DiskFile>;
  /** Sorted names; empty when the folder is missing. */
  list(path: string): Promise<readonly string[]>;
  /** In bytes; undefined when the file is missing. */
  size(path: string): Promise<number | undefined>;
  /** Undefined when the file is missing. Throws DiskError `too-large` above bytesMax. */
  readWhole(path: string, bytesMax: number): Promise<Uint8Array | undefined>;
  rename(from: string, to: string): Promise<void>;
  /** Hard link. */
  link(from: string, to: string): Promise<void>;
  /** A missing file is no error. */
  remove(path: string): Promise<void>;
  /** Creates the parents, too. */
  makeDirectory(path: string): Promise<void>;
  removeDirectory(path: string): Promise<void>;
  syncDirectory(path: string): Promise<void>;
}

export interface DiskFile {
  readonly path: string;
  size(): Promise<number>;
  /** Fewer at the end of the file. */
  read(position: number, length: number): Promise<Uint8Array>;
  /** Writes the parts consecutively. */
  write(position: number, parts: readonly Uint8Array[]): Promise<void>;
  truncate(bytes: number): Promise<void>;
  /** fdatasync: resolves when all writes so far survive a power cut. */
  sync(): Promise<void>;
  /** `write`, then `sync`: one system call when nothing else is unsynced. After an error either may have failed. */
  writeAndSync(position: number, parts: readonly Uint8Array[]): Promise<void>;
  close(): Promise<void>;
}

/** `damaged`: the content is not what was written. Data: file, offset. */
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
