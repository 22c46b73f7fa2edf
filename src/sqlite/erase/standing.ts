import type { Finder } from '../../domain/erasure/finder.ts'
import { COPIES_ELSEWHERE, UNFINISHED_ERASING } from '../../ports/store/erasing.ts'
import type { Connection } from '../connection/driver.ts'
import { hasTable } from './held-words.ts'

/** The forms that kept blocks hold, which are not looked for. */
export interface Standing {
  readonly forms: ReadonlySet<string>
  /** Kept blocks that hold a whole text, a run, or what tells by itself. */
  readonly blockIds: readonly string[]
}

/** Words of every memory: of its tables, and of what the log and the settings are written in. */
const OF_EVERY_MEMORY = [
  'SELECT sql AS text FROM sqlite_schema WHERE sql IS NOT NULL',
  'SELECT DISTINCT operation AS text FROM operations',
  'SELECT DISTINCT actor AS text FROM operations',
  'SELECT DISTINCT substr(at, 1, 10) AS text FROM operations',
  'SELECT DISTINCT substr(occurred_at, 1, 10) AS text FROM blocks',
  'SELECT DISTINCT relation AS text FROM edges',
  `SELECT key || ' ' || value AS text FROM meta WHERE key NOT IN ('llm_trouble', 'removed_blocks')`,
]

/** Words in which elfmem writes its own summaries. */
const OF_THE_LOG = `active admitted already already_archived anew another archived attention backup before below block
blocks changed chunks clock clocks concerned connection connections content count different dropped duplicate duplicates dream
edge edges embedder entry erased evicted faded found fresh gained helped identity imported inbox joined judged kept
labelled language longer made model moved near-duplicate near-duplicates nothing older operation operations pair pairs
promoted proposed queued record records rejected removed repaired reported restored says shown stay stays take taken
tokens took transactions undone updated used vectors waiting were with instead that what which whose false true null
format version schema hours delete ${UNFINISHED_ERASING} ${COPIES_ELSEWHERE} index_mark vector_generation counts table session library source category`

const SELECT_KEPT = `SELECT id, content, summary, cue, tags, source, category, session FROM blocks
WHERE id NOT IN (SELECT value FROM json_each(?1)) ORDER BY arrival`

const SELECT_TERMS = `SELECT terms FROM block_index WHERE arrival NOT IN (
  SELECT arrival FROM blocks WHERE id IN (SELECT value FROM json_each(?1)))`

/** Items that no erased block is a text of: what they say of it in whole texts or runs goes, their single words stay. */
const SELECT_ITEMS = `SELECT space, namespace, key, value FROM items
WHERE id NOT IN (SELECT item FROM item_blocks WHERE block_id IN (SELECT value FROM json_each(?1)))`

/** Proposals that are not about an erased block, likewise. */
const SELECT_PROPOSALS = `SELECT content, reason, answer FROM proposals
WHERE target IS NULL OR target NOT IN (SELECT value FROM json_each(?1))`

/** Rows that go as a whole for a text or a run of an erased block, and stay for its single words. */
const GOING_WHOLE = { items: SELECT_ITEMS, proposals: SELECT_PROPOSALS }

/** Of a form, if it is a whole text or a run, and if a block that holds it tells of the same. */
interface Kinds {
  readonly isLong: (form: string) => boolean
  readonly isTelling: (form: string) => boolean
}

/** Looks for all forms in everything that is kept; one pass over it. */
export function standingIn(
  connection: Connection,
  ids: readonly string[],
  finder: Finder,
  { isLong, isTelling }: Kinds,
): Standing {
  const forms = new Set<string>()
  const blockIds = new Set<string>()
  const list = JSON.stringify(ids)
  const encoder = new TextEncoder()
  const eachForm = (text: string, visit: (form: string) => void) => {
    const bytes = encoder.encode(text)
    finder.scan(bytes, { from: 0, to: bytes.length }, (each) => visit(finder.texts[each] as string))
  }
  const look = (text: string, id?: string) =>
    eachForm(text, (form) => {
      forms.add(form)
      if (id !== undefined && isTelling(form)) blockIds.add(id)
    })
  look(OF_THE_LOG)
  for (const sql of OF_EVERY_MEMORY) for (const { text } of connection.all<{ text: string }>(sql)) look(text)
  for (const { id, ...texts } of connection.each<{ id: string }>(SELECT_KEPT, list)) {
    const text = Object.values(texts)
      .filter((each) => each !== null)
      .join('\n')
    look(text, id)
    look(text.toLowerCase())
    look(JSON.stringify(text))
  }
  if (hasTable(connection, 'block_index'))
    for (const { terms } of connection.each(SELECT_TERMS, list)) look(String(terms))
  for (const [table, sql] of Object.entries(GOING_WHOLE)) {
    if (!hasTable(connection, table)) continue
    for (const row of connection.each(sql, list)) {
      const text = Object.values(row)
        .filter((each) => each !== null)
        .join('\n')
      for (const each of [text, text.toLowerCase()])
        eachForm(each, (form) => {
          if (!isLong(form)) forms.add(form)
        })
    }
  }
  return { forms, blockIds: [...blockIds] }
}
