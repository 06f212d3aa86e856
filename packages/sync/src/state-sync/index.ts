export { SyncError, type SyncErrorCode } from '../errors.ts';
export { type DataFolder, type DataPaths, stagedPaths } from './data-folder.ts';
export { finishInstall } from './install.ts';
export { type JoinComponents, type JoinSetting, joinIfBehind, type OwnTip } from './join.ts';
export { type Manifest, manifestCodec, PREIMAGES_BELOW_MAX } from './manifest.ts';
export { createSnapshotArchive, type ServeComponents } from './serve.ts';
