/**
 * Simulated disk: files in memory that lose unsynced data at a crash; calls take virtual time and can fail.
 *
 * A process mounts the disk for its lifetime; then its pending calls never settle and its files are closed. A call takes effect when made
 * and returns after its latency; a sync makes durable when it returns.
 */
import { type Disk, DiskError, type DiskErrorCode } from '@slipstream/ports';
import type { CrashMode } from './crash.ts';
import { createDiskCalls, type DiskCallOptions, type DiskFault } from './disk-calls.ts';
import { createFolderTree, folderOf } from './folder-tree.ts';
import { createInode, type Inode } from './inode.ts';
import { createLifetime, type Lifetime } from './lifetime.ts';
import type { SeededRandom } from './random.ts';
import { mountFile } from './sim-file.ts';

interface SimDiskOptions extends DiskCallOptions {
  /** For crash outcomes and torn writes. */
  readonly random: SeededRandom;
}

export interface SimDisk {
  /** For one process; without a lifetime never unmounted. */
  mount(lifetime?: Lifetime): Disk;
  /** A power cut, or with `lose-none` the process's death. End its processes' lifetimes first. */
  crash(mode: CrashMode): void;
  /** May fail a call before it takes effect. Replaces an earlier one. */
  failWhen(fault: DiskFault | undefined): void;
  readonly callsMade: number;
  /** A power cut may lose something. */
  readonly hasUnsynced: boolean;
  paths(): readonly string[];
  /** As a process reads them; a copy. */
  contents(path: string): Uint8Array | undefined;
  /** Survive any power cut; newest name first. Views: copy them to retain them. A reader that has found its bytes pays for no further file. */
  durableContents(): Iterable<Uint8Array>;
  /** Durably, from outside the process: damage, or a restored copy. */
  replaceContents(path: string, bytes: Uint8Array): void;
  /** Durably, from outside the process. */
  removeContents(path: string): void;
}

export function createSimDisk({ random, ...callOptions }: SimDiskOptions): SimDisk {
  const tree = createFolderTree();
  /** Of all durable or current names. */
  const inodes = new Set<Inode>();
  const calls = createDiskCalls(callOptions, random);

  function newInode(path: string): Inode {
    const inode = createInode();
    inodes.add(inode);
    tree.apply({ type: 'put', path, inode });
    return inode;
  }

  function mount(lifetime: Lifetime = createLifetime()): Disk {
    const call = calls.of(lifetime);
    return {
      open: (path, { create = false } = {}) =>
        call('open', path, () => {
          const existing = tree.get(path);
          if (existing === undefined && (!create || !tree.hasFolder(folderOf(path)))) throw notFound(path);
          return mountFile(path, existing ?? newInode(path), call);
        }),
      list: (path) => call('list', path, () => tree.names(path)),
      size: (path) => call('size', path, () => tree.get(path)?.bytes().length),
      readWhole: (path, bytesMax) =>
        call('read', path, () => {
          const bytes = tree.get(path)?.bytes();
          if (bytes !== undefined && bytes.length > bytesMax) {
            throw new DiskError('too-large', `${path} has ${bytes.length} bytes, at most ${bytesMax} are read`, {
              path,
            });
          }
          return bytes?.slice();
        }),
      rename: (from, to) =>
        call('rename', from, () => {
          if (tree.get(from) === undefined) throw notFound(from);
          if (!tree.hasFolder(folderOf(to))) throw notFound(to);
          tree.apply({ type: 'rename', from, to });
        }),
      link: (from, to) =>
        call('link', from, () => {
          const inode = tree.get(from);
          if (inode === undefined) throw notFound(from);
          if (tree.get(to) !== undefined) throw new DiskError('exists', `${to} is there already`, { path: to });
          tree.apply({ type: 'put', path: to, inode });
        }),
      remove: (path) =>
        call('remove', path, () => {
          if (tree.get(path) !== undefined) tree.apply({ type: 'remove', path });
        }),
      makeDirectory: (path) => call('make-directory', path, () => tree.addFolder(path)),
      removeDirectory: (path) =>
        call('remove-directory', path, () => {
          if (tree.names(path).length > 0) throw new DiskError('exists', `${path} is not empty`, { path });
          tree.removeFolder(path);
        }),
      syncDirectory: (path) => {
        const changes = tree.beginSync(path);
        return call(
          'sync-directory',
          path,
          () => {
            if (!tree.hasFolder(path)) throw notFound(path);
          },
          () => tree.commitSync(changes),
        );
      },
    };
  }

  function crash(mode: CrashMode): void {
    tree.crash(mode, random);
    for (const inode of inodes) inode.crash(mode, random);
    const reachable = new Set(tree.paths().map((path) => tree.get(path)));
    if (mode !== 'lose-none') for (const inode of inodes) if (!reachable.has(inode)) inodes.delete(inode);
  }

  return {
    mount,
    crash,
    failWhen: calls.failWhen,
    get callsMade() {
      return calls.made();
    },
    get hasUnsynced() {
      return tree.hasUnsynced || [...inodes].some((inode) => inode.hasUnsynced);
    },
    paths: () => tree.paths(),
    *durableContents() {
      const durable = tree.durable();
      for (let at = durable.length - 1; at >= 0; at--) yield (durable[at] as Inode).durableBytes();
    },
    contents: (path) => tree.get(path)?.bytes().slice(),
    replaceContents(path, bytes) {
      tree.addFolder(folderOf(path));
      const inode = tree.get(path) ?? newInode(path);
      inode.replace(bytes);
      tree.commitSync(tree.beginSync(folderOf(path)));
    },
    removeContents(path) {
      if (tree.get(path) === undefined) throw notFound(path);
      tree.apply({ type: 'remove', path });
      tree.commitSync(tree.beginSync(folderOf(path)));
    },
  };
}

function notFound(path: string): DiskError {
  const code: DiskErrorCode = 'not-found';
  return new DiskError(code, `there is no ${path === '' ? 'root' : path}`, { path });
}
