import { normalised } from '../../domain/text/text.ts'
import type { Chosen, ChosenBlock, ErasingChoice } from '../../ports/store/erasing.ts'
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
const SELECT_GONE = `SELECT gone.value AS row FROM operation_changes, json_each(changes, '$.blocks.gone') AS gone
WHERE gone.value ->> 'id' NOT IN (SELECT id FROM blocks) ORDER BY operation_id`

const SELECT_LOGGED = `SELECT block_ids ->> 0 AS id, before ->> 'content' AS content, before ->> 'cue' AS cue
FROM operations WHERE json_array_length(block_ids) = 1 AND json_type(before) = 'object'
  AND coalesce(before ->> 'content', before ->> 'cue') IS NOT NULL ORDER BY id`

const SELECT_CHANGED = `SELECT coalesce((SELECT id FROM blocks WHERE arrival = changed.value -> 'key' ->> 0), '') AS id,
  changed.value -> 'was' ->> 'content' AS was, changed.value -> 'is' ->> 'content' AS is_now
FROM operation_changes, json_each(changes, '$.blocks.changed') AS changed
WHERE coalesce(was, is_now) IS NOT NULL ORDER BY operation_id`

/** Reads every block once, whatever is asked for: an erasing is rare, and a memory of 100,000 blocks takes half a second. */
export function choose(connection: Connection, choice: ErasingChoice): Chosen {
  const all = [...connection.each<BlockRow>(SELECT_BLOCKS), ...goneBlocks(connection)]
  if (choice.ids !== undefined) return chooseByIds(all, choice.ids)
  const isChosen = conditionOf(choice)
  const blocks = all.filter(isChosen).map(chosenOf)
  const former = choice.words === undefined ? [] : formerWords(connection, choice.words)
  const known = new Set(blocks.map(({ id }) => id))
  return {
    blocks: [...blocks, ...former.filter(({ id }) => !known.has(id))],
    unknown: [],
    ambiguous: [],
  }
}

function chooseByIds(all: readonly BlockRow[], given: readonly string[]): Chosen {
  const chosen = new Map<string, ChosenBlock>()
  const [unknown, ambiguous]: [string[], string[]] = [[], []]
  const byId = new Map(all.map((row) => [row.id, row]))
  for (const prefix of new Set(given.map((each) => each.trim()))) {
    const exact = byId.get(prefix)
    const fitting = exact === undefined ? all.filter(({ id }) => id.startsWith(prefix)) : [exact]
    const [only] = fitting
    if (only === undefined) unknown.push(prefix)
    else if (new Set(fitting.map(({ id }) => id)).size > 1) ambiguous.push(prefix)
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
  return ({ content, summary, cue }) =>
    holds([content, summary, cue].filter((text) => text !== null).join('\n'))
}

/** Words that blocks had before an edit, which the log or what `undo` needs still have. */
function formerWords(connection: Connection, words: readonly string[]): ChosenBlock[] {
  const holds = holdsAll(words)
  const former = connection
    .all<{ id: string; content: string | null; cue: string | null }>(SELECT_LOGGED)
    .flatMap(({ id, content, cue }) => [content, cue].map((text) => ({ id, text })))
  const changed = connection
    .all<{ id: string; was: string | null; is_now: string | null }>(SELECT_CHANGED)
    .flatMap(({ id, was, is_now }) => [was, is_now].map((text) => ({ id, text })))
  const found = new Map<string, ChosenBlock>()
  for (const { id, text } of [...former, ...changed])
    if (text !== null && holds(text)) found.set(text, { id, status: 'before', content: text })
  return [...found.values()]
}

function goneBlocks(connection: Connection): BlockRow[] {
  const rows = connection.all<{ row: string }>(SELECT_GONE).map(({ row }) => JSON.parse(row) as BlockRow)
  const byId = new Map(rows.map((row) => [row.id, { ...row, status: 'undone' as const }]))
  return [...byId.values()]
}

function chosenOf({ id, status, content }: BlockRow): ChosenBlock {
  return { id, status, content }
}

/** True of a text with all of the words, each standing apart; those of scripts without spaces anywhere. */
function holdsAll(words: readonly string[]): (text: string) => boolean {
  const wanted = words.map(folded)
  return (text) => {
    const among = folded(text)
    return wanted.every((word) => standsIn(word, among))
  }
}

function folded(text: string): string {
  return normalised(text, 'NFC').toLowerCase()
}

/** A character of a script that puts no spaces between words. */
const UNSPACED =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u
const LETTER = /[\p{L}\p{N}\p{M}]/u

function standsIn(word: string, text: string): boolean {
  const runsOn = (one: string | undefined, other: string | undefined) =>
    one !== undefined &&
    other !== undefined &&
    LETTER.test(one) &&
    LETTER.test(other) &&
    !UNSPACED.test(one) &&
    !UNSPACED.test(other)
  const [first, last] = [[...word][0], [...word].at(-1)]
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const before = [...text.slice(Math.max(0, at - 2), at)].at(-1)
    const after = [...text.slice(at + word.length, at + word.length + 2)][0]
    if (!runsOn(before, first) && !runsOn(last, after)) return true
  }
  return false
}
