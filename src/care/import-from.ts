import { type CallContext, type Engine, nextTurn } from '../engine/engine.ts'
import type { Imported, ImportedItem, ImportedLink, ImportedText, OpenedImport } from '../engine/ports.ts'
import { ElfmemError } from '../errors.ts'
import { IMPORT_FROM } from '../history/undone.ts'
import { readOperations } from '../store/log.ts'
import { joinAll, lookAtLinks } from './join.ts'
import { keepItems } from './keep-items.ts'
import { type Importing, prepare } from './prepare.ts'
import { lookAtTexts, type Places, takeTexts } from './take-texts.ts'
import { type Prepared, Tally } from './tally.ts'

/** Texts a transaction: of its sync little is left for each, and other writers wait for some 20 ms at most. */
const TEXTS_PER_WRITE = 250

/** Things read between two turns of the others. */
const READ_BETWEEN = 1_000

/** The file or folder to take in, and how. */
export interface ImportFromRequest {
  readonly path: string
  readonly format: OpenedImport['format'] | 'auto'
  /** Only looks, and writes nothing. */
  readonly dryRun: boolean
  /** The owner vouches for it: classes, identity and evidence count as the file says. */
  readonly trusted: boolean
  /** Also what the other program had put away. */
  readonly archived: boolean
}

/** The result of an import, or of looking at one. */
export interface ImportedFrom {
  readonly format: OpenedImport['format']
  readonly title: string
  readonly tally: Tally
  /** An entry of the log that stands for all of it; absent if nothing was written. */
  readonly operationId: number | undefined
}

/**
 * Takes in what another program remembers: texts in transactions of 250, then the links among them, then data. Each transaction is
 * whole, and all are one run that `undo` takes back. Whatever ends it, the same call again adds what is missing.
 *
 * @throws `NOT_FOUND`, `INVALID_INPUT`, `LIMIT_EXCEEDED`, `CANCELLED` and what the store throws
 */
export async function importFrom(
  engine: Engine,
  given: CallContext,
  request: ImportFromRequest,
): Promise<ImportedFrom> {
  const { path, format, archived, dryRun, trusted } = request
  const run = engine.ids.random()
  const context: CallContext = { ...given, run }
  const importers = await engine.importers()
  const mostBytes = engine.settings.limits.importBytes
  const opened = await importers.open({ path, format, archived, mostBytes, signal: context.signal })
  const tally = new Tally()
  try {
    const importing: Importing = { engine, context, format: opened.format, trusted, tally }
    await new Import(importing, opened, dryRun).run()
    const of = { format: opened.format, title: opened.title, tally }
    if (dryRun) return { ...of, operationId: undefined }
    return await engine.store.read(async (tx) => {
      const [entry] = await readOperations(tx, { run, operation: IMPORT_FROM, limit: 1 })
      return { ...of, operationId: entry?.id }
    })
  } catch (error) {
    throw ElfmemError.is(error) && error.code === 'CANCELLED' ? cancelled(tally.created) : error
  } finally {
    opened.close()
  }
}

/** One import while it lasts. */
class Import {
  readonly #importing: Importing
  readonly #opened: OpenedImport
  readonly #dryRun: boolean
  readonly #places: Places = new Map()
  readonly #seen = new Set<string>()
  readonly #links: ImportedLink[] = []
  readonly #items: ImportedItem[] = []
  #waiting: Prepared[] = []
  #read = 0

  constructor(importing: Importing, opened: OpenedImport, dryRun: boolean) {
    this.#importing = importing
    this.#opened = opened
    this.#dryRun = dryRun
  }

  async run(): Promise<void> {
    const importing = this.#importing
    for await (const each of this.#opened.read()) await this.#take(each)
    await this.#write(true)
    await keepItems(importing, this.#items, this.#dryRun)
    if (this.#dryRun) await lookAtLinks(importing, this.#links, this.#places)
    else await joinAll(importing, this.#links, this.#places)
  }

  async #take(each: Imported): Promise<void> {
    this.#read += 1
    if (this.#read % READ_BETWEEN === 0) await nextTurn()
    if (each.kind === 'left') this.#importing.tally.leave(each)
    else if (each.kind === 'link') this.#links.push(each)
    else if (each.kind === 'item') this.#items.push(each)
    else await this.#takeText(each)
  }

  async #takeText(text: ImportedText): Promise<void> {
    for (const prepared of await prepare(this.#importing, text)) this.#waiting.push(prepared)
    await this.#write(false)
  }

  async #write(isLast: boolean): Promise<void> {
    const { context } = this.#importing
    while (this.#waiting.length >= (isLast ? 1 : TEXTS_PER_WRITE)) {
      if (context.signal?.aborted) throw cancelled(this.#importing.tally.created)
      const batch = this.#waiting.slice(0, TEXTS_PER_WRITE)
      this.#waiting = this.#waiting.slice(TEXTS_PER_WRITE)
      if (this.#dryRun) await lookAtTexts(this.#importing, batch, { places: this.#places, seen: this.#seen })
      else await takeTexts(this.#importing, batch, this.#places)
      await nextTurn()
      context.progress?.({
        stage: this.#dryRun ? 'reading' : 'importing',
        ...this.#opened.progress(),
        isKept: true,
      })
    }
  }
}

function cancelled(done: number): ElfmemError {
  return new ElfmemError('CANCELLED', `The import was cancelled after ${done} new blocks.`, {
    recovery: 'Call it again with the same to have the rest, or undo() to take back what came.',
    details: { done },
  })
}
