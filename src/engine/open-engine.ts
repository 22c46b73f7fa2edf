import { poolEmbedder } from '../adapters/embed/embedder-pool.ts'
import { cacheQueries, lateEmbedder, MINILM_SCRIPTS } from '../adapters/embed/embedder-wrappers.ts'
import { markdownChunker } from '../adapters/markdown/chunker.ts'
import type { Project, ProjectTrust } from '../adapters/project/project.ts'
import type { AiSdkEmbeddingModel, AiSdkLanguageModel } from '../adapters/remote/ai-sdk.ts'
import { isLoopback } from '../adapters/remote/loopback.ts'
import { createFileIndexCache, INDEX_FILE_SUFFIX, localIndexes } from '../adapters/system/index-cache.ts'
import { createLogger } from '../adapters/system/logger.ts'
import { systemClock, systemIds } from '../adapters/system/machine.ts'
import { loadScanKernel } from '../adapters/system/scan-kernel.ts'
import { systemTextFiles } from '../adapters/system/text-files.ts'
import { mustBeSameScope, normaliseScope } from '../block/block.ts'
import { defined } from '../block/text.ts'
import { ElfmemError } from '../errors.ts'
import type { IndexCache } from '../index/columns.ts'
import { INDEX_MARK, ResidentIndex } from '../index/resident-index.ts'
import { acceptCaller, callerName, type Surface } from '../intake/check-input.ts'
import { ServedTexts } from '../intake/echo.ts'
import { createAnalysis, createLanguage } from '../language/question.ts'
import { harmless } from '../operations/wording.ts'
import { Experience } from '../outcome/experience.ts'
import { readMeta } from '../store/log.ts'
import { MEMORY_ID } from '../store/tables.ts'
import type { Store } from '../store/transaction.ts'
import type { ServerPlace } from './address.ts'
import { refreshTerms } from './embedding.ts'
import {
  boundScope,
  type Capability,
  type Engine,
  logFailure,
  nextTurn,
  ownKey,
  type Rest,
  SessionTracker,
  UsageMeter,
  WriteBehind,
} from './engine.ts'
import type { Clock, Embedder, Ids, Importers, LanguageModel, Logger, Timer } from './ports.ts'
import type { Settings } from './settings.ts'
import { Turns } from './turns.ts'

export async function readMemoryId(path: string): Promise<string | undefined> {
  const { openSqliteStore } = await import('../sqlite/store.ts')
  const store = await openSqliteStore(path)
  try {
    return await memoryIdOf(store)
  } finally {
    await store.close()
  }
}

/** Returns the random name of the memory in a store, 16 hexadecimal digits; the opening of a file gives it one. */
function memoryIdOf(store: Store): Promise<string | undefined> {
  return store.read((tx) => readMeta(tx, MEMORY_ID))
}

/** Returns true if a store holds the trusted memory. An empty one in a trusted folder is trusted from now on. */
async function isTrustedMemory(store: Store, trust: ProjectTrust): Promise<boolean> {
  const known = await memoryIdOf(store)
  if (known === undefined || known === trust.memory) return known !== undefined
  const isEmpty = await store.read(async (tx) => {
    const { inbox, active, archived } = await tx.queries.counts()
    return inbox + active + archived === 0 && (await tx.state()).clock.wallMs === undefined
  })
  // Another process may have made the memory, and said so, since the project was read.
  if (!isEmpty) return known === trust.now()
  trust.keep(known)
  return true
}

/** Warns that the use of recalled blocks was lost; returns the reason in words. */
function tellLostUse(logger: Logger, error: unknown): string {
  const why = logFailure(logger, 'recall', error)
  const said = harmless(`The use of what a recall showed could not be written: ${why}`)
  process.emitWarning(said, { type: 'ElfmemWarning', code: 'ELFMEM_USE_LOST' })
  return why
}

