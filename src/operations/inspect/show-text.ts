import { sourceName } from '../../block/block.ts'
import { defined, preview, shownEntry, shownLine } from '../../block/text.ts'
import { validityWords } from '../../block/validity.ts'
import { relationFrom } from '../../graph/edge.ts'
import * as schemas from '../schemas.ts'
import { groundCells } from '../schemas.ts'
import { shortId } from '../wording.ts'
import type { Shown } from './shown.ts'

/** Code points of another text. */
export const PREVIEW = 80

/** Rows in columns as wide as their widest cell, the last one as it is; nothing of none. */
function section(heading: string, rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return []
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
  return ['', heading, ...lines.map((line) => `  ${line.trimEnd()}`)]
}

/** Returns words in brackets; nothing if there are none. */
function aside(text: string | undefined): string {
  return text ? ` (${preview(shownLine(text), PREVIEW)})` : ''
}

/** `2026-03-01 09:30`, UTC. */
function minuteOf(at: string): string {
  return at.slice(0, 16).replace('T', ' ')
}

/** Ids as everywhere else in what people read. */
function withShortIds(text: string): string {
  return text.replaceAll(/\b[0-9a-f]{16}\b/g, shortId)
}

/** Returns when the block will be archived because it fades. */
function whenArchived(hours: number | undefined, floor: number): string {
  if (hours === undefined) return 'it is not archived for fading'
  const when = hours === 0 ? 'at the next curation' : `after ${Math.ceil(hours)} active hours without use`
  return `archived ${when}, when less than ${floor} is left, unless it holds the graph together`
}

/** The block, then what it is joined to, what was reported and what was done to it, each in columns under a heading. */
export function renderShown({
  block,
  freshness,
  tier,
  archivedAfterHours,
  archiveFloor,
  edges,
  edgesTotal,
  edgeOffset,
  openPairs,
  derivedFrom,
  restsOnIt,
  outcomes,
  questions,
  trust,
  history,
  summary,
}: Shown): string {
  const from = edgeOffset === 0 ? 'the strongest ' : `${edgeOffset + 1} to `
  const more = edgesTotal > edges.length ? ` (${from}${edgeOffset + edges.length} of ${edgesTotal})` : ''
  return [
    shownEntry(block.content),
    '',
    summary,
    `Fresh ${freshness.toFixed(2)}, ${tier}: ${whenArchived(archivedAfterHours, archiveFloor)}.`,
    ...(block.cue === undefined ? [] : [`Cue: ${shownLine(block.cue)}`]),
    ...section(
      'Said again:',
      (block.occurrences ?? []).map(({ at, sourceClass, source, session }) => [
        minuteOf(at),
        shownLine(sourceName({ sourceClass, ...defined({ source }) }) ?? sourceClass),
        shownLine(session),
      ]),
    ),
    ...section(
      `Joined to${more}:`,
      edges.map(({ relation, declaredBy, weight, other, preview: text, note, validFrom, validUntil }) => [
        relationFrom(block.id, { relation, ...defined({ declaredBy }) }),
        weight.toFixed(2),
        shortId(other),
        `${text}${aside(note)}${aside(validityWords({ validFrom, validUntil }))}`,
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
    ...section('Rests on:', derivedFrom.map(groundCells)),
    ...section('Resting on it:', restsOnIt.map(groundCells)),
    ...section(
      `Asked (${schemas.trustWords(trust)}):`,
      questions.map(({ question = '(no question known)', helped, misled, beside }) => [
        `helped ${helped.toFixed(1)}`,
        `misled ${misled.toFixed(1)}`,
        `beside ${beside.toFixed(1)}`,
        preview(shownLine(question), PREVIEW),
      ]),
    ),
    ...section(
      'Reported:',
      outcomes.map(({ at, signal, weight, source, confidenceBefore, confidenceAfter }) => [
        minuteOf(at),
        // A block that misled loses confidence. A principle keeps it, and the report has no weight.
        signal === 0 && weight > 0 && confidenceAfter === confidenceBefore
          ? 'beside the point'
          : `signal ${signal.toFixed(2)}`,
        `confidence ${confidenceBefore.toFixed(2)} to ${confidenceAfter.toFixed(2)}`,
        preview(shownLine(source), PREVIEW),
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
