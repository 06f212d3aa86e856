export { RecordingError, type RecordingErrorCode } from './errors.ts';
export { unfinishedRecording } from './folder.ts';
export { createRecorder, type Recorder, type RecorderComponents, type RecorderOptions } from './recorder.ts';
export { type CoreInput, type Outcome, RECORDING_SUFFIX } from './recording.ts';
export { type ReplayEnd, type ReplayedStep, type ReplayOptions, type ReplayResult, replayRecording } from './replay.ts';
