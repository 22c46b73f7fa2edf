import * as z from 'zod'
import { count, positive, setting, unit } from './setting.ts'

/** How blocks come in, are consolidated, linked, believed and forgotten. */
export const memorySettings = z.object({
  inboxThreshold: setting(count.min(1), 10, {
    unit: 'blocks',
    reason: 'waiting blocks at which a dream is suggested',
  }),
  maxContentBytes: setting(count.min(64), 32_768, {
    unit: 'bytes',
    reason: 'one block is one statement; longer texts belong to learn_document, which cuts them into blocks',
  }),
  maxCueBytes: setting(count.min(16), 1_024, { unit: 'bytes', reason: 'a cue is one line' }),
  maxTags: setting(count.min(1), 32, { unit: 'tags', reason: 'more tags than this describe nothing' }),
  chunkTokens: setting(count.min(16), 192, {
    unit: 'estimated tokens',
    reason: 'a chunk fits the embedder window (256 word pieces) with room for words that split',
  }),
  embedBatch: setting(count.min(1).max(96), 32, {
    unit: 'texts',
    reason: 'what dream embeds before it writes again',
  }),
  waitingBatch: setting(count.min(1).max(96), 4, {
    unit: 'texts',
    reason: 'of blocks that wait, embedded before others have their turn: some 15 ms',
  }),
  reembedSample: setting(count.min(1).max(96), 16, {
    unit: 'texts',
    reason: 'what a dry run of reembed embeds to measure how long all would take',
  }),
  dreamScan: setting(z.enum(['sketched', 'exact']), 'sketched', {
    unit: 'sketched | exact',
    reason:
      'which blocks a dream compares a new one with: those whose sketch of signs says that they may be near enough, or all. Where vectors have fewer than 128 dimensions or blocks are fewer than 4,096 it is always all',
  }),
  dreamSeconds: setting(positive, 60, {
    unit: 'seconds',
    reason: 'a dream at a pause must end; what remains is reported',
  }),
  autoDream: setting(z.enum(['rules', 'full', 'off']), 'rules', {
    unit: 'rules | full | off',
    reason:
      'whether a memory that stays open dreams by itself when enough waits: by rules, which ask no model and cost nothing, or as dream does. Never in :memory: or in one-shot commands',
  }),
  autoDreamQuietSeconds: setting(z.number().min(0.1).max(86_400), 60, {
    unit: 'seconds',
    reason:
      'without any call, whoever made it, before a memory dreams by itself: then the agent is at a pause',
  }),
  autoDreamBatchMs: setting(z.number().min(1).max(1_000), 50, {
    unit: 'milliseconds',
    reason: 'of work at a time in such a dream; a call that comes in waits no longer',
  }),
  autoDreamLeaseSeconds: setting(z.number().min(1).max(3_600), 60, {
    unit: 'seconds',
    reason:
      'how long other processes leave such a dream to the process that holds the lease. It renews the lease while it dreams. A killed process delays the others by this time',
  }),
  nearDuplicateCosine: setting(unit, 0.9, {
    unit: 'cosine',
    reason: 'at and above it a pair of nearly equal texts is flagged for resolve',
  }),
  edgeCosineFloor: setting(unit, 0.3, {
    unit: 'cosine',
    reason:
      'below it similarity says nothing about relation, and no tag and no session makes up for it (the composite score of the seeds)',
  }),
  edgeUnsharedCosine: setting(unit, 0.5, {
    unit: 'cosine',
    reason: 'below it a dream looks only at blocks that share a tag or a session; no other pair needs less',
  }),
  edgeScoreThreshold: setting(unit, 0.4, {
    unit: 'score',
    reason: 'composite score from which a similarity edge is made (the composite score of the seeds)',
  }),
  similarityEdgesPerBlock: setting(count, 2, {
    unit: 'edges',
    reason:
      'the most similar, and those that share a tag or a session; ten cost half a point of recall and left use a sixth of the edges (lifecycle bench)',
  }),
  edgeDegreeCap: setting(count.min(1), 10, {
    unit: 'edges',
    reason: 'a hub joined to everything says nothing',
  }),
  edgeReinforceDelta: setting(unit, 0.1, { unit: 'weight', reason: 'what one repeated outcome adds' }),
  edgePruneThreshold: setting(unit, 0.1, {
    unit: 'weight',
    reason: 'an edge fainter than this is dropped at curate',
  }),
  outcomeEdgeFactor: setting(unit, 0.8, {
    unit: 'weight per signal',
    reason: 'a first outcome edge; leaves room to grow',
  }),
  outcomePairsPerCall: setting(count, 10, {
    unit: 'pairs',
    reason: 'all pairs of k blocks would be quadratic',
  }),
  outcomeReinforceThreshold: setting(unit, 0.5, {
    unit: 'signal',
    reason: 'above it an outcome counts as useful',
  }),
  penalizeThreshold: setting(unit, 0.2, { unit: 'signal', reason: 'below it a block also fades faster' }),
  penaltyFactor: setting(z.number().min(1), 2, {
    unit: 'factor',
    reason: 'on the decay rate, per bad outcome',
  }),
  lambdaCeiling: setting(positive, 0.05, {
    unit: 'per hour',
    reason: 'no block fades faster than an observation',
  }),
  penaltyImmuneLambda: setting(positive, 0.001, {
    unit: 'per hour',
    reason: 'durable and permanent blocks do not fade faster for a bad outcome',
  }),
  coRetrievalThreshold: setting(count.min(1), 3, {
    unit: 'questions',
    reason: 'so many different questions that returned two blocks together join them',
  }),
  coRetrievalSameMinutes: setting(count.max(240), 10, {
    unit: 'active minutes',
    reason:
      'the same question asked again within them is counted once: an agent that tries again asks nothing new',
  }),
  coRetrievalWeight: setting(unit, 0.55, {
    unit: 'weight',
    reason: 'weaker than anything said or reported; 0 joins only pairs that are far apart',
  }),
  coRetrievalApartWeight: setting(unit, 0.8, {
    unit: 'weight',
    reason:
      'of pairs far apart in meaning: what comes together though it does not read alike belongs together (lifecycle bench)',
  }),
  coRetrievalBlocks: setting(count, 4, {
    unit: 'blocks',
    reason:
      'of an answer the best so many are paired: three questions that need not be of three sessions say less of what stands fifth (lifecycle bench)',
  }),
  coRetrievalWhen: setting(z.enum(['always', 'unreported', 'never']), 'always', {
    unit: 'always | unreported | never',
    reason: 'whether being returned together counts, or only while nobody reports outcomes',
  }),
  coRetrievalStagingMax: setting(count.min(1), 1_000, { unit: 'pairs', reason: 'bounds the waiting list' }),
  curateIntervalHours: setting(positive, 40, {
    unit: 'active hours',
    reason: 'a dream curates when the last time is longer ago',
  }),
  curateReinforceTop: setting(count, 5, {
    unit: 'blocks',
    reason: 'the identity that carries most stays fresh',
  }),
  archiveRecency: setting(unit, 0.05, { unit: 'recency', reason: 'fainter blocks are archived, reversibly' }),
  bridgeQuantile: setting(unit, 0.8, {
    unit: 'quantile of degree',
    reason: 'well joined blocks are kept though faint',
  }),
  establishedReinforcements: setting(count.min(1), 10, {
    unit: 'uses',
    reason: 'an edge used so often decays at half speed',
  }),
  keepOperations: setting(count.min(1), 20_000, {
    unit: 'entries',
    reason:
      'the operations log must not grow without bound; of entries with what undo needs and of those without, such as recalls, so many each',
  }),
  keepUndoBytes: setting(count, 33_554_432, {
    unit: 'bytes',
    reason:
      'what undo needs of past operations, the oldest dropped first',
  }),
  keepOutcomes: setting(count.min(1).max(100_000), 200, {
    unit: 'reports',
    reason:
      'of one block, the newest; what older ones taught stays in its counts. As many wait for a block of the inbox, of which the oldest are forgotten',
  }),
  keepSessions: setting(count.min(1), 10_000, {
    unit: 'sessions',
    reason: 'the newest; sessions must not grow without bound, and only the last one is ever continued',
  }),
  secrets: setting(z.enum(['keep', 'redact', 'refuse']), 'redact', {
    unit: 'keep | redact | refuse',
    reason:
      'what becomes of a password or key in what is to be kept: a mark of its kind takes its place (none was seen wrongly in 25,611 texts of conversations and articles and 12,661 paragraphs of documentation), or the call is refused',
  }),
  echoGuard: setting(z.boolean(), true, {
    unit: 'on/off',
    reason:
      'recalled text that is pasted back, as an entry, a frame or a fence, keeps the original fresh and makes no copy',
  }),
  adaptivePolicy: setting(z.boolean(), false, {
    unit: 'on/off',
    reason:
      'lets the threshold of dreaming follow how much a dream promotes; also set by ELFMEM_ADAPTIVE_POLICY',
  }),
})

/** Rates at which blocks fade, per active hour; half-lives 69,315 h, 693 h, 69 h and 14 h. */
export const decaySettings = z.object({
  permanent: setting(positive, 0.00001, { unit: 'per hour', reason: 'principles' }),
  durable: setting(positive, 0.001, { unit: 'per hour', reason: 'values, constraints, goals, minds' }),
  standard: setting(positive, 0.01, { unit: 'per hour', reason: 'knowledge' }),
  ephemeral: setting(positive, 0.05, { unit: 'per hour', reason: 'observations' }),
})
