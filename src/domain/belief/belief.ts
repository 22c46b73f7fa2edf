/** A Beta distribution over "does this block help": counts for and against, prior included. */
export interface Beta {
  readonly alpha: number
  readonly beta: number
}

/** Sums of outcome signals about one block, without any prior. */
export interface Evidence {
  readonly successes: number
  readonly failures: number
}

/** Scale of the exploration bonus (Python elfmem). */
const EXPLORATION_SCALE = 0.05

/** One report: `signal` 0 (misled) .. 1 (helped), counted `weight` > 0 times. */
export interface Report {
  readonly signal: number
  readonly weight: number
}

/** Beta after one report: α + signal·weight, β + (1 − signal)·weight (Python elfmem). */
export function updateBeta(prior: Beta, report: Report): Beta {
  return {
    alpha: prior.alpha + report.signal * report.weight,
    beta: prior.beta + (1 - report.signal) * report.weight,
  }
}

/** Mean of a Beta, α / (α + β), 0..1; 0.5 when nothing is known at all. */
export function betaMean({ alpha, beta }: Beta): number {
  return alpha + beta > 0 ? alpha / (alpha + beta) : 0.5
}

/** Evidence after one report; the same arithmetic as `updateBeta`, prior left out. */
export function updateEvidence(evidence: Evidence, report: Report): Evidence {
  const { alpha, beta } = updateBeta({ alpha: evidence.successes, beta: evidence.failures }, report)
  return { successes: alpha, failures: beta }
}

/** How much has been reported about a block: successes + failures; the prior and a model's judgement do not count (W52). */
export function evidenceMass({ successes, failures }: Evidence): number {
  return successes + failures
}

/** Returns (successes + 1) / (successes + failures + 2), 0.5 without evidence (docs/retrieval.md 6). */
export function belief({ successes, failures }: Evidence): number {
  return (successes + 1) / (successes + failures + 2)
}

/** The Beta of a block: its alignment (0..1, 0.5 when never judged) as a prior of mass 1, plus the evidence (Python elfmem). */
export function betaOf(block: Evidence & { readonly alignment?: number }): Beta {
  const alignment = block.alignment ?? 0.5
  return { alpha: alignment + block.successes, beta: 1 - alignment + block.failures }
}

/** Returns the confidence for people and for the self frame: the mean of the block's Beta, 0..1. */
export function confidenceOf(block: Evidence & { readonly alignment?: number }): number {
  return betaMean(betaOf(block))
}

/**
 * A small push for what is uncertain: scale·sqrt(αβ / ((α+β)²(α+β+1))), 0..scale/2 (Python elfmem).
 * An α or β of 0 is certainty and gives 0; the reference read it as 0.5 (W25).
 */
export function explorationBonus({ alpha, beta }: Beta, scale = EXPLORATION_SCALE): number {
  if (alpha <= 0 || beta <= 0) return 0
  const total = alpha + beta
  return scale * Math.sqrt(((alpha / total) * (beta / total)) / (total + 1))
}
