import type { SeededRandom } from '@slipstream/simulator';
import type { Fault, Site } from './site.ts';

export interface Shape {
  readonly validators: readonly string[];
  readonly smallDiskNode: string;
}

export interface FaultKind {
  readonly kind: string;
  readonly about: string;
  draw(random: SeededRandom, shape: Shape): Omit<Fault, 'kind'>;
  /** Why it cannot be injected here. */
  unavailable?(site: Site): string | undefined;
  /** Resolves when active, with a function that ends it. */
  inject(site: Site, fault: Fault): Promise<void | (() => Promise<void> | void)>;
}
