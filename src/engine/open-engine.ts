import { cacheQueries } from '../adapters/embed/embedder-wrappers.ts'
import { markdownChunker } from '../adapters/markdown/chunker.ts'
import type { Project, ProjectTrust } from '../adapters/project/project.ts'
import type { AiSdkEmbeddingModel, AiSdkLanguageModel } from '../adapters/remote/sdk/ai-sdk.ts'
import { createFileIndexCache, INDEX_FILE_SUFFIX } from '../adapters/system/index-cache.ts'
import { createLogger } from '../adapters/system/logger.ts'
import { systemClock, systemIds } from '../adapters/system/machine.ts'
import { createScanFallback, loadScanKernel } from '../adapters/system/scan-kernel.ts'
import { systemTextFiles } from '../adapters/system/text-files.ts'
import { defined } from '../block/text.ts'
import { stillTracked } from '../care/checks.ts'
import { ElfmemError } from '../errors.ts'
import type { IndexCache } from '../index/columns.ts'
import { INDEX_MARK, ResidentIndex } from '../index/resident-index.ts'
import { acceptCaller, type Capability, callerName, type Surface } from '../intake/caller.ts'
import { ServedTexts } from '../intake/echo.ts'
import { createLanguage } from '../language/choose.ts'
import { createAnalysis } from '../language/question.ts'
import { harmless } from '../operations/wording.ts'
import { Experience } from '../outcome/experience.ts'
import { readMeta } from '../store/log.ts'
import type { Store } from '../store/transaction.ts'
import { UsageMeter } from './counts.ts'
import {
  boundScope,
  type CreateCaches,
  createEngine,
  type Engine,
  type EngineBase,
  logFailure,
  nextTurn,
  ownKey,
  type Rest,
  SessionTracker,
  WriteBehind,
} from './engine.ts'
import {
  callOptions,
  EMBEDDING_RETRIES,
  keyVariables,
  openEmbedder,
  openLanguageModel,
  openPrompt,
} from './open-models.ts'
import type { Clock, Embedder, Ids, Importers, LanguageModel, Logger, Timer } from './ports.ts'
import type { Settings } from './settings.ts'
import { refreshTerms } from './upkeep.ts'

export async function readMemoryId(path: string): Promise<string | undefined> {
  const { openSqliteStore } = await import('../sqlite/store.ts')
  const store = await openSqliteStore(path)
  try {
    return await memoryIdOf(store)
  } finally {
    await store.close()
  }
}

/** The random name of the memory in a store, 16 hexadecimal digits; opening a file gives it one. */
function memoryIdOf(store: Store): Promise<string | undefined> {
  return store.read((tx) => readMeta(tx, 'memory_id'))
}

/** Returns the notes on a memory that git tracks though it is made to ignore it: none or one sentence. */
export async function notesOnGit(database: string): Promise<string[]> {
  const { filesInGit } = await import('../adapters/system/tracked-files.ts')
  const note = stillTracked((await filesInGit(database)).tracked, database)
  return note === undefined ? [] : [note]
}

/** True if a store holds the memory that was trusted. An empty one in a trusted folder is trusted from now on. */
async function isTrustedMemory(store: Store, trust: ProjectTrust): Promise<boolean> {
  const known = await memoryIdOf(store)
  if (known === undefined || known === trust.memory) return known !== undefined
  const isEmpty = await store.read(async (tx) => {
    const { inbox, active, archived } = await tx.queries.counts()
    return inbox + active + archived === 0 && (await tx.state()).clock.wallMs === undefined
  })
  // Another process may have made it, and said so, since the project was looked at.
  if (!isEmpty) return known === trust.now()
  trust.keep(known)
  return true
}

/** Warns that the use of what a recall showed was lost; returns why, in words. */
function tellLostUse(logger: Logger, error: unknown): string {
  const why = logFailure(logger, 'recall', error)
  const said = harmless(`The use of what a recall showed could not be written: ${why}`)
  process.emitWarning(said, { type: 'ElfmemWarning', code: 'ELFMEM_USE_LOST' })
  return why
}

