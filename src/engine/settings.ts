import * as z from 'zod'
import { HOOK_BUDGET_BOUNDS, HOOK_BUDGET_MS } from '../adapters/project/variables.ts'
import { isScope, SCOPE_RULE, SOURCE_CLASSES, spellScope } from '../block/block.ts'
import { shownLine } from '../block/text.ts'
import { FRAMES, type Frame, type FrameName } from './frames.ts'

/** A project's config file may set a setting with this mark. Only settings that cannot hurt a user in somebody else's project have it. */
type ByProjects = 'project'

/**
 * Declares one setting: its type and range come from the schema, its default is given once, and unit and reason go into `elfmem config` and
 * docs/configuration.md.
 */
function setting<T extends z.ZodType>(
  schema: T,
  fallback: z.output<T>,
  unit: string,
  reason: string,
  project?: ByProjects,
): z.ZodDefault<T> {
  // The cast is zod's own: a default must be a value the schema could have produced, which the type of `fallback` says.
  return told(schema.default(fallback as never) as unknown as z.ZodDefault<T>, unit, reason, project)
}

/** Declares a setting without a default. */
function optional<T extends z.ZodType>(schema: T, unit: string, reason: string, project?: ByProjects) {
  return told(schema.optional(), unit, reason, project)
}

function told<T extends z.ZodType>(schema: T, unit: string, description: string, project?: ByProjects): T {
  return schema.meta({ unit, description, ...(project && { project: true }) })
}

/** Declares a setting that is one name of a list; the first name is the default. */
function oneOf<const T extends readonly [string, ...string[]]>(names: T, reason: string) {
  return setting(z.enum(names), names[0] as never, 'name', reason)
}

function onOff(fallback: boolean, reason: string) {
  return setting(z.boolean(), fallback, 'on/off', reason)
}

/** Shares, probabilities and weights lie between 0 and 1. */
const unit = z.number().min(0).max(1)
const positive = z.number().positive()

/** Returns the schema of whole numbers from a least one to a largest, if there is one. */
function whole(least: number, most?: number) {
  const from = z.number().int().min(least)
  return most === undefined ? from : from.max(most)
}

const name = z.string().min(1)

/** A text of one line as it is shown, since it stands in headings. */
const line = z
  .string()
  .refine((given) => given === shownLine(given), 'must be one line, without invisible characters')

/** The agent's name has letters, digits, spaces, `.`, `-` and `_` only, since it stands among the words of the owner. */
const agentName = z
  .string()
  .max(64)
  .regex(/^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._-]*$/u, 'must have letters, digits, spaces, . - _ only')

export const scopeName = z.string().refine((given) => isScope(spellScope(given)), `must have ${SCOPE_RULE}`)

/** Names for people, the database and its scope. */
const projectSettings = z.object({
  name: optional(line, 'name', 'for people; never selects a database', 'project'),
  agentName: setting(agentName, 'elf', 'name', 'how the self frame addresses the agent', 'project'),
  db: optional(
    name,
    'path',
    'of the database, or postgres://…; relative to the folder of the file, or around its .elfmem',
  ),
  scope: optional(
    scopeName,
    'scope',
    'binds the memory to one scope of the database (ELFMEM_SCOPE)',
    'project',
  ),
})

/** Waits for locks, backups and the packed index. */
const storeSettings = z.object({
  busySeconds: setting(positive, 10, 'seconds', 'how long a write waits for other processes'),
  connections: setting(whole(1, 100), 4, 'connections', 'of this process to a PostgreSQL database, at most'),
  keepBackups: setting(whole(1, 10_000), 7, 'backups', 'that stay in the folder of backups, the newest'),
  packedIndex: onOff(true, 'a copy of the search index beside the file opens at once'),
})

