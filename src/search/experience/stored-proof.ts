import { NO_PROOF, type Proof } from '../../domain/score/evidence.ts'

const DECIMALS = 1e6

/** Six decimals, so that the state that undo keeps with each report stays small. */
export function roundedProof({ covariance, variance, places }: Proof): Proof {
  const round = (value: number) => Math.round(value * DECIMALS) / DECIMALS
  return {
    covariance: round(covariance),
    variance: round(variance),
    places: places.map(([sum, weight]) => [round(sum), round(weight)] as const),
  }
}

/** Reads the value kept in `meta`; an invalid one counts as nothing. */
export function readProof(stored: string | undefined): Proof {
  if (stored === undefined) return NO_PROOF
  try {
    const { covariance, variance, places } = JSON.parse(stored) as Partial<Proof>
    const isWhole =
      Number.isFinite(covariance) &&
      Number.isFinite(variance) &&
      Array.isArray(places) &&
      places.every((place) => Array.isArray(place) && place.length === 2 && place.every(Number.isFinite))
    return isWhole ? ({ covariance, variance, places } as Proof) : NO_PROOF
  } catch {
    return NO_PROOF
  }
}
