import * as z from 'zod'
import { count, setting, unit } from './setting.ts'

/** Which language model judges blocks and pairs at dream, and what it may cost. Without a model rules decide. */
export const modelSettings = z.object({
  model: z.string().min(1).optional().meta({
    unit: 'name',
    description: 'of the model that judges; without one nothing is judged by a model',
  }),
  provider: setting(
    z.enum(['auto', 'http', 'anthropic', 'google', 'openai', 'mistral', 'groq', 'xai', 'none']),
    'auto',
    {
      unit: 'name',
      reason:
        'auto: http when base_url is set, else by the name of the model (claude → anthropic, gemini → google, otherwise openai). http and openai need nothing, the others their AI SDK package. none switches the model off',
    },
  ),
  baseUrl: z.url().optional().meta({
    unit: 'URL',
    description: 'of an OpenAI-compatible endpoint, up to /v1',
  }),
  apiKeyEnv: z.string().min(1).optional().meta({
    unit: 'environment variable',
    description: "that holds the key; the provider's usual one unless given; the key itself is never stored",
  }),
  temperature: setting(z.number().min(0).max(2), 0, {
    unit: 'temperature',
    reason: 'the same text deserves the same judgement',
  }),
  maxOutputTokens: setting(count.min(64), 2_048, {
    unit: 'tokens',
    reason: 'an answer about five blocks has some 600; a truncated one is no JSON (W54)',
  }),
  timeoutSeconds: setting(z.number().positive(), 30, {
    unit: 'seconds',
    reason: 'for one attempt with its whole answer; retries have their own (W54)',
  }),
  maxRetries: setting(count.max(10), 2, {
    unit: 'retries',
    reason: 'with growing pauses, for failures that may pass',
  }),
  concurrency: setting(count.min(1).max(32), 4, { unit: 'calls', reason: 'at once; hosted models allow it' }),
  blocksPerCall: setting(count.min(1).max(20), 5, {
    unit: 'blocks',
    reason: 'judged in one call; more save little and one bad answer costs more',
  }),
  pairsPerCall: setting(count.min(1).max(50), 20, { unit: 'pairs', reason: 'labelled in one call' }),
  tokensPerDream: setting(count, 200_000, {
    unit: 'tokens',
    reason: 'no dream costs more; what is left stays pending, and the next one judges it; 0 = no limit',
  }),
  tokensPerDay: setting(count, 1_000_000, {
    unit: 'tokens',
    reason: 'of all processes with this memory, by the UTC day; 0 = no limit',
  }),
  failuresInARow: setting(count.min(1), 3, {
    unit: 'calls',
    reason: 'then this dream goes on without the model',
  }),
  pendingPerDream: setting(count, 100, {
    unit: 'blocks',
    reason: 'that an earlier dream could not have judged; judged when the model answers again',
  }),
  pairsPerDream: setting(count, 200, {
    unit: 'pairs',
    reason: 'labelled by one dream at most, the oldest first; the others wait for the next',
  }),
  maxUnlabelledPairs: setting(count, 500, {
    unit: 'pairs',
    reason: 'that wait for a label, for a model or a host that comes later; older ones stay unlabelled',
  }),
  labelConfidence: setting(unit, 0.6, {
    unit: 'confidence',
    reason: 'a label below it changes nothing',
  }),
  unrelatedConfidence: setting(unit, 0.8, {
    unit: 'confidence',
    reason: 'an unrelated pair loses its edge from here on; below, half the weight',
  }),
  charactersPerBlock: setting(count.min(200), 6_000, {
    unit: 'characters',
    reason: 'of a block shown to be judged; the rest is cut',
  }),
  charactersPerSide: setting(count.min(100), 600, {
    unit: 'characters',
    reason: 'of each block of a pair; how two relate shows in their beginnings',
  }),
  classifyEdges: setting(z.boolean(), true, {
    unit: 'on/off',
    reason: 'one call for 20 new edges says how their blocks relate and finds contradictions',
  }),
})

/** Judging old blocks anew, with a model or by the host (deep sleep). */
export const rescoreSettings = z.object({
  enabled: setting(z.boolean(), true, { unit: 'on/off', reason: 'off: rescore does nothing' }),
  maxPerRun: setting(count.min(1), 20, { unit: 'blocks', reason: 'judged anew by one call' }),
  minAgeHours: setting(z.number().min(0), 24, {
    unit: 'hours',
    reason: 'judged later than this ago: left alone',
  }),
  targetMaxAgeDays: setting(z.number().positive(), 90, {
    unit: 'days',
    reason: 'a judgement older than this counts as drift',
  }),
  driftWarningCount: setting(count, 25, {
    unit: 'blocks',
    reason: 'drift above it is worth a word, once a model is configured',
  }),
  driftWarningPercent: setting(z.number().min(0).max(100), 25, {
    unit: 'percent of active blocks',
    reason: 'the same for small memories',
  }),
  excludeCategories: setting(z.array(z.string()), ['message', 'mind', 'decision', 'prediction'], {
    unit: 'categories',
    reason: 'what they say is not about who the agent is',
  }),
  excludeTags: setting(z.array(z.string()), ['system/no-rescore'], {
    unit: 'tags',
    reason: 'the way out for a single block',
  }),
})

/** Settings of the rules that find contradictions without a model. */
export const conflictSettings = z.object({
  cosineFloor: setting(unit, 0.6, {
    unit: 'cosine',
    reason: 'below it two texts are about different things, and a contradiction between them is a guess',
  }),
  rules: setting(z.boolean(), true, {
    unit: 'on/off',
    reason: 'without a model they find some contradictions, and rarely one that is none (bench conflicts)',
  }),
})

/** The words a model is asked with. */
export const promptSettings = z.object({
  processBlock: z.string().min(1).optional().meta({
    unit: 'text',
    description: 'replaces how blocks are to be judged; must contain {self_context} and {blocks}',
  }),
  processBlockFile: z.string().min(1).optional().meta({
    unit: 'path',
    description: 'of a file with the same; the text above wins',
  }),
  validSelfTags: z.array(z.string()).optional().meta({
    unit: 'tags',
    description: 'identity tags an analysis may grant, instead of the five; protected ones never',
  }),
})
