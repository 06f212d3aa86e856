export { SyncError } from '../errors.ts';
export { type DataFolder, stagedPaths } from './data-folder.ts';
export { finishInstall } from './install.ts';
export { joinIfBehind, type OwnTip } from './join.ts';
export { type Manifest, manifestCodec, PREIMAGES_BELOW_MAX } from './manifest.ts';
export { createSnapshotArchive } from './serve.ts';
