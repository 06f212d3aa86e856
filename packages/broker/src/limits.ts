/** Bounds and times of a broker (broker.md). */
import type { Rate } from '@slipstream/primitives';

export interface BrokerLimits {
  readonly sessionsMax: number;
  /** Of all sessions together. */
  readonly indicesMax: number;
  /** In flight, of a session. */
  readonly sessionRowsMax: number;
  /** In flight, of all. */
  readonly rowsMax: number;
  /** Sessions with as many in flight share the room of all. */
  readonly busyRows: number;
  /** Of the rows of a window, each with another header (Q7). */
  readonly roundsMax: number;
  /** Not yet sent to a client. Above twice the largest message. */
  readonly unsentBytesMax: number;
  /** Of all streams together. */
  readonly unsentBytesOfAllMax: number;
  /** Streams without a login. */
  readonly waitingMax: number;
  /** Of these, for addresses whose last login held. */
  readonly waitingKnownReserve: number;
  readonly waitingOfAddressMax: number;
}

export const BROKER_LIMITS: BrokerLimits = {
  sessionsMax: 2_048,
  indicesMax: 262_144,
  sessionRowsMax: 32_768,
  rowsMax: 131_072,
  busyRows: 1_024,
  roundsMax: 6,
  unsentBytesMax: 512 * 1024,
  unsentBytesOfAllMax: 64 * 1024 * 1024,
  waitingMax: 128,
  waitingKnownReserve: 32,
  waitingOfAddressMax: 16,
};

/** A window ends so long after its last row. */
export const WINDOW_IDLE_MS = 50;
/** After its first row. */
export const WINDOW_MS_MAX = 250;
/** After the window before, of those with a straggler signature or of those without, unless it is full: a validator takes eight batches per second of a broker. */
export const WINDOW_APART_MS = 250;
/** Ends a window at once: a share of a pairing costs a row little from here on (decision 0056). */
export const WINDOW_ROWS = 1_000;

/** Below the tip: validators a little behind know the directory's size there. */
export const KNOWN_AT_DEPTH = 16;
/** From the end of a window to the expiry of its batch. */
export const BATCH_LIFE_MS = 30_000;

/** From this round on, rows whose shares were lost go on in halves: one account delays its half only. */
export const SPLIT_ROUND = 3;
/** Of the shares or straggler signatures of a batch, while the verifier refuses them. */
export const CHECK_TRIES = 4;
export const CHECK_RETRY_MS = 200;

/** Many clients beside the broker make no straggler of one on another continent. */
export const SHARE_WAIT_MS_MIN = 200;
export const SHARE_WAIT_MS_MAX = 500;
/** Beside two round trips. */
export const SHARE_WAIT_MARGIN_MS = 20;
/** From the header on, where most rows of a large batch have no share in time. */
export const SHARE_WAIT_LATE_MS = 2_000;
/** As stragglers they cost each node 7 ms of signature checks. */
export const LATE_ROWS_MIN = 100;
/** Below it, one client with a few streams could excuse itself. */
export const LATE_STREAMS_MIN = 4;
/** A burst is half a minute of windows: clients that are late on purpose delay no more than one of twenty from then on. */
export const LATE_WAITS: Rate = { perSecond: 0.2, burst: 120 };
/** Whose late shares still show the round trip. */
export const LATE_BATCHES_MAX = 32;

/** Missing or false shares within PENALTY_MS, after which an account signs its rows alone. */
export const FAULTS_MAX = 3;
export const PENALTY_MS = 600_000;
/** The oldest is forgotten first. */
export const PENALTIES_MAX = 65_536;

export const LOGIN_WITHIN_MS = 10_000;
/** Of an address. */
export const LOGIN_RATE: Rate = { perSecond: 1, burst: 20 };
/** Of all: a pairing each. A list of LOGIN_KEYS_PER_TOKEN keys costs another token. */
export const LOGINS_RATE: Rate = { perSecond: 50, burst: 200 };
/** Of its tokens, for addresses whose last login held. */
export const LOGINS_KNOWN_RESERVE = 100;

/** Of a session: shares, and small messages of rows. */
export const MESSAGE_RATE: Rate = { perSecond: 200, burst: 1_000 };
/** Of a session: 20,000 rows per second with straggler signatures. */
export const BYTE_RATE: Rate = { perSecond: 2 * 1024 * 1024, burst: 8 * 1024 * 1024 };

/** Of a session: refused rows, 2 us each. A burst is what a session may have in flight. */
export const REFUSED_ROW_RATE: Rate = { perSecond: 20_000, burst: 32_768 };

/** A state of an account is read again after it. */
export const STATE_AGE_MS_MAX = 1_000;

/** For rows that may come again. */
export const RETRY_AFTER_MS = 500;
/** A validator may still take chunks of the epoch before for a second (D19). */
export const EPOCH_GRACE_MS = 1_500;
