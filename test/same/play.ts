/**
 * Plays recorded calls on a checkout: `node play.ts CHECKOUT PLAYS ANSWERS FILE...`. Each file of events in PLAYS gives a file in
 * ANSWERS with the answer to each call, one JSON value a line. Clock and ids are those of the recording.
 */
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deserialize } from 'node:v8'
import { type Call, changed, countedIds, type Event, idName, MADE } from './event.ts'

type Given = Readonly<Record<string, unknown>>
type Members = Record<string, (...args: readonly unknown[]) => unknown>

const [checkout = '', plays = '', answers = '', ...files] = process.argv.slice(2)
const load = async (path: string) => (await import(join(checkout, path))) as Members
const { openMemory } = await load('src/index.ts')

/** Milliseconds after which a call counts as one without an answer. */
const PATIENCE = 120_000
/** Names of fields that hold a time that a call took, or the size of a log that grows as the disk allows. */
const VARIES = /^(?:milliseconds|seconds|walBytes|freeBytes)$/
/** A folder of a test. */
const FOLDER = /(?:\/[\w.-]+)*\/elfmem-[A-Za-z-]*?[A-Za-z0-9]{6}(?=\/|$|[\s"'`:,.)])/g

const realTimer = setTimeout
// A busy machine must not decide an answer, so the timers of the engine are slow.
Object.assign(globalThis, {
  setTimeout: (work: () => void, ms = 0, ...args: []) => realTimer(work, ms * 100, ...args),
})

/** A file of events while it is played. */
class Play {
  #now = 0
  readonly #folder = mkdtempSync(join(tmpdir(), 'elfmem-same-'))
  readonly #folders = new Map<string, string>()
  readonly #memories = new Map<number, Members>()
  readonly #places = new Map<string, readonly [number, string]>()
  readonly #answers = new Map<number, unknown>()
  readonly #ids = countedIds()

  /** Returns the answer to a call as JSON, without what varies and with short names of folders. */
  async answer(call: Call): Promise<unknown> {
    this.#now = call.at
    const args = changed(deserialize(Buffer.from(call.input, 'base64')), this.#here) as unknown[]
    const late = Promise.withResolvers<unknown>()
    const timer = realTimer(late.resolve, PATIENCE, { error: { code: 'NO_ANSWER' } })
    const said = await Promise.race([this.#say(call, args).catch(refusalOf), late.promise])
    clearTimeout(timer)
    this.#answers.set(call.n, said)
    const text = JSON.stringify(said, (key, value) => (VARIES.test(key) ? undefined : value)) ?? 'null'
    const short = text.replaceAll(new RegExp(`${this.#folder}/(\\d+)-\\w{6}`, 'g'), '<folder $1>')
    return JSON.parse(short.replaceAll(checkout, '<checkout>').replaceAll(new RegExp(MADE, 'g'), '<id>'))
  }

  note(of: number, ids: Readonly<Record<string, string>>): void {
    for (const [id, path] of Object.entries(ids)) this.#places.set(id, [of, path])
  }

  async end(): Promise<void> {
    for (const memory of this.#memories.values()) await memory.close?.()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async #say({ memory, op, actor }: Call, args: readonly unknown[]): Promise<unknown> {
    if (op === 'open') return this.#open(memory, args[0] as Given, args[1] as Given)
    const at = this.#memories.get(memory)
    if (at === undefined) return { error: { code: 'NOT_OPENED' } }
    const [name = '', ofItems] = op.split('.')
    const place = ofItems === undefined ? at : (at[name]?.(...args.slice(0, -1)) as Members)
    return place[ofItems ?? name]?.(args.at(-1), ...(actor === undefined ? [] : [{ actor }]))
  }

  async #open(memory: number, { path, embedder, judged }: Given, options: Given): Promise<string> {
    const parts = {
      ...Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)),
      clock: { now: () => this.#now },
      ids: this.#ids,
      ...(embedder === undefined ? {} : { embedder: await embedderOf(String(embedder)) }),
      ...(judged === true ? { languageModel: (await load('test/helpers/told-model.ts')).toldModel?.() } : {}),
    }
    this.#memories.set(memory, (await openMemory?.(path ?? ':memory:', parts)) as Members)
    return 'open'
  }

  /** Returns a value of an input with the ids and folders of this play. */
  readonly #here = (value: unknown, path: readonly string[]): unknown => {
    if (path.at(-1) === 'maxSeconds' && Number(value) > 0) return 600
    const [n, at] = this.#places.get(idName(value, path.at(-1)) ?? '') ?? []
    if (at !== undefined)
      return at.split('.').reduce((in_, key) => Object(in_)[key], this.#answers.get(n ?? 0)) ?? value
    if (typeof value !== 'string') return value
    const text = value.replaceAll(FOLDER, (folder) => this.#folderFor(folder))
    return text.replaceAll('<checkout>', checkout)
  }

  #folderFor(folder: string): string {
    const known = this.#folders.get(folder) ?? mkdtempSync(join(this.#folder, `${this.#folders.size}-`))
    this.#folders.set(folder, known)
    return known
  }
}

/** Returns an embedder of the name. */
async function embedderOf(name: string): Promise<unknown> {
  if (name.startsWith('all-MiniLM')) return (await load('test/helpers/minilm.ts')).miniLm?.()
  const [kind, dimensions] = name.split('-')
  if (kind !== 'hashing') return (await load('test/helpers/placed-embedder.ts')).createPlacedEmbedder?.(name)
  const [path = ''] = globSync('src/**/hashing.ts', { cwd: checkout })
  return (await load(path)).createHashingEmbedder?.({ dimensions: Number(dimensions) })
}

function refusalOf(error: unknown): unknown {
  const { code = 'NO_CODE', message, recovery } = Object(error) as Record<string, string>
  return { error: { code, message, recovery } }
}

for (const file of files) {
  const play = new Play()
  const lines: string[] = []
  for (const line of readFileSync(join(plays, file), 'utf8').trimEnd().split('\n')) {
    const event = JSON.parse(line) as Event
    if ('of' in event) play.note(event.of, event.ids)
    else lines.push(JSON.stringify({ n: event.n, op: event.op, answer: await play.answer(event) }))
  }
  await play.end()
  writeFileSync(join(answers, file), lines.join('\n'))
}
process.exit(0)
