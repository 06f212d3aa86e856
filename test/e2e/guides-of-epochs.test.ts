/** Guides that end epochs: longer than the others, which run beside them. */
import { EPOCH_GUIDES, testGuides } from './guides.ts';

testGuides(EPOCH_GUIDES);
