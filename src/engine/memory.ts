import { homedir } from 'node:os'
import { resolve } from 'node:path'
import * as z from 'zod'
import type { Project } from '../adapters/project/project.ts'
import type { SettingInForce } from '../adapters/project/settings/settings-in-force.ts'
import type { RawSettings } from '../adapters/project/settings-schema.ts'
import { defined } from '../block/text.ts'
import type { MemoryPlace } from '../care/files-of.ts'
import { isServiceUrl, type RemoteOptions } from '../client/address.ts'
import { ElfmemError } from '../errors.ts'
import { acceptCaller, callerName, capabilityFrom } from '../intake/check-input.ts'
import type { CallContext } from '../operations/call-context.ts'
import type { Items, ItemsOptions } from '../operations/items/bound-items.ts'
import { itemsOf } from '../operations/items/items.ts'
import type { Operations } from '../operations/methods.generated.ts'
import type { Operation } from '../operations/operation.ts'
import type { SettledTrace, SettleOptions, TraceResult } from '../operations/recall/settle.ts'
import { takenOptions } from '../operations/schema-issue.ts'
import { operations, table } from '../operations/table.ts'
import { harmless, harmlessError } from '../operations/wording.ts'
import { isPostgresUrl, pathIn, serverPlace, withoutDatabase } from './address.ts'
import type { EngineParts, OpenableProject } from './open-engine.ts'
import { type OpenMemory, openLifetime, type WhenMissing } from './open-memory.ts'
import type { Settings, SettingsInput } from './settings.ts'
import type { Watched, WatchOptions } from './watch.ts'

export type { Watched, WatchOptions } from './watch.ts'

/** Open options are the settings of a memory, and parts of it that a program brings itself. */
export interface OpenOptions extends Omit<EngineParts, 'turns'> {
  /** Settings, or the path of a settings file. Without this and without a path, elfmem looks for both. */
  readonly config?: SettingsInput | string
  /** The name of the memory in a database of many (`postgres://…`); `default` unless given. */
  readonly memory?: string
}

/** A memory has all operations until it is closed. Close it, or declare it with `await using`. */
export type Memory = Operations & MemoryLifetime

/** Memory settings are the settings of an open memory, and the place of the memory. */
export interface MemorySettings extends MemoryPlace {
  readonly settings: readonly SettingInForce[]
  /** The path of the database, and the rule that chose it. */
  readonly database: Pick<Project['database'], 'path' | 'rule'>
  /** Files of settings; an earlier file counts before a later one. */
  readonly configs: readonly { readonly path: string; readonly rule: string }[]
}

/** The lifetime has the members of a memory besides the operations of the table. */
export interface MemoryLifetime extends AsyncDisposable {
  /** Id of the block remembered last in this session; undefined if there is none. */
  readonly lastLearnedBlockId: string | undefined
  /** Ids of the blocks that the last recall returned. */
  readonly lastRecallBlockIds: readonly string[]
  /** Ids of blocks learned, returned, reported on or connected in this session, first seen first. */
  readonly sessionBlockIds: readonly string[]
  /** Path of the memory's file. */
  readonly location: string
  /** The scope for which the memory was opened; undefined if it sees the whole store. */
  readonly scope: string | undefined
  /** Configured limits of one call: its input, its results and its answer. */
  readonly limits: Settings['limits']
  /** Runs `work` as one session, then dreams once if enough blocks wait. */
  session<T>(work: (memory: Memory) => Promise<T>, options?: { readonly taskType?: string }): Promise<T>
  /** Begins a session, ends the running one, and returns the new id. No operation needs it: the first write begins a session. */
  beginSession(options?: { readonly taskType?: string }): Promise<string>
  /** Ends the running session and returns its length in active hours. */
  endSession(): Promise<number>
  /** Returns true if enough blocks wait in the inbox for a dream. */
  shouldDream(): Promise<boolean>
  /** Returns the named items of a space: exact keys beside meaning (docs/items.md). An item is of one scope, or of none. */
  items(space: string, options?: ItemsOptions): Items
  /** Learns from what an agent did with blocks recalled for a message, once for each message (docs/implicit.md). */
  settle(trace: SettledTrace, options?: SettleOptions, context?: CallContext): Promise<TraceResult>
  /**
   * Yields new entries of the log within half a second of their commit, in their order and from any process; of one scope, if one is given.
   * If more than 200 were missed, or the log was replaced, it yields `isStale` and goes on with later entries. It ends with its signal and
   * with the memory, and keeps no process alive.
   */
  watch(options?: WatchOptions): AsyncIterableIterator<Watched>
  /** Returns every setting with its value and its source, the file, its backups and its scopes. It has no key of a model. */
  settings(): Promise<MemorySettings>
  /** Loads the embedder in the background, so that the first recall does not wait. */
  warm(): void
  /** Waits for running calls, ends its own session and lets go of the file. Closing twice is no error. */
  close(): Promise<void>
}

