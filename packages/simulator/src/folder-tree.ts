/**
 * Folder tree: names of inodes, current and durable. A change of a name becomes durable with a sync of its folder. Folders are durable at
 * once: losing one tests no more than losing its names.
 */
import type { CrashMode } from './crash.ts';
import type { Inode } from './inode.ts';
import type { SeededRandom } from './random.ts';

type NameChange =
  | { readonly type: 'put'; readonly path: string; readonly inode: Inode }
  | { readonly type: 'remove'; readonly path: string }
  | { readonly type: 'rename'; readonly from: string; readonly to: string };

interface FolderTree {
  get(path: string): Inode | undefined;
  paths(): readonly string[];
  /** Their names survive a power cut. */
  durable(): readonly Inode[];
  hasFolder(path: string): boolean;
  /** Of files and folders directly in a folder, sorted. */
  names(folder: string): readonly string[];
  addFolder(path: string): void;
  removeFolder(path: string): void;
  apply(change: NameChange): void;
  readonly hasUnsynced: boolean;
  beginSync(folder: string): readonly NameChange[];
  commitSync(changes: readonly NameChange[]): void;
  crash(mode: CrashMode, random: SeededRandom): void;
}

export function createFolderTree(): FolderTree {
  let current = new Map<string, Inode>();
  const synced = new Map<string, Inode>();
  let pending: NameChange[] = [];
  const folders = new Set<string>(['']);

  function crash(mode: CrashMode, random: SeededRandom): void {
    if (mode === 'lose-none') return;
    const kept = mode === 'prefix' ? random.below(pending.length + 1) : pending.length;
    for (const change of pending.slice(0, kept)) {
      if (mode === 'lose-all' || (mode === 'subset' && random.chance(0.5))) continue;
      applyTo(synced, change);
    }
    current = new Map(synced);
    pending = [];
  }

  return {
    get: (path) => current.get(path),
    paths: () => [...current.keys()].sort(),
    durable: () => [...synced.values()],
    hasFolder: (path) => folders.has(path),
    names(folder) {
      const names = [...current.keys(), ...folders].filter((path) => path !== '' && folderOf(path) === folder);
      return names.map((path) => path.slice(folder === '' ? 0 : folder.length + 1)).sort();
    },
    addFolder(path) {
      for (let at = path; at !== ''; at = folderOf(at)) folders.add(at);
    },
    removeFolder(path) {
      folders.delete(path);
    },
    apply(change) {
      applyTo(current, change);
      pending.push(change);
    },
    get hasUnsynced() {
      return pending.length > 0;
    },
    beginSync: (folder) => pending.filter((change) => touches(change, folder)),
    commitSync(changes) {
      const done = new Set(changes);
      for (const change of pending) if (done.has(change)) applyTo(synced, change);
      pending = pending.filter((change) => !done.has(change));
    },
    crash,
  };
}

/** '' for the root. */
export function folderOf(path: string): string {
  const end = path.lastIndexOf('/');
  return end === -1 ? '' : path.slice(0, end);
}

function touches(change: NameChange, folder: string): boolean {
  if (change.type === 'rename') return folderOf(change.from) === folder || folderOf(change.to) === folder;
  return folderOf(change.path) === folder;
}

function applyTo(names: Map<string, Inode>, change: NameChange): void {
  switch (change.type) {
    case 'put':
      names.set(change.path, change.inode);
      return;
    case 'remove':
      names.delete(change.path);
      return;
    case 'rename': {
      const inode = names.get(change.from);
      if (inode === undefined) return; // the old name's creation was lost, so the rename is too
      names.delete(change.from);
      names.set(change.to, inode);
    }
  }
}
