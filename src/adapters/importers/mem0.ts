import { defined } from '../../block/text.ts'
import type { Imported } from '../../engine/ports.ts'
import { attempt } from '../../errors.ts'
import {
  type Fields,
  firstText,
  type Importer,
  itemsIn,
  left,
  recordOf,
  type Source,
  tagPart,
  timeOf,
} from './importer.ts'

/**
 * The memories of mem0: the JSON of `get_all()`, and the database of its TypeScript version. The pickles of its Python
 * version are not read, since reading one runs what it says.
 */
export const mem0: Importer = {
  name: 'mem0',
  title: 'memories of mem0',
  detects: ({ tables, first }) => {
    if (tables !== undefined) return tables.columns.get('vectors')?.includes('payload') === true
    const { memory, id, hash, user_id, userId } = recordOf(first)
    return typeof memory === 'string' && [id, hash, user_id, userId].some((each) => each !== undefined)
  },
  read: (source) => {
    const { tables } = source
    return tables === undefined ? readList(source) : readRows(tables.rows('vectors'))
  },
}

function* readList(source: Source): Generator<Imported> {
  const items = itemsIn(source, source.name)
  if ('kind' in items) return yield items
  for (const value of items) yield textIn(recordOf(value))
}

function* readRows(rows: Iterable<Fields>): Generator<Imported> {
  for (const row of rows)
    yield textIn({ id: row.id, ...recordOf(attempt(() => JSON.parse(String(row.payload)))) })
}

function textIn(memory: Fields): Imported {
  const content = firstText(memory.data, memory.memory)
  if (content === undefined) return left('entries without words', 'there is nothing to keep')
  const user = firstText(memory.user_id, memory.userId)
  const [agent, run] = [firstText(memory.agent_id, memory.agentId), firstText(memory.run_id, memory.runId)]
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
    ...defined({ at: timeOf(memory.created_at ?? memory.createdAt) }),
  }
}