/**
 * Opens a memory.
 *
 * @param path a file (made when it is missing), `:memory:`, the address of a PostgreSQL database (`postgres://…`), or the `https://`
 * address of a service with its token. Without it the project around the working directory,
 * the environment and the home directory decide which memory and which settings are meant.
 */
export async function openMemory(url: string, options: RemoteOptions): Promise<Memory>
export async function openMemory(path?: string, options?: OpenOptions): Promise<Memory>
export async function openMemory(path?: string, options: OpenOptions | RemoteOptions = {}): Promise<Memory> {
  try {
    if (isServiceUrl(path)) {
      const { openRemote } = await import('../client/remote.ts')
      return (await openRemote(path, options as RemoteOptions)) as unknown as Memory
    }
    const own = options as OpenOptions
    checkOpening(path, own)
    const { config, memory, ...parts } = own
    const project = await projectFor(path ?? parts.store?.location, config, memory)
    if (parts.store === undefined) return await openProject(project, parts)
    // A name that a store gives for people is no path.
    const database = { path: parts.store.location, rule: project.database.rule }
    return await openProject({ ...project, database }, parts)
  } catch (error) {
    throw harmlessError(error)
  }
}

/** Names of the options of `openMemory`; each is checked where it is used. */
const OPTIONS =
  'config memory embedder languageModel store indexes clock timer ids scope actor as sessionMode anew'.split(
    ' ',
  )

/** Throws `INVALID_INPUT` if the path is no text or an option is unknown, so that a mistyped one is never ignored. */
function checkOpening(path: unknown, options: OpenOptions): void {
  if (path !== undefined && typeof path !== 'string')
    throw new ElfmemError('INVALID_INPUT', 'The first argument of openMemory is no path.', {
      recovery:
        "Pass the path of a file first, then the options: openMemory('memory.db', { config }). Without a path pass undefined.",
      details: { given: typeof path },
    })
  if (path !== undefined && !isPostgresUrl(path)) pathIn(path)
  const example = "openMemory('memory.db', { config: { recall: { topK: 5 } } })"
  const schema = z.strictObject(Object.fromEntries(OPTIONS.map((name) => [name, z.unknown().optional()])))
  takenOptions(options, { maker: 'openMemory', schema, example })
  if (options.as !== undefined) capabilityFrom(options.as)
}

/**
 * Opens the memory that a project resolution chose.
 *
 * @param whenMissing `wait`: a missing file is made by the first operation that begins a memory, not at once
 */
