/** No logs of libp2p: it logs each disconnect as an error and formats on hot paths. */
import type { ComponentLogger, Logger } from '@libp2p/interface';

const logger: Logger = Object.assign(() => {}, {
  error() {},
  trace() {},
  enabled: false,
  newScope: () => logger,
});

export const silentLogger: ComponentLogger = { forComponent: () => logger };
