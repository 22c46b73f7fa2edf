import * as z from 'zod'
import { isScope, SCOPE_RULE, spellScope } from '../domain/block/scope.ts'
import { SOURCE_CLASSES } from '../domain/block/source-class.ts'
import { shownLine } from '../domain/safety/visible.ts'
import { FRAMES, type Frame, type FrameName } from './frames.ts'
import { HOOK_BUDGET_BOUNDS, HOOK_BUDGET_MS } from './hook-budget.ts'

/** Shares, probabilities, weights: 0 to 1. */
const unit = z.number().min(0).max(1)
/** Whole numbers from 0. */
const count = z.number().int().min(0)
/** Any number above 0. */
const positive = z.number().positive()

/** The facts that every setting states beside its range and default. */
interface SettingFacts {
  /** Unit of the value, for example `blocks`, `hours`, `cosine`. */
  readonly unit: string
  /** Why the default is what it is. */
  readonly reason: string
  /**
   * Allows a project's config file to set it: to `any` value, or only to a `lower` one than would hold without the
   * file. Absent: it may not. Only what cannot hurt whoever works in a project of somebody else has this mark.
   */
  readonly project?: 'any' | 'lower'
}

/**
 * Declares one setting: its type and range come from the schema, its default is given once, and unit and reason
 * go into `elfmem config` and docs/configuration.md.
 */
function setting<T extends z.ZodType>(
  schema: T,
  fallback: z.output<T>,
  { reason, ...facts }: SettingFacts,
): z.ZodDefault<T> {
  // The cast is zod's own: a default must be a value the schema could have produced, which the type of `fallback` says.
  return schema
    .default(fallback as never)
    .meta({ ...facts, description: reason }) as unknown as z.ZodDefault<T>
}

/** A text of one line, as it is shown: it stands in headings. */
const lineOf = (text: z.ZodString) =>
  text.refine((given) => given === shownLine(given), 'must be one line, without invisible characters')

const scopeName = z.string().refine((given) => isScope(spellScope(given)), `must have ${SCOPE_RULE}`)

/** Letters, digits, spaces, `.`, `-` and `_`: a name stands among the words of the owner. */
const agentName = z
  .string()
  .max(64)
  .regex(/^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._-]*$/u, 'must have letters, digits, spaces, . - _ only')

/** Names for people, the database and its scope. */
const projectSettings = z.object({
  name: lineOf(z.string())
    .optional()
    .meta({ unit: 'name', description: 'for people; never selects a database', project: 'any' }),
  agentName: setting(agentName, 'elf', {
    unit: 'name',
    project: 'any',
    reason: 'how the self frame addresses the agent',
  }),
  db: z.string().min(1).optional().meta({
    unit: 'path',
    description: 'of the database; relative to the directory of the file, or around its .elfmem',
  }),
  scope: scopeName.optional().meta({
    unit: 'scope',
    project: 'any',
    description: 'binds the memory to one scope of the database; also set by ELFMEM_SCOPE',
  }),
})

/** Waits for locks, backups and the packed index. */
const storeSettings = z.object({
  busySeconds: setting(positive, 10, {
    unit: 'seconds',
    reason: 'how long a write waits for other processes',
  }),
  keepBackups: setting(count.min(1).max(10_000), 7, {
    unit: 'backups',
    reason:
      'of the folder of backups beside the memory the newest so many stay; those elsewhere are never touched',
  }),
  agentFileBytes: setting(count.min(1_048_576).max(1_000_000_000_000), 1_073_741_824, {
    unit: 'bytes',
    reason:
      'of the backups that agents made together, and of their exports together; enough for 100,000 blocks',
  }),
  packedIndex: setting(z.boolean(), true, {
    unit: 'on/off',
    reason:
      'a packed copy of the search index beside the file (`-index`), so that a large memory opens at once; it may be deleted at any time',
  }),
})