/** Engine parts are parts of the environment that a caller may bring; the machine has the rest. */
export interface EngineParts {
  /** Makes the vectors, instead of the embedder of the settings; an embedding model of the AI SDK is accepted. */
  readonly embedder?: Embedder | AiSdkEmbeddingModel
  /** Judges blocks and pairs at dream, instead of the model of the settings; a model of the AI SDK is accepted. */
  readonly languageModel?: LanguageModel | AiSdkLanguageModel
  /** The store of the memory, instead of a file; the caller closes it. */
  readonly store?: Store
  /** Returns the place of the packed index of a scope, or of the whole store; a store that is brought has none without it. */
  readonly indexes?: (scope?: string) => IndexCache
  /** The clock. A memory with a given clock and no timer does nothing by itself. */
  readonly clock?: Clock
  /** Tells when time has passed for the memory's own work at rest. */
  readonly timer?: Timer
  /** The turns of work at rest that this memory shares with others; absent: it works whenever nobody calls. */
  readonly turns?: Turns
  readonly ids?: Ids
  /** Binds the memory to one scope of the store: no argument reaches another scope. `settings.project.scope` unless given. */
  readonly scope?: string | undefined
  /** The program's own name in the log: `library:<actor>`; `library` by default. */
  readonly actor?: string
  /** The capability of callers: `agent` by default; `owner` for the owner's acts, `reader` to read alone. */
  readonly as?: Capability | undefined
  /**
   * `own`: this memory begins a session of its own and ends it when it is closed. `resume`: it continues the session of the last caller on
   * the store within `session.idleMinutes`, and leaves it open, so that one-shot commands share one. It does nothing by itself.
   */
  readonly sessionMode?: 'own' | 'resume'
  /** True if a new memory may begin beside backups or exports of an earlier one; else `STORE_MISSING` refuses it. */
  readonly anew?: boolean
}

/** An openable project has the parts of a project that are needed to open its memory. */
export interface OpenableProject
  extends Pick<Project, 'settings' | 'database' | 'env'>,
    Partial<Pick<Project, 'notice' | 'trust' | 'sourceOf' | 'configs'>> {
  readonly surface?: Surface
  /** An embedder that was made for the same settings and is to be used again. */
  readonly embedder?: Embedder
  /** True if there is no file yet, and none is made; the engine is that of an empty memory. */
  readonly isAbsent?: boolean
}

/** An opened engine is an engine with the function that closes it and its parts. */
export interface OpenedEngine {
  readonly engine: Engine
  readonly close: () => Promise<void>
}

/** Opens the parts that many memories of a process share: one embedder, and turns of their work at rest. */
export function openSharedParts({ settings, env }: OpenableProject, most: number) {
  const embedder = openEmbedder(settings.embeddings, env)
  const parts = { embedder: poolEmbedder(embedder), turns: new Turns(most) }
  return { parts, close: () => embedder.close() }
}

/** Connects the adapters that the settings name. It loads no model. Other work has its turn between the steps: a hook may wait. */
export async function openEngine(source: OpenableProject, parts: EngineParts): Promise<OpenedEngine> {
  const { settings, surface = 'library' } = source
  const scope = boundScope(parts.scope ?? settings.project.scope)
  const name = parts.actor === undefined ? undefined : await callerName(parts.actor)
  const models = await openModels(source, parts)
  const store = parts.store ?? (await openTrustedStore(source, parts.anew === true))
  const clock = parts.clock ?? systemClock
  const ids = parts.ids ?? systemIds
  const [gapCapMs, idleMs] = [settings.session.gapCapMinutes * 60_000, settings.session.idleMinutes * 60_000]
  const session = new SessionTracker({ clock, ids, gapCapMs, idleMs })
  const logger = createLogger({ ...settings.log, timestamp: () => new Date(clock.now()).toISOString() })
  const analysis = createAnalysis(createLanguage(settings.recall.language))
  const base: EngineBase = {
    store,
    ...models,
    analysis,
    chunker: markdownChunker,
    texts: systemTextFiles,
    importers: openImporters,
    isAbsent: source.isAbsent,
    clock,
    ids,
    logger,
    settings,
    session,
    vectorModel: { current: undefined, generation: 0 },
    rest: { mode: restMode(store, source, parts), holder: ids.random(), trouble: undefined },
    embedding: { queue: Promise.resolve(), dreams: 0 },
    unbilled: new UsageMeter(),
    requests: new Map(),
    behind: new WriteBehind((error) => tellLostUse(logger, error)),
    served: new ServedTexts(),
    principal: acceptCaller(surface, { name, as: parts.as, scope }),
    notice: source.notice,
  }
  await refreshTerms(base)
  const indexes = parts.indexes ?? (source.database.server && (await indexesFor(store, source)))
  const engine = createEngine(
    base,
    cachesOf(store, ids, source, { ...parts, ...defined({ indexes }) }, analysis),
    scope,
  )
  await nextTurn()
  if (parts.sessionMode === 'resume') await engine.store.read((tx) => session.resume(tx))
  else session.begin()
  const close = async () => {
    const owned = [
      parts.store ? undefined : store,
      parts.embedder ? undefined : models.embedder,
      parts.languageModel ? undefined : models.languageModel,
    ]
    await Promise.all(owned.map((each) => each?.close?.()))
  }
  return { engine, close }
}

