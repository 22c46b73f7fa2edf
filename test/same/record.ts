/**
 * Records the calls of tests: preloaded by Node, it puts a recorder around `openMemory` of the checkout that is tested. Each test
 * file gets a file of events in the folder SAME_RECORD, one JSON value a line.
 */
import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { serialize } from 'node:v8'
import { type Call, changed, countedIds, type Event, idName } from './event.ts'

/** Recorded methods. */
const METHODS = new Set(
  `remember rememberMany learnDocument inbox dream recall outcome recordUse connect connectByQuery connects disconnect curate
  edit forget restore resolve decisions propose decide undo erase ls facets show why graph setup reembed backup restoreBackup
  export import importFrom status doctor history diff guide settle beginSession endSession shouldDream close`.split(
    /\s+/,
  ),
)
/** Characters of an input beyond which a call is not recorded. */
const MOST_INPUT = 40_000
const START = Date.parse('2026-03-02T09:00:00Z')

type Members = Record<PropertyKey, unknown>
type Options = Record<string, unknown> & { readonly clock?: { now(): number } }
type Open = (path?: string, options?: Options) => Promise<unknown>

const folder = process.env.SAME_RECORD ?? ''
const recordings = new Map<string, Recording>()

const withoutCheckout = (value: unknown) =>
  typeof value === 'string' ? value.replaceAll(process.cwd(), '<checkout>') : value

/** A file of events that is being written. */
class Recording {
  readonly ids = countedIds()
  readonly #seen = new Set<string>()
  readonly #path: string
  memories = 0
  #calls = 0

  constructor(path: string) {
    this.#path = path
  }

  /** Writes a call and returns its number; 0 for an input that holds a function or is too long. */
  call(call: Omit<Call, 'n' | 'input'>, args: readonly unknown[]): number {
    try {
      const input = serialize(changed(args, withoutCheckout)).toString('base64')
      if (input.length > MOST_INPUT) return 0
      this.#write({ n: ++this.#calls, ...call, input })
      return this.#calls
    } catch {
      return 0
    }
  }

  /** Writes the ids that stand in the answer to a call and in none before. */
  answer(of: number, answer: unknown): void {
    const ids: Record<string, string> = {}
    changed(answer, (value, path) => {
      const name = idName(value, path.at(-1))
      if (name !== undefined && !this.#seen.has(name)) ids[name] = path.join('.')
      if (name !== undefined) this.#seen.add(name)
    })
    if (Object.keys(ids).length > 0) this.#write({ of, ids })
  }

  #write(event: Event): void {
    appendFileSync(this.#path, `${JSON.stringify(event)}\n`)
  }
}

/** Returns the recording of the test file that runs. */
function recording(): Recording {
  const { filepath = '' } = Object(Reflect.get(globalThis, '__vitest_worker__')) as { filepath?: string }
  const path = join(folder, `${filepath.split('/test/')[1]?.replaceAll('/', '-') ?? 'other'}.jsonl`)
  const known = recordings.get(path) ?? new Recording(path)
  recordings.set(path, known)
  return known
}

const recorder = (open: Open): Open => {
  return async (path, options = {}) => {
    const to = recording()
    const memory = ++to.memories
    const { clock = { now: () => START }, ids = to.ids, embedder, languageModel, ...rest } = options
    const { config, actor, as, scope, sessionMode } = rest
    const how = { path, embedder: Object(embedder).model, judged: languageModel !== undefined }
    to.call({ at: clock.now(), memory, op: 'open' }, [how, { config, actor, as, scope, sessionMode }])
    const real = (await open(path, { ...options, clock, ids })) as Members
    const recorded = (of: Members, key: PropertyKey, op: string, place: readonly unknown[] = []) => {
      return (...args: readonly unknown[]) => {
        const by = Object(args[1]).actor as string | undefined
        const n = to.call({ at: clock.now(), memory, op, ...(by && { actor: by }) }, [...place, args[0]])
        const answer = Reflect.apply(of[key] as () => Promise<unknown>, of, args)
        if (n > 0) answer.then((said: unknown) => to.answer(n, said)).catch(() => undefined)
        return answer
      }
    }
    const itemsOf = (...place: readonly unknown[]) => {
      const items = Reflect.apply(real.items as () => Members, real, place)
      return new Proxy({}, { get: (_, key) => recorded(items, key, `items.${String(key)}`, place) })
    }
    const get = (_: object, key: PropertyKey) => {
      const op = key === Symbol.asyncDispose ? 'close' : String(key)
      if (op === 'items') return itemsOf
      const value = real[key]
      if (typeof value !== 'function') return value
      return METHODS.has(op) ? recorded(real, key, op) : value.bind(real)
    }
    return new Proxy({}, { get })
  }
}

Object.assign(globalThis, { sameRecorder: recorder })
registerHooks({
  load(url, context, next) {
    const loaded = next(url, context)
    if (!url.endsWith('/src/memory.ts')) return loaded
    const plain = String(loaded.source).replace('function openMemory(', 'function openPlainly(')
    const source = plain.replace('export async function openPlainly', 'async function openPlainly')
    return {
      ...loaded,
      source: `${source}\nexport const openMemory = globalThis.sameRecorder(openPlainly)\n`,
    }
  },
})