/** The model that makes vectors, and how it is reached. */
const embeddingSettings = z.object({
  provider: setting(z.enum(['local', 'http', 'onnx', 'hashing']), 'local', {
    unit: 'name',
    reason: 'the model inside the package needs no key and no network',
  }),
  workers: setting(count.min(1).max(16), 1, {
    unit: 'threads',
    reason: 'a second one showed no gain on two virtual cores; of onnx the threads of a run',
  }),
  baseUrl: z
    .url()
    .optional()
    .meta({ unit: 'URL', description: 'of an OpenAI-compatible endpoint, up to /v1' }),
  model: z.string().min(1).optional().meta({
    unit: 'name',
    description:
      'asked of the endpoint; for onnx what its vectors are remembered by, the file name unless given',
  }),
  modelPath: z.string().min(1).optional().meta({
    unit: 'path',
    description: 'of the ONNX file; relative to the working directory',
  }),
  apiKeyEnv: z.string().min(1).optional().meta({
    unit: 'environment variable',
    description: 'that holds the key; the key itself is never stored',
  }),
  dimensions: count
    .min(1)
    .optional()
    .meta({ unit: 'components', description: 'expected of the endpoint, or of hashing' }),
  timeoutSeconds: setting(positive, 30, { unit: 'seconds', reason: 'per request' }),
})

/** The language model that judges blocks and pairs at dream, and what it may cost. Without a model rules decide. */
const modelSettings = z.object({
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
  maxOutputTokens: setting(count.min(64), 2_048, {
    unit: 'tokens',
    reason: 'an answer about five blocks has some 600; a model that thinks aloud needs more',
  }),
  timeoutSeconds: setting(positive, 30, {
    unit: 'seconds',
    reason: 'for one attempt with its whole answer; retries have their own',
  }),
  maxRetries: setting(count.max(10), 2, {
    unit: 'retries',
    reason: 'with growing pauses, for failures that may pass',
  }),
  concurrency: setting(count.min(1).max(32), 4, { unit: 'calls', reason: 'at once; hosted models allow it' }),
  tokensPerDream: setting(count, 200_000, {
    unit: 'tokens',
    reason: 'no dream costs more; what is left stays pending, and the next one judges it; 0 = no limit',
  }),
  tokensPerDay: setting(count, 1_000_000, {
    unit: 'tokens',
    reason: 'of all processes with this memory, by the UTC day; 0 = no limit',
  }),
})

/** The words a model is asked with. */
const promptSettings = z.object({
  processBlock: z.string().min(1).optional().meta({
    unit: 'text',
    description: 'replaces how blocks are to be judged; must contain {self_context} and {blocks}',
  }),
})