/** Parts of the world a caller may bring; the rest is the machine's. */
export interface EngineParts {
  /** Makes the vectors, instead of the one the settings name; an embedding model of the AI SDK will do. */
  readonly embedder?: Embedder | AiSdkEmbeddingModel
  /** Judges blocks and pairs at dream, instead of the one the settings name; a model of the AI SDK will do. */
  readonly languageModel?: LanguageModel | AiSdkLanguageModel
  /** Where the memory lies, instead of a file; the caller closes it. */
  readonly store?: Store
  /** Where the packed index of a scope, or of the whole, is kept; beside the file unless given, and nowhere with a `store`. */
  readonly indexes?: (scope: string | undefined) => IndexCache
  /** With one of its own, and no timer, a memory does nothing by itself. */
  readonly clock?: Clock
  /** Says when time has passed for what the memory does by itself at rest. */
  readonly timer?: Timer
  readonly ids?: Ids
  /** Binds the memory to one scope of the store: no argument reaches another's. `settings.project.scope` unless given. */
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
  /** True: a new memory begins though backups or exports of one lie beside it; else `STORE_MISSING` refuses it. */
  readonly anew?: boolean
}

/** The parts of a project that are needed to open its memory. */
export interface OpenableProject
  extends Pick<Project, 'settings' | 'database' | 'env'>,
    Partial<Pick<Project, 'notice' | 'trust' | 'withheld' | 'sourceOf' | 'configs'>> {
  readonly surface?: Surface
  /** An embedder that was made for the same settings, to be used on. */
  readonly embedder?: Embedder
  /** True: there is no file yet, and none is made; the engine is that of an empty memory. */
  readonly isAbsent?: boolean
}

/** An engine and what must be closed with it. */
export interface OpenedEngine {
  readonly engine: Engine
  readonly close: () => Promise<void>
}

/** Wires the adapters the settings ask for. Loads no model. Others have their turns between its steps: a hook may wait for one. */
export async function openEngine(source: OpenableProject, parts: EngineParts): Promise<OpenedEngine> {
  const { settings, surface = 'library' } = source
  const scope = boundScope(parts.scope ?? settings.project.scope)
  const name = parts.actor === undefined ? undefined : await callerName(parts.actor)
  const models = await openModels(source, parts)
  const store = parts.store ?? (await openTrustedStore(source, parts.anew === true))
  const clock = parts.clock ?? systemClock
  const ids = parts.ids ?? systemIds
  const { gapCapMinutes, idleMinutes } = settings.session
  const session = new SessionTracker({
    ...{ clock, ids },
    gapCapMs: gapCapMinutes * 60_000,
    idleMs: idleMinutes * 60_000,
  })
  const logger = createLogger({ ...settings.log, timestamp: () => new Date(clock.now()).toISOString() })
  const analysis = createAnalysis(createLanguage(settings.recall.language))
  const base: EngineBase = {
    store,
    ...models,
    analysis,
    chunker: markdownChunker,
    texts: systemTextFiles,
    importers: openImporters,
    tracked:
      store.files &&
      (async () => (await import('../adapters/system/tracked-files.ts')).filesInGit(source.database.path)),
    isAbsent: source.isAbsent,
    clock,
    ids,
    logger,
    settings,
    session,
    vectorModel: { current: undefined, generation: 0 },
    rest: { mode: restMode(store, source, parts), holder: ids.random(), trouble: undefined },
    embedding: { queue: Promise.resolve(), dreams: 0 },
    agentFiles: { queue: Promise.resolve() },
    unbilled: new UsageMeter(),
    behind: new WriteBehind((error) => tellLostUse(logger, error)),
    served: new ServedTexts(),
    principal: acceptCaller(surface, { name, as: parts.as, scope }),
    notice: source.notice,
  }
  await refreshTerms(base)
  const engine = createEngine(base, cachesOf(store, ids, source, parts, analysis), scope)
  await nextTurn()
  if (parts.sessionMode === 'resume') await engine.store.read((tx) => session.resume(tx))
  else session.begin()
  const owned = [
    ...(parts.store ? [] : [store]),
    ...(parts.embedder ? [] : [models.embedder]),
    ...(parts.languageModel ? [] : [models.languageModel]),
  ]
  return { engine, close: async () => void (await Promise.all(owned.map((each) => each?.close?.()))) }
}

