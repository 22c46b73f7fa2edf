import * as z from 'zod'
import { count, positive, setting, unit } from './setting.ts'

/** Weights of the parts of a similarity edge's score; together 1. */
const edgeScoreWeights = z
  .object({ cosine: unit, tags: unit, category: unit, time: unit })
  .refine((w) => Math.abs(Object.values(w).reduce((sum, each) => sum + each, 0) - 1) <= 1e-4, {
    message: 'must sum to 1 over its four weights',
  })

/** Cosine thresholds, which differ for every embedder. */
const similarityThresholds = z.object({
  edgeCosineFloor: unit,
  edgeUnsharedCosine: unit,
  edgeScoreThreshold: unit,
  veryAlikeCosine: unit,
  apartCosine: unit,
})

/** How blocks are joined, how the joints live, and what asks to be joined. */
export const graphSettings = z.object({
  edgeScoreWeights: setting(
    edgeScoreWeights,
    { cosine: 0.55, tags: 0.2, category: 0.15, time: 0.1 },
    {
      unit: 'shares of 1',
      reason:
        'the composite score of the seeds: what belongs together is alike, filed alike, of one kind, of one time',
    },
  ),
  edgeTimeHours: setting(positive, 8, {
    unit: 'active hours',
    reason: 'width of nearness in time: about a working day',
  }),
  similarityThresholds: setting(
    z.record(z.string(), similarityThresholds.partial()),
    {},
    {
      unit: 'thresholds by model',
      reason:
        'cosines of an embedder of your own; those of the shipped ones are measured (docs/benchmarks.md)',
    },
  ),
  veryAlikeCosine: setting(unit, 0.8, {
    unit: 'cosine',
    reason: 'from it two blocks without an edge are worth a suggestion',
  }),
  apartCosine: setting(unit, 0.4, {
    unit: 'cosine',
    reason: 'below it two blocks are far apart in meaning, so that coming together says something',
  }),
  pendingMax: setting(count.min(1), 1_000, { unit: 'connections', reason: 'bounds the waiting list' }),
  pendingAttempts: setting(count.min(1), 10, {
    unit: 'curations',
    reason: 'a connection that found no room so often is dropped, and said to be',
  }),
  pendingAlert: setting(count, 20, {
    unit: 'connections',
    reason: 'more waiting than this means that hubs are full of protected edges',
  }),
  disconnectHours: setting(z.number().min(0), 200, {
    unit: 'active hours',
    reason: 'so long nothing but an agent joins again what an agent has disconnected',
  }),
  edgeDecay: setting(z.boolean(), true, {
    unit: 'on/off',
    reason: 'edges fade for want of use and are dropped at curate',
  }),
  suggestions: setting(count, 3, { unit: 'connections', reason: 'more than this floods an answer' }),
  centralShare: setting(z.number().min(0.001).max(1), 0.05, {
    unit: 'share of active blocks',
    reason: 'the best joined so many count as wholly central; the scale does not depend on what is looked at',
  }),
  counterpoints: setting(count, 2, {
    unit: 'blocks',
    reason: 'what contradicts an answer is returned with it, flagged, and must not outweigh it',
  }),
})

/** The thresholds of similarity, each 0..1, that hold for one embedder. */
export type SimilarityThresholds = z.output<typeof similarityThresholds>
