import type { Imported } from '../../engine/ports.ts'
import { attempt } from '../../errors.ts'
import { type Fields, type Importer, left, recordOf, type Source, tagPart, textOf } from './importer.ts'
import { JSON_MOST } from './reader.ts'

/** The file of the MCP server "memory": a knowledge graph, an entity or relation a line. */
export const serverMemory: Importer = {
  name: 'server-memory',
  title: 'the knowledge graph of the MCP server "memory"',
  detects: ({ firstLine }) => {
    const { type, name, from } = recordOf(firstLine)
    return (
      (type === 'entity' && typeof name === 'string') || (type === 'relation' && typeof from === 'string')
    )
  },
  read: readLines,
}

function* readLines({ path, reader }: Source): Generator<Imported> {
  for (const [at, line] of reader.text(path, false, JSON_MOST).text.split('\n').entries()) {
    if (line.trim() === '') continue
    const { type, ...record } = recordOf(attempt(() => JSON.parse(line)))
    if (type === 'entity' && textOf(record.name) !== undefined) yield* entity(String(record.name), record)
    else if (type === 'relation' && textOf(record.from) !== undefined && textOf(record.to) !== undefined)
      yield* relation(String(record.from), String(record.to), textOf(record.relationType) ?? 'relates to')
    else yield left('broken lines', 'they are no entity and no relation', { example: `line ${at + 1}` })
  }
}

/** Yields each observation as a text; an entity without any is one by itself, so that relations have something to join. */
function* entity(name: string, { entityType, observations }: Fields): Generator<Imported> {
  const kind = textOf(entityType)
  const listed: readonly unknown[] = [observations ?? []].flat()
  const known = listed.flatMap((each) => textOf(each) ?? [])
  const lost = listed.length - known.length
  if (lost > 0) yield left('observations', 'they are no text with words', { many: lost, example: name })
  const said = known.map((each) => `${name}: ${each}`)
  const texts = said.length > 0 ? said : [kind === undefined ? `There is ${name}.` : `${name}: a ${kind}`]
  for (const content of texts)
    yield {
      kind: 'text',
      content,
      key: name,
      place: name,
      speaker: 'agent',
      tags: [`entity/${tagPart(name)}`, ...(kind === undefined ? [] : [`kind/${tagPart(kind)}`])],
      session: `server-memory/${tagPart(name)}`,
    }
}

/** Yields a relation as a sentence, which is found by its words, and as a link between both entities. */
function* relation(from: string, to: string, relationType: string): Generator<Imported> {
  const words = relationType
    .replaceAll(/[_-]/g, ' ')
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase()
  yield {
    kind: 'text',
    content: `${from} ${words} ${to}.`,
    place: from,
    speaker: 'agent',
    tags: [`entity/${tagPart(from)}`, `entity/${tagPart(to)}`],
    session: `server-memory/${tagPart(from)}`,
  }
  yield { kind: 'link', from, to, relation: relationType, declaredBy: from }
}
