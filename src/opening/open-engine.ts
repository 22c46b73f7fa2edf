import { cacheQueries } from '../adapters/embed/embedder-wrappers.ts'
import { markdownChunker } from '../adapters/markdown/chunker.ts'
import type { ProjectTrust } from '../adapters/project/project.ts'
import type { WithheldKeys } from '../adapters/project/trust/key-sources.ts'
import type { AiSdkEmbeddingModel, AiSdkLanguageModel } from '../adapters/remote/sdk/ai-sdk.ts'
import { createFileIndexCache, INDEX_FILE_SUFFIX } from '../adapters/system/index-cache.ts'
import { createLogger } from '../adapters/system/logger.ts'
import { systemClock, systemIds } from '../adapters/system/machine.ts'
import { createScanFallback, loadScanKernel } from '../adapters/system/scan-kernel.ts'
import { systemTextFiles } from '../adapters/system/text-files.ts'
import type { Settings } from '../config/settings.ts'
import { ElfmemError } from '../errors.ts'
import { refreshTerms } from '../flow/blocks/reindex.ts'
import {
  boundScope,
  type CreateCaches,
  type Engine,
  type EngineBase,
  engineIn,
  nextTurn,
  ownKey,
  type Rest,
  WriteBehind,
  wholeEngine,
} from '../flow/engine/engine.ts'
import { SessionTracker } from '../flow/engine/session.ts'
import { UsageMeter } from '../flow/engine/usage.ts'
import { acceptCaller, type Capability, callerName, type Surface } from '../flow/guard/caller.ts'
import { ServedTexts } from '../flow/intake/echo.ts'
import type { Clock, Timer } from '../ports/clock.ts'
import type { Embedder } from '../ports/embedder.ts'
import type { Ids } from '../ports/ids.ts'
import type { Importers } from '../ports/importers.ts'
import type { LanguageModel } from '../ports/language-model.ts'
import type { Store } from '../ports/store/store.ts'
import { createAnalysis } from '../search/analysis.ts'
import { Experience } from '../search/experience/experience.ts'
import { createLanguage } from '../search/language/choose.ts'
import { INDEX_MARK, type KeptIndex, ResidentIndex } from '../search/resident-index.ts'
import { tellLostUse } from './lost-use.ts'
import { isTrustedMemory } from './memory-id.ts'
import { openEmbedder } from './open-embedder.ts'
import { callOptions, keyVariables, openLanguageModel, openPrompt } from './open-language-model.ts'

/** Parts of the world a caller may bring; the rest is the machine's. */
export interface EngineParts {
  /** Makes the vectors, instead of the one the settings name; an embedding model of the AI SDK will do. */
  readonly embedder?: Embedder | AiSdkEmbeddingModel
  /** Judges blocks and pairs at dream, instead of the one the settings name; a model of the AI SDK will do. */
  readonly languageModel?: LanguageModel | AiSdkLanguageModel
  readonly store?: Store
  /** With one of its own, and no timer, a memory does nothing by itself. */
  readonly clock?: Clock
  /** Says when time has passed for what the memory does by itself at rest. */
  readonly timer?: Timer
  readonly ids?: Ids
  /**
   * Binds the memory to one scope of the store, a project or a conversation: it behaves like a store with that scope's
   * blocks only, and no argument reaches another's. `settings.project.scope` unless given.
   */
  readonly scope?: string | undefined
  /** How the program calls itself in the log: `library:<actor>`; `library` unless said. */
  readonly actor?: string
  /** The capability of callers: `agent` by default; `owner` for what is the owner's, `reader` to read alone. */
  readonly as?: Capability | undefined
  /**
   * `own`: this memory begins a session of its own and ends it when it is closed. `resume`: it continues the session
   * of whoever worked on the store within `session.idleMinutes`, and leaves it open: how one-shot commands share one. It
   * does nothing by itself.
   */
  readonly sessionMode?: 'own' | 'resume'
  /**
   * True: a new memory begins where its file is empty or missing though backups or exports of one lie beside it; else that
   * is refused with `STORE_MISSING`.
   */
  readonly anew?: boolean
}