/** The model that makes vectors, and how it is reached. */
const embeddingSettings = z.object({
  provider: oneOf(['local', 'http', 'hashing'], 'the model inside the package needs no key and no network'),
  baseUrl: optional(z.url(), 'URL', 'of an OpenAI-compatible endpoint, up to /v1'),
  model: optional(name, 'name', 'asked of the endpoint'),
  apiKeyEnv: optional(name, 'environment variable', 'that holds the key; the key itself is never stored'),
  dimensions: optional(whole(1), 'components', 'expected of the endpoint, or of hashing'),
  timeoutSeconds: setting(positive, 30, 'seconds', 'per request'),
})

/** The language model that judges blocks and pairs at dream, and its budgets. Without a model rules decide. */
const modelSettings = z.object({
  model: optional(name, 'name', 'of the model that judges; without one nothing is judged by a model'),
  provider: oneOf(
    ['auto', 'http', 'anthropic', 'google', 'openai', 'mistral', 'groq', 'xai', 'none'],
    'auto: http when base_url is set, else by the name of the model; none switches the model off',
  ),
  baseUrl: optional(z.url(), 'URL', 'of an OpenAI-compatible endpoint, up to /v1'),
  apiKeyEnv: optional(
    name,
    'environment variable',
    "that holds the key; the provider's usual one unless given",
  ),
  maxOutputTokens: setting(whole(64), 2_048, 'tokens', 'an answer about five blocks has some 600'),
  timeoutSeconds: setting(positive, 30, 'seconds', 'for one attempt with its whole answer'),
  maxRetries: setting(whole(0, 10), 2, 'retries', 'with growing pauses, for failures that may pass'),
  concurrency: setting(whole(1, 32), 4, 'calls', 'at once; hosted models allow it'),
  tokensPerDream: setting(whole(0), 200_000, 'tokens', 'the rest waits for the next dream; 0: no limit'),
  tokensPerDay: setting(whole(0), 1_000_000, 'tokens', 'of all processes, by the UTC day; 0: no limit'),
})

/** Settings of how blocks come in, are consolidated, linked and forgotten. */
const memorySettings = z.object({
  inboxThreshold: setting(whole(1), 10, 'blocks', 'waiting blocks at which a dream is suggested'),
  maxContentBytes: setting(whole(64), 32_768, 'bytes', 'of one statement; longer is for learn_document'),
  chunkTokens: setting(whole(16), 192, 'estimated tokens', 'of a chunk; it fits the window of the embedder'),
  embedBatch: setting(whole(1, 96), 32, 'texts', 'that dream embeds before it writes again'),
  dreamSeconds: setting(positive, 60, 'seconds', 'a dream at a pause must end; what remains is reported'),
  autoDream: oneOf(
    ['rules', 'full', 'off'],
    'whether an open memory dreams by itself: by rules, which cost nothing, or as dream does; never in :memory:',
  ),
  autoDreamQuietSeconds: setting(
    z.number().min(0.1).max(86_400),
    60,
    'seconds',
    'without any call before a memory dreams by itself: then the agent is at a pause',
  ),
  similarityEdgesPerBlock: setting(
    whole(0),
    2,
    'edges',
    'to the most similar; ten cost half a point of recall',
  ),
  edgeDegreeCap: setting(whole(1), 10, 'edges', 'a hub joined to everything says nothing'),
  coRetrievalThreshold: setting(whole(1), 3, 'questions', 'that returned two blocks together join them'),
  curateIntervalHours: setting(positive, 40, 'active hours', 'after which a dream curates again'),
  archiveRecency: setting(unit, 0.05, 'recency', 'fainter blocks are archived, reversibly'),
  keepOperations: setting(
    whole(1),
    20_000,
    'entries',
    'of the log with what undo needs, and as many without',
  ),
  keepUndoBytes: setting(whole(0), 33_554_432, 'bytes', 'for undo; a dreamt block takes 450'),
  keepSessions: setting(whole(1), 10_000, 'sessions', 'the newest; only the last one is ever continued'),
  secrets: setting(
    z.enum(['keep', 'redact', 'refuse']),
    'redact',
    'name',
    'what becomes of a password or key: a mark of its kind takes its place, or the call is refused',
  ),
  echoGuard: onOff(true, 'recalled text that is pasted back makes no copy'),
})