/** Returns the places on this machine for the packed indexes of a memory that lies in a database; undefined of one that has no name. */
export async function indexesFor(
  store: Store,
  { env }: Pick<OpenableProject, 'env'>,
): Promise<EngineParts['indexes']> {
  const id = await memoryIdOf(store)
  return id === undefined ? undefined : localIndexes(id, { env })
}

async function openModels(source: OpenableProject, parts: EngineParts) {
  const { settings, env } = source
  const languageModel = (await languageModelOf(parts, settings)) ?? openLanguageModel(settings.llm, env)
  const embedder = source.embedder ?? (await cachingEmbedder(source, parts))
  return { embedder, ...defined({ languageModel }) }
}

function cachesOf(
  store: Store,
  ids: Ids,
  { database: { path }, settings }: OpenableProject,
  { store: given, indexes }: EngineParts,
  analysis: EngineBase['analysis'],
): CreateCaches {
  /** Returns the packed index of a scope, which lies beside the memory's file if none is brought. */
  const cacheOf = (scope: string | undefined): IndexCache | undefined => {
    if (!store.isLasting || !settings.store.packedIndex) return undefined
    if (indexes !== undefined) return indexes(scope)
    if (given !== undefined) return undefined
    const ending = scope === undefined ? '' : `-${ids.sha256(scope).slice(0, 16)}`
    return createFileIndexCache(`${path}${INDEX_FILE_SUFFIX}${ending}`)
  }
  return (scope, place) => {
    const keyOf = (key: string) => ownKey(defined({ scope }), key)
    const cache = place === undefined ? cacheOf(scope) : undefined
    const keptIndex = cache && { cache, mark: keyOf(INDEX_MARK) }
    const index = new ResidentIndex(loadScanKernel(), analysis, keptIndex)
    return { index, experience: new Experience(loadScanKernel, keyOf), ...defined({ keptIndex }) }
  }
}

async function cachingEmbedder(source: OpenableProject, parts: EngineParts): Promise<Embedder> {
  const { settings, env } = source
  const embedder = (await embedderOf(parts)) ?? openEmbedder(settings.embeddings, env)
  // A local embedder keeps its texts on this machine.
  if (embedder.remote !== true) return cacheQueries(embedder)
  const { keepSecrets } = await import('../adapters/embed/keep-secrets.ts')
  return cacheQueries(keepSecrets(embedder))
}

/** Returns how the memory dreams by itself: not at all in a store that ends with the process, nor with another clock and no timer. */
function restMode({ isLasting }: Store, { settings }: OpenableProject, parts: EngineParts): Rest['mode'] {
  if (!isLasting || !worksAtRest(parts) || parts.as === 'reader') return 'off'
  return settings.memory.autoDream
}

/** Returns true if a memory with these parts lives long enough to work by itself, by a time that passes. */
export function worksAtRest({ clock, timer, sessionMode }: EngineParts): boolean {
  return sessionMode !== 'resume' && (clock === undefined || timer !== undefined)
}

/** Returns the embedder that a caller brought; the adapter of the AI SDK is loaded only for a model of it. */
async function embedderOf({ embedder }: EngineParts): Promise<Embedder | undefined> {
  const example = "openai.embedding('text-embedding-3-small')"
  if (embedder === undefined || isOwn(embedder, 'embedder', ['embed', 'doEmbed'], example))
    return embedder as Embedder | undefined
  const { fromAiSdk } = await import('../adapters/remote/ai-sdk.ts')
  return fromAiSdk(embedder as AiSdkEmbeddingModel, { maxRetries: EMBEDDING_RETRIES })
}

/** Returns the language model that a caller brought, called with the settings' time limit and retries, and temperature 0. */
async function languageModelOf(
  { languageModel }: EngineParts,
  { llm }: Settings,
): Promise<LanguageModel | undefined> {
  const example = "anthropic('claude-haiku-4-5')"
  if (languageModel === undefined || isOwn(languageModel, 'languageModel', ['ask', 'doGenerate'], example))
    return languageModel as LanguageModel | undefined
  const { languageModelFromAiSdk } = await import('../adapters/remote/ai-sdk.ts')
  return languageModelFromAiSdk(languageModel as AiSdkLanguageModel, callOptions(llm))
}

/** Returns true if a part has elfmem's own method, false if it has that of the AI SDK; throws `CONFIG_INVALID` if it has neither. */
function isOwn(part: unknown, option: string, methods: readonly [string, string], example: string): boolean {
  const [own, sdk] = methods.map((method) => typeof Object(part)[method] === 'function')
  if (own || sdk) return own === true
  const message = `The option ${option} is neither elfmem's nor a model of the AI SDK.`
  throw new ElfmemError('CONFIG_INVALID', message, {
    recovery: `Pass a model object, such as ${example}, not its name.`,
    details: { option },
  })
}