/** The file and settings that an engine is opened with, and for whom. */
export interface EngineSource {
  /** A file, or `:memory:` for a store that ends with the process. */
  readonly path: string
  readonly settings: Settings
  readonly env: Readonly<Record<string, string | undefined>>
  /** The surface that callers come through; `library` by default. */
  readonly surface?: Surface
  /** Uses of models whose key is not sent, and why. */
  readonly withheld?: WithheldKeys
  /** How the memory is known that a trusted project has. */
  readonly trust?: ProjectTrust
  /** A notice in `status` and the first answer, such as that another memory than the project's is used. */
  readonly notice?: string | undefined
  /** One that was made for the same settings, to be used on. */
  readonly embedder?: Embedder
  /** True: there is no file yet, and none is made; the engine is that of an empty memory. */
  readonly isAbsent?: boolean | undefined
}

/** The memory in a trusted project's folder is not the one that was trusted; whoever opens it takes another one. */
export class UntrustedMemory extends Error {}

/** An engine and what must be closed with it. */
export interface OpenedEngine {
  readonly engine: Engine
  readonly close: () => Promise<void>
}

/** Wires the adapters the settings ask for. Loads no model. Others have their turns between its steps: a hook may wait for one. */
export async function openEngine(source: EngineSource, parts: EngineParts): Promise<OpenedEngine> {
  const { settings, env, surface = 'library' } = source
  const scope = boundScope(parts.scope ?? settings.project.scope)
  const name = parts.actor === undefined ? undefined : await callerName(parts.actor)
  const embedder = source.embedder ?? (await cachingEmbedder(source, parts))
  const languageModel =
    (await languageModelOf(parts, settings)) ?? openLanguageModel(settings.llm, env, source.withheld)
  const analysisPrompt = languageModel && (await openPrompt(settings.prompts))
  const store = parts.store ?? (await openTrustedStore(source, parts.anew === true))
  const clock = parts.clock ?? systemClock
  const ids = parts.ids ?? systemIds
  const session = trackerOf(settings.session, { clock, ids })
  const logger = createLogger({ ...settings.log, timestamp: () => new Date(clock.now()).toISOString() })
  const analysis = createAnalysis(createLanguage(settings.recall.language), settings.recall.cueWeight)
  const base: EngineBase = {
    store,
    embedder,
    ...(languageModel ? { languageModel } : {}),
    ...(analysisPrompt === undefined ? {} : { analysisPrompt }),
    keys: keyVariables(settings, env, source.withheld).filter(({ use }) =>
      use === 'llm' ? parts.languageModel === undefined : parts.embedder === undefined,
    ),
    analysis,
    chunker: markdownChunker,
    texts: systemTextFiles,
    importers: openImporters,
    tracked: trackedIn(source),
    isAbsent: source.isAbsent,
    clock,
    ids,
    logger,
    settings,
    session,
    vectorModel: { current: undefined, generation: 0 },
    rest: { mode: restMode(source, parts), holder: ids.random(), trouble: undefined },
    embedding: { queue: Promise.resolve(), dreams: 0 },
    agentFiles: { queue: Promise.resolve() },
    unbilled: new UsageMeter(),
    behind: new WriteBehind((error) => tellLostUse(logger, error)),
    served: new ServedTexts(),
    principal: acceptCaller(surface, { name, as: parts.as, scope }),
    notice: source.notice,
  }
  await refreshTerms(base)
  const createKernel = () => loadScanKernel() ?? createScanFallback()
  const createCaches: CreateCaches = (of, place) => {
    const keptIndex = (parts.store ?? place) ? undefined : keepIndexBeside(source, of, ids)
    const index = new ResidentIndex(createKernel(), analysis, settings.recall, keptIndex)
    const experience = new Experience(createKernel, settings.learning, (key) => ownKey(scopeOnly(of), key))
    return { index, experience, ...(keptIndex ? { keptIndex } : {}) }
  }
  const engine =
    scope === undefined
      ? wholeEngine(base, createCaches, settings.store.scopesHeld)
      : engineIn(scope, base, createCaches)
  await nextTurn()
  await engine.store.read((tx) => (parts.sessionMode === 'resume' ? session.resume(tx) : session.begin(tx)))
  const owned = [
    ...(parts.store ? [] : [store]),
    ...(parts.embedder ? [] : [embedder]),
    ...(parts.languageModel ? [] : [languageModel]),
  ]
  return { engine, close: async () => void (await Promise.all(owned.map((each) => each?.close?.()))) }
}

function trackerOf(
  { gapCapMinutes, idleMinutes }: Settings['session'],
  world: { readonly clock: Clock; readonly ids: Ids },
): SessionTracker {
  return new SessionTracker({ ...world, gapCapMs: gapCapMinutes * 60_000, idleMs: idleMinutes * 60_000 })
}