/** Contradictions that rules find, without a model. */
const conflictSettings = z.object({
  rules: onOff(true, 'they find some contradictions, and rarely one that is none'),
})

/** Cosine thresholds, which differ for every embedder. */
const similarityThresholds = z.object({
  edgeCosineFloor: unit,
  edgeUnsharedCosine: unit,
  edgeScoreThreshold: unit,
  veryAlikeCosine: unit,
  apartCosine: unit,
})
/** Similarity thresholds, each 0..1, hold for one embedder. */
export type SimilarityThresholds = z.output<typeof similarityThresholds>

/** Settings of how blocks are joined, and how long edges live. */
const graphSettings = z.object({
  similarityThresholds: setting(
    z.record(z.string(), similarityThresholds.partial()),
    {},
    'thresholds by model',
    'cosines of an embedder of your own; those of the shipped ones are measured (docs/benchmarks.md)',
  ),
  pendingMax: setting(whole(1), 1_000, 'connections', 'that wait for room at most; one more is refused'),
  edgeDecay: onOff(true, 'edges fade for want of use and are dropped at curate'),
})

/** Rates at which blocks fade, per active hour; half-lives 69,315 h, 693 h, 69 h and 14 h. */
const decaySettings = z.object({
  permanent: setting(positive, 0.00001, 'per hour', 'principles'),
  durable: setting(positive, 0.001, 'per hour', 'values, constraints, goals, minds'),
  standard: setting(positive, 0.01, 'per hour', 'knowledge'),
  ephemeral: setting(positive, 0.05, 'per hour', 'observations'),
})

/** Limits of the changes that reports make, and the kept parts of their questions. */
const learningSettings = z.object({
  reach: setting(
    unit,
    0.3,
    'match strength',
    'that experience with other questions makes up for at most; beyond it a popular fact wins; 0: none',
    'project',
  ),
  ownReach: setting(
    unit,
    0.2,
    'match strength',
    'that reports on this question make up for; 0: none',
    'project',
  ),
  keepQuestions: onOff(true, 'the words of questions, without secrets; off: their vectors alone'),
})

/** Settings of learning from an agent's acts with recalled blocks, without a report (docs/implicit.md). */
const implicitSettings = z.object({
  hooks: onOff(true, 'traces of coding agents: commands show what became of a block'),
})

/** Settings of what is kept of a conversation without a call (docs/capturing.md). */
const captureSettings = z.object({
  instructions: setting(
    z.boolean(),
    true,
    'on/off',
    'standing instructions and preferences in a user’s own words, at most five a session',
    'project',
  ),
  ask: setting(
    whole(0, 100_000),
    20,
    'messages and steps',
    'with nothing kept after which a hook asks its agent once for what should last, more than one fix takes; 0: never',
  ),
})

/** Settings of the size, certainty and language of recall. The measured recipe and its constants are in docs/retrieval.md. */
const recallSettings = z.object({
  topK: setting(whole(0, 1_000), 0, 'blocks', '0: all near the best, none where nothing bears', 'project'),
  matchFrom: setting(
    unit,
    0.6,
    'probability',
    'from which an answer is called a match, not perhaps',
    'project',
  ),
  waitingMilliseconds: setting(
    whole(0, 10_000),
    50,
    'milliseconds',
    'before a question, for vectors of the newest blocks that wait and lack one; 0: none',
  ),
  language: oneOf(
    ['auto', 'english', 'german', 'french', 'spanish', 'portuguese', 'italian', 'dutch', 'russian'],
    'whose stop words, word forms and dates are known; auto looks at each text',
  ),
  expansionSeeds: setting(whole(0), 5, 'blocks', 'whose neighbours join the candidates; 0: none'),
  newerFirst: setting(
    z.number().min(-100).max(100),
    0.4,
    'log-odds',
    'from which the newer of two notes comes first; lower finds more changes and errs more, 100: never',
    'project',
  ),
})