/** How blocks come in, are consolidated, linked and forgotten. */
const memorySettings = z.object({
  inboxThreshold: setting(count.min(1), 10, {
    unit: 'blocks',
    reason: 'waiting blocks at which a dream is suggested',
  }),
  adaptivePolicy: setting(z.boolean(), false, {
    unit: 'on/off',
    reason:
      'lets the threshold of dreaming follow how much a dream promotes; also set by ELFMEM_ADAPTIVE_POLICY',
  }),
  maxContentBytes: setting(count.min(64), 32_768, {
    unit: 'bytes',
    reason: 'one block is one statement; longer texts belong to learn_document, which cuts them into blocks',
  }),
  chunkTokens: setting(count.min(16), 192, {
    unit: 'estimated tokens',
    reason: 'a chunk fits the embedder window (256 word pieces) with room for words that split',
  }),
  embedBatch: setting(count.min(1).max(96), 32, {
    unit: 'texts',
    reason: 'what dream embeds before it writes again',
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
  similarityEdgesPerBlock: setting(count, 2, {
    unit: 'edges',
    reason:
      'the most similar, and those that share a tag or a session; ten cost half a point of recall and left use a sixth of the edges (lifecycle bench)',
  }),
  edgeDegreeCap: setting(count.min(1), 10, {
    unit: 'edges',
    reason: 'a hub joined to everything says nothing',
  }),
  coRetrievalThreshold: setting(count.min(1), 3, {
    unit: 'questions',
    reason: 'so many different questions that returned two blocks together join them',
  }),
  curateIntervalHours: setting(positive, 40, {
    unit: 'active hours',
    reason: 'a dream curates when the last time is longer ago',
  }),
  archiveRecency: setting(unit, 0.05, { unit: 'recency', reason: 'fainter blocks are archived, reversibly' }),
  keepOperations: setting(count.min(1), 20_000, {
    unit: 'entries',
    reason:
      'the operations log must not grow without bound; of entries with what undo needs and of those without, such as recalls, so many each',
  }),
  keepUndoBytes: setting(count, 33_554_432, {
    unit: 'bytes',
    reason:
      'what undo needs of past operations, the oldest dropped first; a dreamt block takes some 450 bytes of it, a remembered one 100',
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
})

/** Contradictions that rules find, without a model. */
const conflictSettings = z.object({
  rules: setting(z.boolean(), true, {
    unit: 'on/off',
    reason: 'without a model they find some contradictions, and rarely one that is none (bench conflicts)',
  }),
})

/** Cosine thresholds, which differ for every embedder. */
const similarityThresholds = z.object({
  edgeCosineFloor: unit,
  edgeUnsharedCosine: unit,
  edgeScoreThreshold: unit,
  veryAlikeCosine: unit,
  apartCosine: unit,
})
/** The thresholds of similarity, each 0..1, that hold for one embedder. */
export type SimilarityThresholds = z.output<typeof similarityThresholds>

/** How blocks are joined, and how the joints live. */
const graphSettings = z.object({
  similarityThresholds: setting(
    z.record(z.string(), similarityThresholds.partial()),
    {},
    {
      unit: 'thresholds by model',
      reason:
        'cosines of an embedder of your own; those of the shipped ones are measured (docs/benchmarks.md)',
    },
  ),
  pendingMax: setting(count.min(1), 1_000, {
    unit: 'connections',
    reason: 'that wait for room at most; one more is refused',
  }),
  edgeDecay: setting(z.boolean(), true, {
    unit: 'on/off',
    reason: 'edges fade for want of use and are dropped at curate',
  }),
})

/** Rates at which blocks fade, per active hour; half-lives 69,315 h, 693 h, 69 h and 14 h. */
const decaySettings = z.object({
  permanent: setting(positive, 0.00001, { unit: 'per hour', reason: 'principles' }),
  durable: setting(positive, 0.001, { unit: 'per hour', reason: 'values, constraints, goals, minds' }),
  standard: setting(positive, 0.01, { unit: 'per hour', reason: 'knowledge' }),
  ephemeral: setting(positive, 0.05, { unit: 'per hour', reason: 'observations' }),
})

/** What reports may change, and what is kept of the questions they are about. */
const learningSettings = z.object({
  reach: setting(unit, 0.3, {
    unit: 'match strength',
    project: 'any',
    reason:
      'that experience with other questions makes up for at most, once it has proved itself. Beyond it a fact of a small memory loses its place to a popular one; 0: none',
  }),
  ownReach: setting(unit, 0.2, {
    unit: 'match strength',
    project: 'any',
    reason: 'that reports about this very question, or one much like it, make up for at most; 0: none',
  }),
  keepQuestions: setting(z.boolean(), true, {
    unit: 'on/off',
    reason:
      'the words of questions, without secrets: of those reported on, and of the newest recalls until they are; off: their vectors alone, which end with the next change of model',
  }),
})

/** What is learned from what an agent did with recalled blocks, without a report of anybody (docs/implicit.md). */
const implicitSettings = z.object({
  hooks: setting(z.boolean(), true, {
    unit: 'on/off',
    reason: 'traces of coding agents, whose commands and edits show what became of a block',
  }),
  adapters: setting(z.boolean(), false, {
    unit: 'on/off',
    reason: 'traces of agent frameworks: a tool of theirs that did not throw says little of a block',
  }),
})

const LANGUAGES = [
  'auto',
  'english',
  'german',
  'french',
  'spanish',
  'portuguese',
  'italian',
  'dutch',
  'russian',
  'neutral',
] as const

/** What recall returns, and how sure it is. The measured recipe and its constants are in docs/retrieval.md. */
const recallSettings = z.object({
  topK: setting(count.max(1_000), 0, {
    unit: 'blocks',
    project: 'any',
    reason:
      'a fixed number in an answer; 0: as many as are near the best, 1 to 10, and none where nothing bears on a question',
  }),
  matchFrom: setting(unit, 0.6, {
    unit: 'probability',
    project: 'any',
    reason: 'from it on an answer is called a match, below it perhaps; .8 for hosts that act on it unread',
  }),
  waitingMilliseconds: setting(count.max(10_000), 50, {
    unit: 'milliseconds',
    reason:
      'in front of a question, for vectors of the newest blocks that wait and lack one: a dozen short texts; nobody notices it; 0: none',
  }),
  language: setting(z.enum(LANGUAGES), 'auto', {
    unit: LANGUAGES.join(' | '),
    reason:
      'whose stop words, word forms and dates are known; auto looks at each text, and reads English as english does; neutral knows none',
  }),
  expansionSeeds: setting(count, 5, {
    unit: 'blocks',
    reason: 'best matches whose neighbours join the candidates; 0: no edge is followed',
  }),
  newerFirst: setting(z.number().min(-100).max(100), 0.4, {
    unit: 'log-odds',
    project: 'any',
    reason:
      'of the pair score from which on the newer of two notes comes first; 0 finds more changes and takes the first place from more facts that both hold, 100 never changes the order',
  }),
})

/** A frame, of which the budget is a setting; the signals it weighs are constants (docs/frames.md). */
function frameSettings(name: FrameName) {
  const { tokenBudget, ...constants } = FRAMES[name]
  return z
    .object({
      tokenBudget: setting(count.min(16), tokenBudget, {
        unit: 'estimated tokens',
        project: 'any',
        reason: 'of the rendered text',
      }),
    })
    .prefault({})
    .transform((given): Frame => ({ ...constants, ...given }))
}

/** How much one call may bring, ask for and get; what a single block may hold is said under `memory`. */
const limitSettings = z.object({
  documentBytes: setting(count.min(1_024).max(64_000_000), 4_000_000, {
    unit: 'bytes',
    project: 'lower',
    reason: 'of a text for learn_document: some 800 pages; a longer one is learned in parts',
  }),
  itemBytes: setting(count.min(256).max(2_000_000), 1_048_576, {
    unit: 'bytes',
    project: 'lower',
    reason:
      'of the value of a named item, as JSON: a long file or a turn of a conversation; it is read and written whole',
  }),
  items: setting(count.min(1).max(10_000_000), 100_000, {
    unit: 'items',
    project: 'lower',
    reason: 'named in one scope; each new one counts all, in some milliseconds at this number',
  }),
  openProposals: setting(count.min(1).max(100_000), 100, {
    unit: 'proposals',
    project: 'lower',
    reason: 'that wait for the owner in one scope; a person reads each, and a runaway loop makes thousands',
  }),
  answerTokens: setting(count.min(1_000).max(10_000_000), 25_000, {
    unit: 'estimated tokens',
    project: 'lower',
    reason: 'of one answer over MCP, text and fields together; clients refuse or spill what is longer',
  }),
  requestBytes: setting(count.min(65_536).max(512_000_000), 10_485_760, {
    unit: 'bytes',
    project: 'lower',
    reason: 'of one message to the MCP server; what is longer is dropped as it comes and refused',
  }),
  callsPerMinute: setting(count.min(1).max(1_000_000), 1_200, {
    unit: 'calls',
    project: 'lower',
    reason:
      'of one MCP connection on average; a busy agent makes one or two a second, a runaway loop hundreds',
  }),
  burstCalls: setting(count.min(1).max(1_000_000), 600, {
    unit: 'calls',
    project: 'lower',
    reason: 'that one MCP connection may make at once after a pause',
  }),
  importBytes: setting(count.min(1_024).max(100_000_000_000), 1_000_000_000, {
    unit: 'bytes',
    reason: 'of all files of one import_from; an export of years of conversations has some hundred MB',
  }),
})

/** The session that groups recent ids and neighbours. */
const sessionSettings = z.object({
  idleMinutes: setting(positive, 30, {
    unit: 'minutes',
    reason:
      'a session in which nothing was written for so long is over; a later command continues the open one if it comes within this',
  }),
  gapCapMinutes: setting(positive, 15, {
    unit: 'minutes',
    reason: 'the longest pause between two operations that counts as active time',
  }),
})

/** What coding agents get with a prompt, from where, and how long they wait. */
const hookSettings = z.object({
  budgetMs: setting(count.min(HOOK_BUDGET_BOUNDS.least).max(HOOK_BUDGET_BOUNDS.most), HOOK_BUDGET_MS, {
    unit: 'milliseconds',
    reason: 'that a client waits for a hook; what is not there by then is left out',
  }),
  tokens: setting(count.min(64).max(10_000), 600, {
    unit: 'estimated tokens',
    reason: 'of the memory behind one prompt: a few blocks, a small part of what a turn reads',
  }),
  classes: setting(z.array(z.enum(SOURCE_CLASSES)).min(1), ['user', 'agent', 'model'], {
    unit: 'source classes',
    reason:
      "shown where a client passes memory on as the system or the developer; words of tools, documents and others stay behind a recall, whose answer is a tool's",
  }),
  perhaps: setting(z.boolean(), true, {
    unit: 'on/off',
    reason:
      'whether an answer that is no match is worth its place behind a prompt, as it is in an answer; each block comes once a session',
  }),
  scope: setting(z.enum(['project', 'memory']), 'project', {
    unit: 'project | memory',
    reason:
      "what a server with hooks works in: the scope of the git repository around it, so that no memory of one project shows in another, or the whole memory. A memory that lies in a trusted project is that project's already",
  }),
  shared: setting(z.array(scopeName).max(8), [], {
    unit: 'scopes',
    reason: 'whose memories show in the frames of every project, too; the owner alone says which',
  }),
})

/** The options of hooks in a program: the settings of the group, and what they work in. */
export const agentHookOptions = hookSettings
  .omit({ scope: true })
  .extend({
    scope: scopeName.optional(),
    wholeMemory: z.boolean().optional(),
    readOnly: z.boolean().optional(),
  })
  .strict()

/** The level, form and file of the log. */
const logSettings = z.object({
  level: setting(z.enum(['off', 'error', 'info', 'debug']), 'off', {
    unit: 'name',
    reason: 'a library is silent; info is one line an operation, debug adds its summary',
  }),
  format: setting(z.enum(['text', 'json']), 'text', { unit: 'name', reason: 'json for machines' }),
  file: z
    .string()
    .min(1)
    .optional()
    .meta({ unit: 'path', description: 'appended to instead of standard error' }),
})

/** Every setting of elfmem. A missing section or key takes its default. */
export const settingsSchema = z.object({
  project: projectSettings.prefault({}),
  store: storeSettings.prefault({}),
  embeddings: embeddingSettings.prefault({}),
  llm: modelSettings.prefault({}),
  prompts: promptSettings.prefault({}),
  memory: memorySettings.prefault({}),
  conflicts: conflictSettings.prefault({}),
  graph: graphSettings.prefault({}),
  decay: decaySettings.prefault({}),
  learning: learningSettings.prefault({}),
  implicit: implicitSettings.prefault({}),
  recall: recallSettings.prefault({}),
  frames: z
    .object({
      self: frameSettings('self'),
      attention: frameSettings('attention'),
      task: frameSettings('task'),
      simulate: frameSettings('simulate'),
      world: frameSettings('world'),
      short_term: frameSettings('short_term'),
    })
    .prefault({}),
  limits: limitSettings.prefault({}),
  session: sessionSettings.prefault({}),
  hooks: hookSettings.prefault({}),
  log: logSettings.prefault({}),
})

/** All settings, checked and with every default filled in. */
export type Settings = z.output<typeof settingsSchema>
/** Settings as a caller writes them: each one that is left out has its default. */
export type SettingsInput = z.input<typeof settingsSchema>