async function openImporters(): Promise<Importers> {
  const { createImporters } = await import('../adapters/importers/importers.ts')
  return createImporters(async (path) =>
    (await import('../sqlite/maintenance/foreign-tables.ts')).openForeignTables(path),
  )
}

async function openTrustedStore(
  { database: { path, server }, settings, trust, isAbsent }: OpenableProject,
  anew: boolean,
): Promise<Store> {
  if (server !== undefined) return openPostgresStore(server, settings)
  const { openSqliteStore } = await import('../sqlite/store.ts')
  await nextTurn()
  if (isAbsent) return openSqliteStore(':memory:', { name: path })
  const store = await openSqliteStore(path, { busyTimeoutMs: settings.store.busySeconds * 1000, anew })
  await nextTurn()
  if (trust === undefined) return store
  try {
    if (await isTrustedMemory(store, trust)) return store
    throw new ElfmemError('CONFIG_INVALID', `${path} is not the memory that you trusted in this project.`, {
      recovery: `If it is yours, run \`${trust.command}\`; otherwise name another memory with --db.`,
      details: { file: path },
    })
  } catch (error) {
    await store.close()
    throw error
  }
}

async function openPostgresStore(place: ServerPlace, { store }: Settings): Promise<Store> {
  const [{ openPostgres }, { createStore }] = await Promise.all([
    import('./open-postgres.ts'),
    import('../store/store.ts'),
  ])
  const { connections, busySeconds } = store
  return createStore(await openPostgres(place, { connections, busyTimeoutMs: busySeconds * 1000 }))
}

/** An engine without the parts that each scope has of its own. */
type EngineBase = Omit<Engine, 'scope' | 'within' | 'over' | 'indexed' | keyof Caches>

/** The caches of a scope, or of the whole store. */
type Caches = Pick<Engine, 'index' | 'keptIndex' | 'experience'>

/** Makes empty caches; with `apart`, no file keeps them. */
type CreateCaches = (scope?: string, place?: 'apart') => Caches

/**
 * Returns an engine on a store, or on one scope of it, with caches of its own. Without a scope it keeps the engines of the eight scopes
 * used last, so that their indexes (1.5 kB a block) need not be built again.
 */
function createEngine(base: EngineBase, createCaches: CreateCaches, scope?: string): Engine {
  const known = new Map<string, Engine>()
  const engine: Engine = {
    ...base,
    ...createCaches(scope),
    ...(scope === undefined ? {} : { scope, store: base.store.within(scope) }),
    indexed: () => [...known.values()].reduce((sum, { index }) => sum + index.size, engine.index.size),
    over: (store) => ({
      ...engine,
      ...createCaches(scope, 'apart'),
      store,
      vectorModel: { current: undefined, generation: 0 },
    }),
    within: (given) => {
      const asked = normaliseScope(given)
      if (scope !== undefined) {
        mustBeSameScope(scope, asked)
        return engine
      }
      const found = known.get(asked) ?? createEngine(base, createCaches, asked)
      known.delete(asked)
      known.set(asked, found)
      const [oldest] = known.keys()
      if (known.size > 8 && oldest !== undefined) known.delete(oldest)
      return found
    },
  }
  return engine
}

type Environment = Readonly<Record<string, string | undefined>>

/** Number of times that a request is sent again, with growing pauses, for failures that may pass. */
const EMBEDDING_RETRIES = 3

/** Returns the embedder of the settings. The first text, or `warm`, loads its code and its model. */
export function openEmbedder(
  { provider, baseUrl, model, dimensions, ...http }: Settings['embeddings'],
  env: Environment,
): Embedder {
  switch (provider) {
    case 'local':
      return lateEmbedder(
        { model: 'all-MiniLM-L6-v2-int8', dimensions: 384, scripts: MINILM_SCRIPTS },
        async () => (await import('../adapters/embed/minilm/minilm.ts')).createMiniLmEmbedder(),
      )
    case 'hashing': {
      const size = { dimensions: dimensions ?? 384 }
      return lateEmbedder({ model: `hashing-${size.dimensions}`, ...size }, async () =>
        (await import('../adapters/embed/hashing.ts')).createHashingEmbedder(size),
      )
    }
    case 'http': {
      if (baseUrl === undefined || model === undefined)
        throw lacking(
          'embeddings.provider is http, but base_url or model is missing.',
          'Set embeddings.base_url and embeddings.model, or provider: local, which needs neither.',
        )
      const apiKey = http.apiKeyEnv && env[http.apiKeyEnv]
      const options = { baseUrl, model, timeoutMs: http.timeoutSeconds * 1000, maxRetries: EMBEDDING_RETRIES }
      return lateEmbedder({ model, dimensions, remote: !isLoopback(baseUrl) }, async () => {
        const { createHttpEmbedder } = await import('../adapters/remote/embedder.ts')
        return createHttpEmbedder({ ...options, ...defined({ apiKey, dimensions }) })
      })
    }
  }
}