/** Returns the schema of a frame, whose budget is a setting; the signals that it weighs are constants (docs/frames.md). */
function frameSettings(name: FrameName) {
  const { tokenBudget } = FRAMES[name]
  return z
    .object({
      tokenBudget: setting(whole(16), tokenBudget, 'estimated tokens', 'of the rendered text', 'project'),
    })
    .prefault({})
    .transform((given): Frame => ({ ...FRAMES[name], ...given }))
}

/** Limits of a scope, an answer, a message and an import. Arguments are bounded by their schemas. */
const limitSettings = z.object({
  items: setting(whole(1, 10_000_000), 100_000, 'items', 'named in one scope'),
  openProposals: setting(whole(1, 100_000), 100, 'proposals', 'that wait in one scope'),
  answerTokens: setting(
    whole(1_000, 10_000_000),
    25_000,
    'estimated tokens',
    'of one answer over MCP, text and fields together; clients refuse or spill what is longer',
  ),
  requestBytes: setting(whole(65_536, 512_000_000), 10_485_760, 'bytes', 'of one MCP message'),
  callsPerMinute: setting(whole(1, 1_000_000), 1_200, 'calls', 'of one MCP connection on average'),
  burstCalls: setting(whole(1, 1_000_000), 600, 'calls', 'of one MCP connection after a pause'),
  importBytes: setting(whole(1_024, 100_000_000_000), 1_000_000_000, 'bytes', 'of all files of an import'),
})

/** The session that groups recent ids and neighbours. */
const sessionSettings = z.object({
  idleMinutes: setting(
    positive,
    30,
    'minutes',
    'without a write end a session; a command continues one within',
  ),
  gapCapMinutes: setting(positive, 15, 'minutes', 'the longest pause that counts as active time'),
})

/** Hook settings decide what coding agents get with a prompt, from where, and how long they wait. */
export const hookSettings = z.object({
  budgetMs: setting(
    whole(HOOK_BUDGET_BOUNDS.least, HOOK_BUDGET_BOUNDS.most),
    HOOK_BUDGET_MS,
    'milliseconds',
    'that a client waits for a hook; what is not there by then is left out',
  ),
  tokens: setting(whole(64, 10_000), 600, 'estimated tokens', 'of the memory behind one prompt'),
  classes: setting(
    z.array(z.enum(SOURCE_CLASSES)).min(1),
    ['user', 'agent', 'model'],
    'source classes',
    'shown where a client passes memory on as the system; words of others stay behind a recall',
  ),
  perhaps: onOff(true, 'whether an answer that is no match comes behind a prompt'),
  scope: oneOf(
    ['project', 'memory'],
    'what a server with hooks works in: the scope of the git repository around it, or the whole memory',
  ),
  shared: setting(z.array(scopeName).max(8), [], 'scopes', 'whose memories show in every project, too'),
})

/** The level, form and file of the log. */
const logSettings = z.object({
  level: oneOf(['off', 'error', 'info', 'debug'], 'info is one line an operation'),
  format: oneOf(['text', 'json'], 'json for machines'),
  file: optional(name, 'path', 'appended to instead of standard error'),
})

/** The schema has every setting of elfmem. A missing section or key takes its default. */
export const settingsSchema = z.object({
  project: projectSettings.prefault({}),
  store: storeSettings.prefault({}),
  embeddings: embeddingSettings.prefault({}),
  llm: modelSettings.prefault({}),
  memory: memorySettings.prefault({}),
  conflicts: conflictSettings.prefault({}),
  graph: graphSettings.prefault({}),
  decay: decaySettings.prefault({}),
  learning: learningSettings.prefault({}),
  implicit: implicitSettings.prefault({}),
  capture: captureSettings.prefault({}),
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

/** Settings are checked, and every default is filled in. */
export type Settings = z.output<typeof settingsSchema>
/** Settings as a caller writes them are input: each one that is left out takes its default. */
export type SettingsInput = z.input<typeof settingsSchema>