async function openModels(source: OpenableProject, parts: EngineParts) {
  const { settings, env, withheld } = source
  const languageModel =
    (await languageModelOf(parts, settings)) ?? openLanguageModel(settings.llm, env, withheld)
  const analysisPrompt = languageModel && openPrompt(settings.prompts)
  return {
    embedder: source.embedder ?? (await cachingEmbedder(source, parts)),
    ...defined({ languageModel, analysisPrompt }),
    keys: keyVariables(settings, env, withheld).filter(({ use }) =>
      use === 'llm' ? parts.languageModel === undefined : parts.embedder === undefined,
    ),
  }
}

function cachesOf(
  store: Store,
  ids: Ids,
  { database: { path }, settings }: OpenableProject,
  { indexes, store: given }: EngineParts,
  analysis: EngineBase['analysis'],
): CreateCaches {
  const createKernel = () => loadScanKernel() ?? createScanFallback()
  const isPacked = store.isLasting && settings.store.packedIndex
  /** The packed index lies beside the memory's file, or where the caller keeps it. */
  const cacheOf = (scope: string | undefined): IndexCache | undefined => {
    if (!isPacked) return undefined
    if (indexes !== undefined) return indexes(scope)
    if (given !== undefined) return undefined
    const ending = scope === undefined ? '' : `-${ids.sha256(scope).slice(0, 16)}`
    return createFileIndexCache(`${path}${INDEX_FILE_SUFFIX}${ending}`)
  }
  return (scope, place) => {
    const keyOf = (key: string) => ownKey(defined({ scope }), key)
    const cache = place === undefined ? cacheOf(scope) : undefined
    const keptIndex = cache && { cache, mark: keyOf(INDEX_MARK) }
    const index = new ResidentIndex(createKernel(), analysis, keptIndex)
    return { index, experience: new Experience(createKernel, keyOf), ...defined({ keptIndex }) }
  }
}

async function cachingEmbedder(source: OpenableProject, parts: EngineParts): Promise<Embedder> {
  const { settings, env, withheld } = source
  const embedder = (await embedderOf(parts)) ?? openEmbedder(settings.embeddings, env, withheld)
  // A local one keeps here what it is told.
  if (embedder.remote !== true) return cacheQueries(embedder)
  const { keepSecrets } = await import('../adapters/remote/redacting-embedder.ts')
  return cacheQueries(keepSecrets(embedder))
}

/** How the memory dreams by itself: not at all in a store that ends with the process, nor by another time than the machine's. */
function restMode({ isLasting }: Store, { settings }: OpenableProject, parts: EngineParts): Rest['mode'] {
  if (!isLasting || !worksAtRest(parts) || parts.as === 'reader') return 'off'
  return settings.memory.autoDream
}

/** True if a memory with these parts lives long enough to do something by itself, by a time that passes. */
export function worksAtRest({ clock, timer, sessionMode }: EngineParts): boolean {
  return sessionMode !== 'resume' && (clock === undefined || timer !== undefined)
}

/** The embedder a caller brought; the adapter for one of the AI SDK is loaded only for it. */
async function embedderOf({ embedder }: EngineParts): Promise<Embedder | undefined> {
  if (embedder === undefined || has(embedder, 'embed')) return embedder as Embedder | undefined
  mustBeModel(embedder, 'embedder', 'doEmbed', "openai.embedding('text-embedding-3-small')")
  const { fromAiSdk } = await import('../adapters/remote/sdk/ai-sdk.ts')
  return fromAiSdk(embedder as AiSdkEmbeddingModel, { maxRetries: EMBEDDING_RETRIES })
}

/** The language model a caller brought, asked with the settings' temperature, time limit and retries. */
async function languageModelOf(
  { languageModel }: EngineParts,
  { llm }: Settings,
): Promise<LanguageModel | undefined> {
  if (languageModel === undefined || has(languageModel, 'ask'))
    return languageModel as LanguageModel | undefined
  mustBeModel(languageModel, 'languageModel', 'doGenerate', "anthropic('claude-haiku-4-5')")
  const { languageModelFromAiSdk } = await import('../adapters/remote/sdk/ai-sdk.ts')
  return languageModelFromAiSdk(languageModel as AiSdkLanguageModel, callOptions(llm))
}

function has(part: unknown, method: string): boolean {
  return typeof (part as Readonly<Record<string, unknown>> | null)?.[method] === 'function'
}

function mustBeModel(part: unknown, option: string, method: string, example: string): void {
  if (has(part, method)) return
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
  { database: { path }, settings, trust, isAbsent }: OpenableProject,
  anew: boolean,
): Promise<Store> {
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
