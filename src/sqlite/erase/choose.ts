import { normalised } from '../../block/text.ts'
import type { Chosen, ChosenBlock, ErasingChoice } from '../../history/erase.ts'
import type { Connection } from '../connection/connection.ts'

interface BlockRow {
  readonly id: string
  readonly content: string
  readonly summary: string | null
  readonly cue: string | null
  readonly status: ChosenBlock['status']
  readonly tags: string
  readonly source: string | null
  readonly session: string
}

const SELECT_BLOCKS =
  'SELECT id, content, summary, cue, status, tags, source, session FROM blocks ORDER BY arrival'

/** Blocks whose making was undone: rows that only what is kept for `undo` has. */
const SELECT_GONE = `SELECT gone.value -> 'was' AS row FROM operation_changes, json_each(changes, '$.blocks') AS gone
WHERE gone.value -> 'is' IS NULL AND gone.value -> 'was' ->> 'id' NOT IN (SELECT id FROM blocks) ORDER BY operation_id`

/** Selects the words that blocks had before an edit, in the log and in what is kept for `undo`. */
const SELECT_FORMER = `SELECT block_ids ->> 0 AS id, before ->> 'content' AS one, before ->> 'cue' AS other
FROM operations WHERE json_array_length(block_ids) = 1 AND json_type(before) = 'object'
UNION ALL
SELECT coalesce((SELECT id FROM blocks WHERE arrival = changed.value -> 'key' ->> 0), ''),
  changed.value -> 'was' ->> 'content', changed.value -> 'is' ->> 'content'
FROM operation_changes, json_each(changes, '$.blocks') AS changed
WHERE changed.value -> 'was' IS NOT NULL AND changed.value -> 'is' IS NOT NULL`

/** Reads every block once, whatever is asked for: an erasing is rare, and a memory of 100,000 blocks takes half a second. */
export function choose(connection: Connection, choice: ErasingChoice): Chosen {
  const gone = connection.all<{ row: string }>(SELECT_GONE).map(({ row }) => JSON.parse(row) as BlockRow)
  const undone = new Map(gone.map((row) => [row.id, { ...row, status: 'undone' as const }]))
  const all = [...connection.each<BlockRow>(SELECT_BLOCKS), ...undone.values()]
  if (choice.ids !== undefined) return chooseByIds(all, choice.ids)
  const blocks = all.filter(conditionOf(choice)).map(chosenOf)
  const known = new Set(blocks.map(({ id }) => id))
  const former = choice.words === undefined ? [] : formerWords(connection, holdsAll(choice.words))
  return { blocks: [...blocks, ...former.filter(({ id }) => !known.has(id))], unknown: [], ambiguous: [] }
}

function chooseByIds(all: readonly BlockRow[], given: readonly string[]): Chosen {
  const chosen = new Map<string, ChosenBlock>()
  const [unknown, ambiguous]: [string[], string[]] = [[], []]
  for (const prefix of new Set(given.map((each) => each.trim()))) {
    const exact = all.find(({ id }) => id === prefix)
    const fitting = exact === undefined ? all.filter(({ id }) => id.startsWith(prefix)) : [exact]
    const [only] = fitting
    if (only === undefined) unknown.push(prefix)
    else if (fitting.length > 1) ambiguous.push(prefix)
    else chosen.set(only.id, chosenOf(only))
  }
  return { blocks: [...chosen.values()], unknown, ambiguous }
}

function conditionOf({ tags, sources, sessions, words }: ErasingChoice): (row: BlockRow) => boolean {
  if (tags !== undefined) {
    const fits = (tag: string) =>
      tags.some((wanted) => (wanted.endsWith('*') ? tag.startsWith(wanted.slice(0, -1)) : tag === wanted))
    return (row) => (JSON.parse(row.tags) as string[]).some(fits)
  }
  if (sources !== undefined) return ({ source }) => source !== null && sources.includes(source)
  if (sessions !== undefined) return ({ session }) => sessions.includes(session)
  const holds = holdsAll(words ?? [])
  return ({ content, summary, cue }) => holds([content, summary ?? '', cue ?? ''].join('\n'))
}

function formerWords(connection: Connection, holds: (text: string) => boolean): ChosenBlock[] {
  const found = new Map<string, ChosenBlock>()
  for (const { id, one, other } of connection.each<{ id: string; one: string | null; other: string | null }>(
    SELECT_FORMER,
  ))
    for (const content of [one, other])
      if (content !== null && holds(content)) found.set(content, { id, status: 'before', content })
  return [...found.values()]
}

function chosenOf({ id, status, content }: BlockRow): ChosenBlock {
  return { id, status, content }
}

/** A character of a word, in a script that puts spaces between words. */
const SPACED =
  '[[\\p{L}\\p{N}\\p{M}]--[\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Hangul}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}]]'

/** True of a text with all of the words, each standing apart; those of scripts without spaces anywhere. */
function holdsAll(words: readonly string[]): (text: string) => boolean {
  const wanted = words.map((word) => {
    const plain = folded(word).replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
    const isSpaced = (place: string) => new RegExp(place, 'v').test(folded(word))
    const [before, after] = [isSpaced(`^${SPACED}`), isSpaced(`${SPACED}$`)]
    return new RegExp(`${before ? `(?<!${SPACED})` : ''}${plain}${after ? `(?!${SPACED})` : ''}`, 'v')
  })
  return (text) => wanted.every((word) => word.test(folded(text)))
}

function folded(text: string): string {
  return normalised(text, 'NFC').toLowerCase()
}
