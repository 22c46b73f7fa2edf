/**
 * Records the calls of a suite: preloaded by Node, it puts a recorder around `openMemory` of the checkout that is tested.
 * Each test file gets a file of events in the folder SAME_RECORD, one JSON value a line.
 */
import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { serialize } from 'node:v8'
import { type Call, countedIds, type Event, idsIn, METHODS, START } from './event.ts'

/** Characters of an input beyond which a call is not recorded. */
const MOST_INPUT = 40_000

type Options = Record<string, unknown> & { readonly clock?: { now(): number } }
type Open = (path?: string, options?: Options) => Promise<object>
type Members = Record<PropertyKey, unknown>

const folder = process.env.SAME_RECORD ?? ''
const files = new Map<string, Recording>()

/** The events of one test file, in their order. */
class Recording {
  readonly ids = countedIds()
  readonly #path: string
  readonly #seen = new Set<string>()
  #calls = 0
  #memories = 0

  constructor(file: string) {
    this.#path = join(folder, `${file}.jsonl`)
  }

  nextMemory(): number {
    return ++this.#memories
  }

  /** Writes a call and returns its number; undefined for an input that holds a function or is too long. */
  call(event: Omit<Call, 'n' | 'input'>, input: unknown): number | undefined {
    try {
      const packed = serialize(input).toString('base64')
      if (packed.length > MOST_INPUT) return undefined
      this.#write({ n: ++this.#calls, ...event, input: packed })
      return this.#calls
    } catch {
      return undefined
    }
  }

  /** Writes the ids that first stand in the answer to a call. */
  answer(n: number, answer: unknown): void {
    const made = [...idsIn(answer)].filter(([id]) => !this.#seen.has(id))
    for (const [id] of made) this.#seen.add(id)
    if (made.length > 0) this.#write({ of: n, ids: Object.fromEntries(made) })
  }

  #write(event: Event): void {
    appendFileSync(this.#path, `${JSON.stringify(event)}\n`)
  }
}

/** Returns the recording of the test file that runs. */
function recording(): Recording {
  const { __vitest_worker__: worker } = globalThis as { __vitest_worker__?: { filepath?: string } }
  const path = worker?.filepath?.split('/test/')[1] ?? 'unknown'
  const file = path.replace(/(?:\.slow)?\.test\.ts$/, '').replaceAll('/', '-')
  const known = files.get(file) ?? new Recording(file)
  files.set(file, known)
  return known
}

/** Returns the name of a model that a memory is opened with. */
const nameOf = (model: unknown) => (model as { model?: string } | undefined)?.model

function recorded(open: Open): Open {
  return async (path, options = {}) => {
    const to = recording()
    const memory = to.nextMemory()
    const { clock = { now: () => START }, ids = to.ids, embedder, languageModel } = options
    const { config, actor, as, scope, sessionMode } = options
    const how = { path: path ?? ':memory:', embedder: nameOf(embedder), judged: languageModel !== undefined }
    const event = (op: string, actor?: string) => ({ at: clock.now(), memory, op, ...(actor && { actor }) })
    to.call(event('open'), [{ ...how, options: { config, actor, as, scope, sessionMode } }])
    const real = (await open(path, { ...options, clock, ids })) as Members
    const method = (of: Members, key: PropertyKey, name: string, first: readonly unknown[] = []) => {
      const value = of[key]
      if (typeof value !== 'function') return value
      return (...args: readonly unknown[]) => {
        const actor = (args[1] as { actor?: string } | undefined)?.actor
        const n = to.call(event(name, actor), [...first, args[0]])
        const answer = Reflect.apply(value, of, args)
        if (n !== undefined) answer.then((said: unknown) => to.answer(n, said)).catch(() => undefined)
        return answer
      }
    }
    const get = (_: object, key: PropertyKey) => {
      const name = key === Symbol.asyncDispose ? 'close' : String(key)
      const value = real[key]
      if (typeof value !== 'function') return value
      if (name === 'items') {
        return (...place: readonly unknown[]) => {
          const items = Reflect.apply(value, real, place)
          return new Proxy({}, { get: (_, of) => method(items, of, `items.${String(of)}`, place) })
        }
      }
      return METHODS.has(name) ? method(real, key, name) : value.bind(real)
    }
    return new Proxy({}, { get })
  }
}

Object.assign(globalThis, { sameRecorder: recorded })
registerHooks({
  load(url, context, next) {
    const loaded = next(url, context)
    if (!url.endsWith('/src/engine/memory.ts') || folder === '') return loaded
    const source = String(loaded.source).replace(
      'export async function openMemory(',
      'async function openPlainly(',
    )
    return {
      ...loaded,
      source: `${source}\nexport const openMemory = globalThis.sameRecorder(openPlainly)\n`,
    }
  },
})
