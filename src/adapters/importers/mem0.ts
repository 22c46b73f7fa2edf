import type { Imported } from '../../ports/importers.ts'
import {
  brokenItem,
  firstText,
  type Importer,
  ITEM_BOUNDS,
  recordOf,
  type Source,
  tagPart,
  timeOf,
} from './importer.ts'
import { jsonItems } from './reading/json-items.ts'

/**
 * The memories of mem0: the JSON of `get_all()`, and the database of its TypeScript version. The pickles of its Python
 * version are not read, since reading one runs what it says.
 */
export const mem0: Importer = {
  name: 'mem0',
  title: 'memories of mem0',
  detects: ({ tables, first }) => {
    if (tables !== undefined) return tables.columns.get('vectors')?.includes('payload') === true
    const { memory, id, hash, user_id, userId } = recordOf(first?.value)
    return typeof memory === 'string' && [id, hash, user_id, userId].some((each) => each !== undefined)
  },
  read: ({ tables, ...source }) =>
    tables === undefined ? readList(source) : readRows(tables.rows('vectors')),
}

function* readList({ path, reader }: Omit<Source, 'tables'>): Generator<Imported> {
  for (const { value, key, number } of jsonItems(reader.pieces(path, false), ITEM_BOUNDS)) {
    if (key === 'relations')
      yield { kind: 'left', what: 'relations of its graph', why: 'they name no memories' }
    else if (value === undefined) yield brokenItem(`entry ${number}`)
    else yield textIn(recordOf(value))
  }
}

function* readRows(rows: Iterable<Readonly<Record<string, unknown>>>): Generator<Imported> {
  for (const row of rows) {
    const payload = firstText(row.payload)
    const value = payload === undefined ? undefined : parsed(payload)
    if (value === undefined) yield brokenItem(`row ${String(row.id ?? row.rowid)}`)
    else yield textIn({ id: row.id, ...recordOf(value) })
  }
}

function textIn(memory: Readonly<Record<string, unknown>>): Imported {
  const content = firstText(memory.data, memory.memory)
  if (content === undefined)
    return { kind: 'left', what: 'entries without words', why: 'there is nothing to keep' }
  const user = firstText(memory.user_id, memory.userId)
  const [agent, run] = [firstText(memory.agent_id, memory.agentId), firstText(memory.run_id, memory.runId)]
  const at = timeOf(memory.created_at ?? memory.createdAt)
  return {
    kind: 'text',
    content,
    place: user ?? agent ?? 'memories',
    speaker: 'agent',
    tags: [
      ...(user === undefined ? [] : [`user/${tagPart(user)}`]),
      ...(agent === undefined ? [] : [`agent/${tagPart(agent)}`]),
    ],
    session: `mem0/${run ?? user ?? agent ?? 'all'}`,
    ...(at === undefined ? {} : { at }),
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