function lacking(message: string, recovery: string): ElfmemError {
  return new ElfmemError('CONFIG_INVALID', message, { recovery })
}

type ModelSettings = Settings['llm']
type Provider = 'http' | keyof typeof PROVIDERS

/**
 * OpenAI-compatible addresses of providers, and their usual key variables. Other endpoints have none here: no key may go to
 * somebody else. Anthropic's takes a schema and does not hold the answer to it.
 */
const PROVIDERS = {
  anthropic: { url: 'https://api.anthropic.com/v1', key: 'ANTHROPIC_API_KEY' },
  google: {
    url: 'https://generativelanguage.googleapis.com/v1beta/openai',
    key: 'GOOGLE_GENERATIVE_AI_API_KEY',
  },
  openai: { url: 'https://api.openai.com/v1', key: 'OPENAI_API_KEY' },
  mistral: { url: 'https://api.mistral.ai/v1', key: 'MISTRAL_API_KEY' },
  groq: { url: 'https://api.groq.com/openai/v1', key: 'GROQ_API_KEY' },
  xai: { url: 'https://api.x.ai/v1', key: 'XAI_API_KEY' },
} as const

/** Returns the language model of the settings, if there is one. The first question loads its code and looks for its key. */
export function openLanguageModel(settings: ModelSettings, env: Environment): LanguageModel | undefined {
  const { model } = settings
  const provider = model === undefined ? undefined : providerOf(model, settings)
  if (model === undefined || provider === undefined) return undefined
  const baseUrl = settings.baseUrl ?? (provider === 'http' ? undefined : PROVIDERS[provider].url)
  if (baseUrl === undefined)
    throw lacking(
      'llm.provider is http, but base_url is missing.',
      'Set llm.base_url to an OpenAI-compatible endpoint, such as http://localhost:1234/v1.',
    )
  return lateLanguageModel({ model, remote: !isLoopback(baseUrl) }, async () => {
    const keyVariable = settings.apiKeyEnv ?? (provider === 'http' ? undefined : PROVIDERS[provider].key)
    const apiKey = keyVariable === undefined ? undefined : env[keyVariable]?.trim() || undefined
    if (apiKey === undefined && keyVariable !== undefined)
      throw new ElfmemError(
        'MODEL_FAILED',
        `The language model ${model} needs a key, and ${keyVariable} is not set.`,
        {
          recovery: `Set the environment variable ${keyVariable}, or name another one in llm.api_key_env.`,
          details: { passing: false, model, variable: keyVariable },
        },
      )
    const { createChatModel } = await import('../adapters/remote/model.ts')
    const ignoresSchema = provider === 'anthropic'
    return createChatModel({ model, baseUrl, apiKey, keyVariable, ignoresSchema, ...callOptions(settings) })
  })
}

/** Returns the provider of a model, by its name if the settings leave it open; undefined if no model is wanted. */
export function providerOf(
  model: string,
  { provider, baseUrl }: Pick<ModelSettings, 'provider' | 'baseUrl'>,
): Provider | undefined {
  if (provider === 'none') return undefined
  if (provider !== 'auto') return provider
  if (baseUrl !== undefined) return 'http'
  if (/^claude/i.test(model)) return 'anthropic'
  return /^gemini/i.test(model) ? 'google' : 'openai'
}

/** Returns the options with which any language model is called. */
function callOptions({ timeoutSeconds, maxRetries }: ModelSettings) {
  // A text that is judged again gets its former judgement.
  return { temperature: 0, timeoutMs: timeoutSeconds * 1000, maxRetries }
}

function lateLanguageModel(
  identity: Pick<LanguageModel, 'model' | 'remote'>,
  load: () => Promise<LanguageModel>,
): LanguageModel {
  let loading: Promise<LanguageModel> | undefined
  return {
    ...identity,
    async ask(request, options) {
      loading ??= load().catch((error) => {
        loading = undefined
        throw error
      })
      return (await loading).ask(request, options)
    },
    async close() {
      const loaded = await loading?.catch(() => undefined)
      await loaded?.close?.()
    },
  }
}