export async function openProject(
  project: OpenableProject,
  parts: EngineParts = {},
  whenMissing: WhenMissing = 'make',
): Promise<Memory> {
  const lifetime = await openLifetime({ ...project, surface: 'library' }, parts, whenMissing)
  const call: Call = (operation, input, context) => callOf(lifetime, operation, input, context)
  const methodOf = (operation: Operation): PropertyDescriptor => ({
    value: (input?: unknown, context?: CallContext) => call(operation, input, context),
    enumerable: true,
  })
  const items: Memory['items'] = (space, options = {}) => itemsOf(call, space, options)
  const settle: Memory['settle'] = async (trace, options = {}, context = {}) => {
    // Only hooks and adapters call it.
    const { settle } = await import('../operations/recall/settle.ts')
    return (await call(settle, { ...trace, ...options }, context)) as TraceResult
  }
  const settings: Memory['settings'] = async () => {
    const { settingsInForce } = await import('../adapters/project/settings/settings-in-force.ts')
    const place = await lifetime.place()
    const { settings, sourceOf, database, configs = [] } = lifetime.project
    const { path, rule } = database
    return { ...place, settings: settingsInForce(settings, sourceOf), database: { path, rule }, configs }
  }
  const memory = Object.defineProperties(lifetime, {
    ...Object.fromEntries(operations.map((operation) => [operation.name, methodOf(operation)])),
    session: { value: sessionOf(lifetime) },
    items: { value: items },
    settle: { value: settle },
    settings: { value: settings },
  })
  return memory as unknown as Memory
}

type Call = (operation: Operation, input: unknown, context?: CallContext) => Promise<unknown>

/** Calls an operation. A program may name an actor, but cannot pass for another surface or get more rights. */
async function callOf(
  lifetime: OpenMemory,
  operation: Operation,
  input: unknown,
  { actor, signal, pipe, progress, once }: CallContext = {},
): Promise<unknown> {
  const context = defined({ signal, pipe, progress, once })
  if (actor === undefined) return lifetime.call(operation, input, context)
  const { principal } = lifetime
  const name = await callerName(actor)
  const as = acceptCaller('library', { ...principal, name, as: principal.capability })
  return lifetime.call(operation, input, { ...context, principal: as })
}

function sessionOf(lifetime: OpenMemory): Memory['session'] {
  return async (work, options) => {
    await lifetime.beginSession(options)
    try {
      const answer = await work(lifetime as unknown as Memory)
      if (await lifetime.shouldDream()) await lifetime.call(table.dream, {})
      return answer
    } finally {
      await lifetime.endSession()
    }
  }
}

async function projectFor(
  path: string | undefined,
  config: OpenOptions['config'],
  memory: string | undefined,
): Promise<OpenableProject> {
  const { env } = process
  if (path === undefined || typeof config === 'string') {
    const { resolveProject } = await import('../adapters/project/resolve.ts')
    const flags = defined({ db: path, memory, config: typeof config === 'string' ? config : undefined })
    // The settings of a call are merged as they were given, after a check that they are valid.
    const given = typeof config === 'object' ? { settings: config as RawSettings } : {}
    if (typeof config === 'object') await settingsFrom(config)
    const project = await resolveProject({ cwd: process.cwd(), env, home: homedir(), flags, ...given })
    // The warnings name settings that do not count; the notice names a memory used in place of a project's.
    const { warnings, notice } = project
    for (const each of notice === undefined ? warnings : [...warnings, notice]) tell(each)
    return project
  }
  const given: SettingsInput = config ?? {}
  return {
    settings: await settingsFrom(given),
    database: databaseAt(path, memory),
    env,
    sourceOf: (setting) => {
      const value = setting.reduce<unknown>((group, key) => Object(group)[key], given)
      return value === undefined ? undefined : 'config'
    },
  }
}

function databaseAt(path: string, memory: string | undefined): Project['database'] {
  const rule = '--db'
  if (isPostgresUrl(path)) return { ...serverPlace(path, memory), rule }
  if (memory !== undefined) throw withoutDatabase(memory)
  return { path: path === ':memory:' ? path : resolve(path), rule }
}

/** Warnings that this process has emitted. */
const told = new Set<string>()

function tell(warning: string): void {
  if (told.has(warning)) return
  told.add(warning)
  process.emitWarning(harmless(warning), { type: 'ElfmemWarning', code: 'ELFMEM_SETTINGS' })
}

async function settingsFrom(given: SettingsInput): Promise<Settings> {
  const { parseGivenSettings } = await import('../adapters/project/settings-schema.ts')
  return parseGivenSettings(given as Record<string, unknown>)
}