function scopeOnly(scope: string | undefined): { readonly scope?: string } {
  return scope === undefined ? {} : { scope }
}

function trackedIn({ path, isAbsent }: EngineSource): Engine['tracked'] {
  if (path === ':memory:' || isAbsent) return undefined
  return async () => (await import('../adapters/system/tracked-files.ts')).filesInGit(path)
}

async function cachingEmbedder(source: EngineSource, parts: EngineParts): Promise<Embedder> {
  const { settings, env, withheld } = source
  const embedder = (await embedderOf(parts, settings)) ?? openEmbedder(settings.embeddings, env, withheld)
  // A local one keeps here what it is told.
  if (embedder.remote !== true) return cacheQueries(embedder)
  const { keepSecrets } = await import('../adapters/remote/redacting-embedder.ts')
  return cacheQueries(keepSecrets(embedder))
}

/** How the memory dreams by itself: not at all in a store that ends with the process, nor by another time than the machine's. */
function restMode({ path, settings, isAbsent }: EngineSource, parts: EngineParts): Rest['mode'] {
  if (path === ':memory:' || isAbsent || !worksAtRest(parts) || parts.as === 'reader') return 'off'
  return settings.memory.autoDream
}

/** True if a memory with these parts lives long enough to do something by itself, by a time that passes. */
export function worksAtRest({ clock, timer, sessionMode }: EngineParts): boolean {
  return sessionMode !== 'resume' && (clock === undefined || timer !== undefined)
}

/** The embedder a caller brought; the adapter for one of the AI SDK is loaded only for it. */
async function embedderOf(
  { embedder }: EngineParts,
  { embeddings }: Settings,
): Promise<Embedder | undefined> {
  if (embedder === undefined || has(embedder, 'embed')) return embedder as Embedder | undefined
  if (!has(embedder, 'doEmbed')) throw unfit('embedder', "openai.embedding('text-embedding-3-small')")
  const { fromAiSdk } = await import('../adapters/remote/sdk/ai-sdk.ts')
  return fromAiSdk(embedder as AiSdkEmbeddingModel, { maxRetries: embeddings.maxRetries })
}

/** The language model a caller brought, asked with the settings' temperature, time limit and retries. */
async function languageModelOf(
  { languageModel }: EngineParts,
  { llm }: Settings,
): Promise<LanguageModel | undefined> {
  if (languageModel === undefined || has(languageModel, 'ask'))
    return languageModel as LanguageModel | undefined
  if (!has(languageModel, 'doGenerate')) throw unfit('languageModel', "anthropic('claude-haiku-4-5')")
  const { languageModelFromAiSdk } = await import('../adapters/remote/sdk/ai-sdk.ts')
  return languageModelFromAiSdk(languageModel as AiSdkLanguageModel, callOptions(llm))
}

function has(part: unknown, method: string): boolean {
  return typeof (part as Readonly<Record<string, unknown>> | null)?.[method] === 'function'
}

function unfit(option: string, example: string): ElfmemError {
  const message = `The option ${option} is neither elfmem's nor a model of the AI SDK.`
  return new ElfmemError('CONFIG_INVALID', message, {
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

/** Returns where a scope's packed index lies beside the memory's file; undefined in memory or if unwanted. */
function keepIndexBeside(
  { path, settings, isAbsent }: EngineSource,
  scope: string | undefined,
  ids: Ids,
): KeptIndex | undefined {
  if (path === ':memory:' || isAbsent || !settings.store.packedIndex) return undefined
  const ending = scope === undefined ? '' : `-${ids.sha256(scope).slice(0, 16)}`
  return {
    cache: createFileIndexCache(`${path}${INDEX_FILE_SUFFIX}${ending}`),
    mark: ownKey(scopeOnly(scope), INDEX_MARK),
  }
}

async function openTrustedStore(
  { path, settings, trust, isAbsent }: EngineSource,
  anew: boolean,
): Promise<Store> {
  const { openSqliteStore } = await import('../sqlite/store.ts')
  await nextTurn()
  if (isAbsent) return openSqliteStore(':memory:', { name: path })
  const store = await openSqliteStore(path, { busyTimeoutMs: settings.store.busySeconds * 1000, anew })
  await nextTurn()
  if (trust === undefined) return store
  try {
    if (!(await isTrustedMemory(store, trust))) throw new UntrustedMemory()
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}
