import type { DatabaseSync } from 'node:sqlite'
import type { Act, Line } from './acts.ts'

/** What a block may be found as; what is under way when a process is killed may have happened or not. */
interface Expected {
  readonly contents: Set<string>
  readonly statuses: Set<string>
  readonly reports: Set<number>
  /** The id of the block whose place it takes. */
  readonly older: string | undefined
}

/** What somebody was told about a memory, held against what is in its file. */
export class Told {
  /** Acknowledged writes so far. */
  acknowledged = 0
  /** Acts that a kill interrupted, by what they did. */
  readonly interrupted = new Map<string, number>()
  readonly #blocks = new Map<string, Expected>()
  readonly #edges = new Set<string>()
  /** Contents that one transaction is writing together. */
  #batch: readonly string[] = []
  readonly #problems: string[] = []

  hear(lines: readonly Line[]): void {
    let open: Act | undefined
    for (const line of lines) {
      if ('begins' in line) this.#begin(line.begins)
      else this.#end(line)
      open = 'begins' in line ? line.begins : undefined
    }
    if (open) this.interrupted.set(open.does, (this.interrupted.get(open.does) ?? 0) + 1)
  }

  #begin(act: Act): void {
    this.#batch = 'contents' in act ? act.contents : []
    doubt(act, this.#blocks)
    for (const edge of this.#edges) if (mayEnd(act, edge)) this.#edges.delete(edge)
  }

  #end(line: Exclude<Line, { readonly begins: Act }>): void {
    if ('refused' in line) {
      if (line.code.startsWith('STORE_'))
        this.#problems.push(`${line.refused.does} was refused: ${line.code}`)
      return
    }
    const { done: act, ids } = line
    if (act.does !== 'open') this.acknowledged += 1
    if ('contents' in act)
      ids.forEach((id, i) => {
        if (!this.#blocks.has(id)) this.#blocks.set(id, expectedOf(act.contents[i] ?? '', act))
      })
    settle(act, ids, this.#blocks)
    if (act.does === 'connect' && ids.length > 0) this.#edges.add([...ids].sort().join(' '))
  }

  /** What the file lacks of what was told, or has of half of it; afterwards what was found is what is expected. */
  differences(database: DatabaseSync): string[] {
    const found = new Map(
      database
        .prepare(BLOCKS)
        .all()
        .map((row) => [String(row.id), row as Record<string, unknown>] as const),
    )
    const problems = this.#problems.splice(0)
    for (const [id, { contents, statuses, reports }] of this.#blocks) {
      const row = found.get(id)
      if (row === undefined) problems.push(`lost: ${[...contents].join(' | ')}`)
      else {
        if (contents.size > 0 && !contents.has(String(row.content)))
          problems.push(`content of ${id}: ${row.content}`)
        if (!statuses.has(String(row.status))) problems.push(`${id} is ${row.status}, not ${[...statuses]}`)
        if (!reports.has(Number(row.reports)))
          problems.push(`${id} has ${row.reports} reports, not ${[...reports]}`)
      }
    }
    const edges = new Set(
      database
        .prepare('SELECT from_id, to_id FROM edges')
        .all()
        .map((row) => `${row.from_id} ${row.to_id}`),
    )
    problems.push(...[...this.#edges].filter((edge) => !edges.has(edge)).map((edge) => `lost edge: ${edge}`))
    problems.push(...this.#halves(found))
    for (const [id, row] of found) this.#blocks.set(id, asFound(row))
    return problems
  }

  /** What was acknowledged is looked for block by block. */
  #halves(found: ReadonlyMap<string, Record<string, unknown>>): string[] {
    const written = [...found.values()].map(({ content }) => String(content))
    const there = this.#batch.filter((each) => written.some((content) => content.includes(each))).length
    return there === 0 || there === this.#batch.length ? [] : [`half of a batch: ${this.#batch[0]}`]
  }
}

const BLOCKS = `SELECT id, content, status, supersedes, (SELECT count(*) FROM block_outcomes WHERE block_id = blocks.id) AS reports FROM blocks`

/** A document's chunk has its heading, too, so its words are taken as they are found. */
function expectedOf(content: string, act: Act): Expected {
  const contents = new Set(act.does === 'learnDocument' ? [] : [content])
  const older = act.does === 'remember' ? act.supersedes : undefined
  return { contents, statuses: new Set(['inbox']), reports: new Set([0]), older }
}

function asFound({ content, status, supersedes, reports }: Record<string, unknown>): Expected {
  return {
    contents: new Set([String(content)]),
    statuses: new Set([String(status)]),
    reports: new Set([Number(reports)]),
    older: supersedes === null ? undefined : String(supersedes),
  }
}

function only<T>(set: Set<T>, value: T): void {
  set.clear()
  set.add(value)
}

type Blocks = ReadonlyMap<string, Expected>

const touched = (blocks: Blocks, ids: readonly string[]) => ids.flatMap((id) => blocks.get(id) ?? [])

type Rewording = Extract<Act, { readonly content: string }>

const isReworded = (act: Act): act is Rewording => act.does === 'edit' || act.does === 'undo'

/** What may be otherwise from the moment on in which an act begins. */
function doubt(act: Act, blocks: Blocks): void {
  const id = 'id' in act ? act.id : 'b' in act ? act.b : ''
  const changed = STATUS_CHANGES[act.does] ?? []
  const ids = act.does === 'resolve' ? chainOf(id, blocks) : [id]
  for (const { statuses } of touched(blocks, ids)) for (const status of changed) statuses.add(status)
  if (isReworded(act)) doubtWords(act, blocks)
  if (act.does === 'outcome')
    for (const { reports } of touched(blocks, act.ids)) reports.add(Math.max(...reports) + 1)
  if (act.does === 'dream') doubtWaiting(blocks)
}

/** A block and those that went before it: what takes the place of one archives all of them. */
function chainOf(id: string, blocks: Blocks): readonly string[] {
  const ids = new Set<string>()
  for (let at: string | undefined = id; at !== undefined && !ids.has(at); at = blocks.get(at)?.older)
    ids.add(at)
  return [...ids]
}

/** Words that nobody was told, a chunk's with its heading, may be there still and stay unknown. */
function doubtWords({ id, content }: Rewording, blocks: Blocks): void {
  for (const { contents } of touched(blocks, [id])) if (contents.size > 0) contents.add(content)
}

function doubtWaiting(blocks: Blocks): void {
  for (const { statuses } of blocks.values())
    if (statuses.has('inbox')) statuses.add('active').add('archived')
}

const STATUS_CHANGES: Partial<Record<Act['does'], readonly string[]>> = {
  forget: ['archived'],
  restore: ['active', 'inbox'],
  resolve: ['archived'],
}

/** What is certain once an act was acknowledged with these ids. */
function settle(act: Act, ids: readonly string[], blocks: Blocks): void {
  const statuses = (of: readonly string[], status: string) => {
    for (const expected of touched(blocks, of)) only(expected.statuses, status)
  }
  if (act.does === 'dream') statuses(ids, 'active')
  if (act.does === 'forget') statuses([act.id], 'archived')
  if (act.does === 'restore') statuses([act.id], ids[0] ?? '')
  if (act.does === 'resolve') statuses(ids, 'archived')
  if (act.does === 'outcome')
    for (const { reports } of touched(blocks, ids)) only(reports, Math.max(...reports))
  if (isReworded(act)) for (const { contents } of touched(blocks, [act.id])) only(contents, act.content)
}

/** A full block gives way to new edges; a dream makes some at any block. */
function mayEnd(act: Act, edge: string): boolean {
  if (act.does === 'dream') return true
  const ends = 'a' in act ? [act.a, act.b] : 'id' in act ? [act.id] : []
  return ends.some((id) => edge.includes(id))
}
