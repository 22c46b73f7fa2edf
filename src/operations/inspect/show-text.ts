import { shownEntry } from '../../domain/safety/visible.ts'
import { preview } from '../../domain/text/text.ts'
import { shortId } from '../wording.ts'

const NOTE = 80

interface Joined {
  readonly other: string
  readonly preview: string
}

/** The part of `show`'s answer that a person reads. */
interface Shown {
  readonly block: { readonly content: string; readonly cue?: string | undefined }
  readonly edges: readonly (Joined & {
    readonly relation: string
    readonly weight: number
    readonly note?: string | undefined
  })[]
  readonly edgesTotal: number
  readonly openPairs: readonly (Joined & {
    readonly kind: string
    readonly score: number
    readonly foundBy?: string | undefined
  })[]
  readonly outcomes: readonly {
    readonly at: string
    readonly signal: number
    readonly source: string
    readonly confidenceBefore: number
    readonly confidenceAfter: number
  }[]
  readonly history: readonly {
    readonly id: number
    readonly at: string
    readonly actor: string
    readonly operation: string
    readonly summary: string
    readonly reason?: string | undefined
    readonly undoable: boolean
    readonly undoneBy?: number | undefined
  }[]
  readonly summary: string
}

/** The block, then what it is joined to, what was reported and what was done to it, each in columns under a heading. */
export function renderShown({
  block,
  edges,
  edgesTotal,
  openPairs,
  outcomes,
  history,
  summary,
}: Shown): string {
  const more = edgesTotal > edges.length ? ` (the strongest ${edges.length} of ${edgesTotal})` : ''
  return [
    shownEntry(block.content),
    '',
    summary,
    ...(block.cue === undefined ? [] : [`Cue: ${block.cue}`]),
    ...section(
      `Joined to${more}:`,
      edges.map(({ relation, weight, other, preview: text, note }) => [
        relation,
        weight.toFixed(2),
        shortId(other),
        `${text}${aside(note)}`,
      ]),
    ),
    ...section(
      'To decide with resolve:',
      openPairs.map(({ kind, score, foundBy, other, preview: text }) => [
        kind.replaceAll('_', ' '),
        score.toFixed(2),
        shortId(other),
        `${text}${aside(foundBy && `found by ${foundBy}`)}`,
      ]),
    ),
    ...section(
      'Reported:',
      outcomes.map(({ at, signal, source, confidenceBefore, confidenceAfter }) => [
        minuteOf(at),
        `signal ${signal.toFixed(2)}`,
        `confidence ${confidenceBefore.toFixed(2)} to ${confidenceAfter.toFixed(2)}`,
        preview(source, NOTE),
      ]),
    ),
    ...section(
      'Done to it, newest first (undo takes the number of what has a *):',
      history.map(({ id, at, actor, operation, summary: what, reason, undoable, undoneBy }) => [
        `${undoable ? '*' : ' '}${id}`,
        minuteOf(at),
        actor,
        operation,
        `${withShortIds(what)}${aside(reason)}${undoneBy === undefined ? '' : ` [undone by ${undoneBy}]`}`,
      ]),
    ),
  ].join('\n')
}

/** Rows in columns as wide as their widest cell, the last one as it is; nothing of none. */
function section(heading: string, rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return []
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
  return ['', heading, ...lines.map((line) => `  ${line.trimEnd()}`)]
}

function aside(text: string | undefined): string {
  return text ? ` (${preview(text, NOTE)})` : ''
}

/** `2026-03-01 09:30`, UTC. */
function minuteOf(at: string): string {
  return at.slice(0, 16).replace('T', ' ')
}

/** Ids as everywhere else in what people read. */
function withShortIds(text: string): string {
  return text.replaceAll(/\b[0-9a-f]{16}\b/g, shortId)
}
