/**
 * Plays recorded calls on a checkout: `node play.ts CHECKOUT PLAYS ANSWERS FILE...`. Each file of events in PLAYS gives a file in
 * ANSWERS with the answer to each call, one JSON value a line. Clock and ids are those of the recording.
 */
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deserialize } from 'node:v8'
import { type Call, changed, countedIds, type Event, idName, MADE } from './event.ts'

type Members = Record<string, (...args: readonly unknown[]) => unknown>
type Given = Readonly<Record<string, unknown>>

const [checkout = '', plays = '', answers = '', ...files] = process.argv.slice(2)
const load = async (path: string) => (await import(join(checkout, path))) as Members
const { openMemory } = (await load('src/index.ts')) as {
  openMemory: (...args: unknown[]) => Promise<Members>
}

/** Seconds after which a call counts as one without an answer. */
const PATIENCE = 60
/** Fields that differ from run to run. */
const TIMES = /^(?:milliseconds|seconds|ms|took|durationMs|elapsedMs|walBytes|freeBytes)$/
/** Folders of tests, and of databases in plays, wherever they are. */
const FOLDERS = /(?:\/[\w.-]+)*\/elfmem-[A-Za-z-]*?[A-Za-z0-9]{6}(?=\/|$|[\s"'`:,.)])/g

/** The folders, memories and answers of a file of events while it is played. */
class Play {
  #now = 0
  readonly #folder = mkdtempSync(join(tmpdir(), 'elfmem-same-'))
  readonly #folders = new Map<string, string>()
  readonly #memories = new Map<number, Members>()
  readonly #places = new Map<string, readonly [number, string]>()
  readonly #answers = new Map<number, unknown>()
  readonly #ids = countedIds()

  async answer(call: Call): Promise<unknown> {
    this.#now = call.at
    const args = changed(deserialize(Buffer.from(call.input, 'base64')), this.#here) as unknown[]
    let timer: NodeJS.Timeout | undefined
    const late = new Promise((resolve) => {
      timer = setTimeout(() => resolve({ error: { code: 'NO_ANSWER' } }), PATIENCE * 1000)
    })
    const said = await Promise.race([this.#say(call, args).catch(refusalOf), late])
    clearTimeout(timer)
    this.#answers.set(call.n, said)
    return this.#plain(said)
  }

  note(of: number, ids: Readonly<Record<string, string>>): void {
    for (const [id, path] of Object.entries(ids)) this.#places.set(id, [of, path])
  }

  async end(): Promise<void> {
    for (const memory of this.#memories.values()) await memory.close?.()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async #say({ memory, op, actor }: Call, args: readonly unknown[]): Promise<unknown> {
    if (op === 'open') return this.#open(memory, args[0] as Given)
    const at = this.#memories.get(memory)
    if (at === undefined) return { error: { code: 'NOT_OPENED' } }
    const [group, method] = op.split('.')
    const context = actor === undefined ? [] : [{ actor }]
    if (method === undefined) return at[op]?.(args[0], ...context)
    const items = at[group as string]?.(...args.slice(0, -1)) as Members
    return items[method]?.(args.at(-1), ...context)
  }

  async #open(memory: number, { path, embedder, judged, options }: Given): Promise<unknown> {
    const given = Object.entries(options as Given).filter(([, value]) => value !== undefined)
    const parts = {
      ...Object.fromEntries(given),
      clock: { now: () => this.#now },
      ids: this.#ids,
      ...(embedder === undefined ? {} : { embedder: await embedderOf(String(embedder)) }),
      ...(judged === true ? { languageModel: (await load('test/helpers/told-model.ts')).toldModel?.() } : {}),
    }
    this.#memories.set(memory, await openMemory(path, parts))
    return 'open'
  }

  /** Returns a value of an input with the ids and folders of this play. */
  readonly #here = (value: unknown, key: string): unknown => {
    const place = this.#places.get(idName(value, key) ?? '')
    if (place !== undefined) return this.#answerAt(...place) ?? value
    return typeof value === 'string' ? value.replaceAll(FOLDERS, (folder) => this.#folderFor(folder)) : value
  }

  #answerAt(n: number, path: string): unknown {
    return path.split('.').reduce((at, key) => Object(at)[key], this.#answers.get(n))
  }

  #folderFor(folder: string): string {
    const known = this.#folders.get(folder) ?? mkdtempSync(join(this.#folder, `${this.#folders.size}-`))
    this.#folders.set(folder, known)
    return known
  }

  /** Returns an answer as JSON, without times and with short names of folders and ids made by chance. */
  #plain(said: unknown): unknown {
    const text = JSON.stringify(said, (key, value) => (TIMES.test(key) ? undefined : value)) ?? 'null'
    const short = text.replaceAll(new RegExp(`${this.#folder}/(\\d+)-\\w{6}`, 'g'), '<folder $1>')
    return JSON.parse(short.replaceAll(checkout, '<checkout>').replaceAll(MADE, '<id>'))
  }
}

/** Returns the embedder that a test had, or the one that hashes words. */
async function embedderOf(name: string): Promise<unknown> {
  if (name.startsWith('all-MiniLM')) return (await load('test/helpers/minilm.ts')).miniLm?.()
  const isPlaced = !name.startsWith('hashing')
  if (isPlaced) return (await load('test/helpers/placed-embedder.ts')).createPlacedEmbedder?.(name)
  const [path = ''] = globSync('src/**/hashing.ts', { cwd: checkout })
  return (await load(path)).createHashingEmbedder?.({ dimensions: Number(name.split('-')[1]) })
}

function refusalOf(error: unknown): unknown {
  const { code = 'NO_CODE', message, recovery } = Object(error) as Record<string, string>
  return { error: { code, message, recovery } }
}

await mkdir(answers, { recursive: true })
for (const file of files) {
  const play = new Play()
  const lines: string[] = []
  for (const line of readFileSync(join(plays, file), 'utf8').trimEnd().split('\n')) {
    const event = JSON.parse(line) as Event
    if ('of' in event) play.note(event.of, event.ids)
    else lines.push(JSON.stringify({ n: event.n, op: event.op, answer: await play.answer(event) }))
  }
  await play.end()
  writeFileSync(join(answers, file), `${lines.join('\n')}\n`)
}
process.exit(0)
