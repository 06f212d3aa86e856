/** Reported once for each committed block. */
import type { AuthorityChecks, Budgets } from '@slipstream/crypto';
import type { Telemetry } from '@slipstream/ports';
import type { CredentialMemory } from '@slipstream/types';
import type { ChunkStore } from '../chunks/chunk-store.ts';
import type { ClientWindow } from '../control/client-window.ts';
import type { ExecutionRate } from '../control/execution-rate.ts';
import type { Committees } from '../epochs/committees.ts';
import { FEE_CLASSES } from '../pool/fee-class.ts';
import type { Mempool } from '../pool/mempool.ts';
import type { ReadyQueue } from '../pool/ready-queue.ts';
import type { Producer } from '../producer/producer.ts';

interface GaugedParts {
  readonly telemetry: Telemetry;
  readonly pool: Mempool;
  readonly window: ClientWindow;
  readonly ready: ReadyQueue;
  readonly store: ChunkStore;
  readonly sessions: AuthorityChecks;
  readonly budgets: Budgets;
  readonly credentials: CredentialMemory;
  readonly producer: Producer;
  readonly committees: Pick<Committees, 'current'>;
  readonly executionRate: Pick<ExecutionRate, 'timelyUnits'>;
}

export function reportGauges(parts: GaugedParts): void {
  const { telemetry, pool, window, ready, store, sessions, budgets, credentials, producer, executionRate } = parts;
  telemetry.gauge('dissemination_pool_transactions', pool.count);
  telemetry.gauge('dissemination_pool_bytes', pool.bytes);
  telemetry.gauge('dissemination_client_window_transactions', window.size);
  telemetry.gauge('dissemination_client_transactions', window.inFlight);
  for (const feeClass of FEE_CLASSES) {
    telemetry.gauge('dissemination_ready_transactions', ready.countOf(feeClass), { class: feeClass });
  }
  telemetry.gauge('dissemination_chunks_pending_bytes', store.stats().pendingBytes);
  const { checked, known, refused } = sessions.stats();
  telemetry.gauge('dissemination_session_credentials_checked', checked);
  telemetry.gauge('dissemination_session_credentials_known', known);
  telemetry.gauge('dissemination_session_credentials_refused', refused);
  telemetry.gauge('dissemination_session_credentials_metered', budgets.refusals);
  telemetry.gauge('dissemination_credential_memory_entries', credentials.stats().size);
  telemetry.gauge('dissemination_credential_memory_hits', credentials.stats().hits);
  telemetry.gauge('dissemination_credential_memory_misses', credentials.stats().misses);
  if (parts.committees.current.self === undefined) return;
  telemetry.gauge('dissemination_chunk_interval_ms', producer.stats().intervalMs);
  telemetry.gauge('dissemination_block_compute_max_units', executionRate.timelyUnits[1] as number);
}
