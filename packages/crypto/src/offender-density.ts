/**
 * Estimates the probability that a signature is bad, from the outcomes of group tests.
 *
 * Halving finds a single offender fastest; where a third is bad, hardly any group is worth a test. So candidate densities are weighed by
 * how well each predicted the outcomes (Bayes' rule), and the next group's size makes passing about as likely as failing.
 *
 * Source: Sobel and Groll, "Group testing to eliminate efficiently all defectives in a binomial sample", 1959 (nested tests with known
 * density, here replaced by the candidates).
 */

/** Geometric steps from well below one offender in total to more than half. More are no better. */
const CANDIDATES = 8;
const LOWEST_EXPECTED_OFFENDERS = 0.2;
const HIGHEST_DENSITY = 0.6;
/** Lets later evidence restore a wrong candidate. */
const WEIGHT_MIN = 1e-12;

interface OffenderDensity {
  /** `contaminated`: length of the leading run known to hold a bad member (0: none known); `available`: total count. */
  groupSize(contaminated: number, available: number): number;
  /** A test of the first `size` of a contaminated run (0: none known). */
  learn(size: number, contaminated: number, passed: boolean): void;
}

/** At least one member must be bad. */
export function createOffenderDensity(members: number): OffenderDensity {
  const candidates: { readonly density: number; weight: number }[] = [];
  const step = ((HIGHEST_DENSITY * members) / LOWEST_EXPECTED_OFFENDERS) ** (1 / (CANDIDATES - 1));
  for (let i = 0; i < CANDIDATES; i++) {
    const density = Math.min(HIGHEST_DENSITY, (LOWEST_EXPECTED_OFFENDERS / members) * step ** i);
    // Few offenders are likelier: each costs an attacker one validator.
    candidates.push({ density, weight: (1 - (1 - density) ** members) / (i + 1) ** 2 });
  }

  function passProbability(size: number, contaminated: number): number {
    let passing = 0;
    let total = 0;
    for (const { density, weight } of candidates) {
      passing += weight * passLikelihood(density, size, contaminated);
      total += weight;
    }
    return passing / total;
  }

  function groupSize(contaminated: number, available: number): number {
    const sizeMax = contaminated > 0 ? contaminated - 1 : available;
    let low = 1;
    let high = sizeMax;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (passProbability(middle, contaminated) >= 0.5) low = middle;
      else high = middle - 1;
    }
    if (low === sizeMax) return low;
    const above = 0.5 - passProbability(low + 1, contaminated);
    return Math.abs(passProbability(low, contaminated) - 0.5) <= above ? low : low + 1;
  }

  function learn(size: number, contaminated: number, passed: boolean): void {
    let total = 0;
    for (const candidate of candidates) {
      const likelihood = passLikelihood(candidate.density, size, contaminated);
      candidate.weight = Math.max(WEIGHT_MIN, candidate.weight * (passed ? likelihood : 1 - likelihood));
      total += candidate.weight;
    }
    for (const candidate of candidates) candidate.weight /= total;
  }

  return { groupSize, learn };
}

/** P(the first `size` are all good), given that the first `contaminated` are not. */
function passLikelihood(density: number, size: number, contaminated: number): number {
  const allGood = (1 - density) ** size;
  if (contaminated === 0) return allGood;
  const contaminatedGood = (1 - density) ** contaminated;
  return (allGood - contaminatedGood) / (1 - contaminatedGood);
}
