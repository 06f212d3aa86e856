export { RecordingError } from './errors.ts';
export { unfinishedRecording } from './folder.ts';
export { createRecorder, type Recorder } from './recorder.ts';
export { type CoreInput, type Outcome, RECORDING_SUFFIX } from './recording.ts';
export { type ReplayedStep, type ReplayOptions, type ReplayResult, replayRecording } from './replay.ts';
