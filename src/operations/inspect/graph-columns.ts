import * as z from 'zod'
import type { Block } from '../../block/block.ts'
import { preview } from '../../block/text.ts'
import type { Edge } from '../../graph/edge.ts'

const MS_PER_HOUR = 3_600_000
/** Tags of one block that a picture tells apart. */
const TAGS_SHOWN = 4

const words = (of: string) =>
  z.array(z.string()).readonly().describe(`${of}, which the columns number from 0`)
const numbers = (meaning: string) => z.array(z.number()).readonly().describe(meaning)
const hours = numbers('Hours of wall time from begin to when it came')

/** The schema of nodes and edges as columns, which take about a tenth of the room of objects. */
export const graphColumns = z.object({
  begin: z.string().describe('When the oldest of it came, ISO-8601 UTC'),
  sourceClasses: words('Who speaks'),
  tags: words('Tags'),
  relations: words('Relations'),
  origins: words('Origins of edges'),
  nodes: z
    .object({
      id: z.array(z.string()).readonly().describe('Block ids'),
      text: z.array(z.string()).readonly().describe('The beginning of each content'),
      sourceClass: numbers('Place in sourceClasses'),
      tags: z.array(z.array(z.number())).readonly().describe('Places in tags, at most four of a block'),
      belief: numbers('Belief for all questions, in hundredths, 0..100'),
      degree: numbers('Number of all its edges'),
      createdAt: hours,
    })
    .describe('One column for each field, one place for each block'),
  edges: z
    .object({
      a: numbers('Place of one block in nodes'),
      b: numbers('Place of the other'),
      relation: numbers('Place in relations'),
      origin: numbers('Place in origins'),
      weight: numbers('Weight in hundredths, 0..100'),
      uses: numbers('How often it was used'),
      createdAt: hours,
    })
    .describe('One column for each field, one place for each edge'),
})

/** The parts of a graph that a picture shows. */
interface Pictured {
  readonly blocks: readonly Block[]
  readonly edges: readonly Edge[]
  readonly degrees: ReadonlyMap<string, number>
  readonly beliefOf: (id: string) => number
  /** Code points of each text. */
  readonly textLength: number
}

/** Returns the columns of blocks and of the edges between them, in their orders. */
export function columnsOf({
  blocks,
  edges,
  degrees,
  beliefOf,
  textLength,
}: Pictured): z.output<typeof graphColumns> {
  const times = [...blocks, ...edges].map(({ createdAt }) => createdAt)
  const begin = times.reduce((least, time) => (time < least ? time : least), times[0] ?? '')
  const first = Date.parse(begin)
  const hoursOf = ({ createdAt }: { readonly createdAt: string }) =>
    Math.floor((Date.parse(createdAt) - first) / MS_PER_HOUR)
  const [sourceClasses, tags, relations, origins] = [new Places(), new Places(), new Places(), new Places()]
  const nodes = new Places(blocks.map(({ id }) => id))
  const columns = {
    nodes: {
      id: nodes.words,
      text: blocks.map(({ content }) => preview(content, textLength)),
      sourceClass: blocks.map(({ sourceClass }) => sourceClasses.of(sourceClass)),
      tags: blocks.map((block) => block.tags.slice(0, TAGS_SHOWN).map((tag) => tags.of(tag))),
      belief: blocks.map(({ id }) => Math.round(100 * beliefOf(id))),
      degree: blocks.map(({ id }) => degrees.get(id) ?? 0),
      createdAt: blocks.map(hoursOf),
    },
    edges: {
      a: edges.map(({ from }) => nodes.of(from)),
      b: edges.map(({ to }) => nodes.of(to)),
      relation: edges.map(({ relation }) => relations.of(relation)),
      origin: edges.map(({ origin }) => origins.of(origin)),
      weight: edges.map(({ weight }) => Math.round(100 * weight)),
      uses: edges.map(({ reinforcementCount }) => reinforcementCount),
      createdAt: edges.map(hoursOf),
    },
  }
  return {
    begin,
    sourceClasses: sourceClasses.words,
    tags: tags.words,
    relations: relations.words,
    origins: origins.words,
    ...columns,
  }
}

/** Different words, numbered from 0 as they are met. */
class Places {
  readonly words: string[]
  readonly #places: Map<string, number>

  constructor(words: readonly string[] = []) {
    this.words = [...words]
    this.#places = new Map(words.map((word, at) => [word, at]))
  }

  of(word: string): number {
    const known = this.#places.get(word)
    if (known !== undefined) return known
    this.#places.set(word, this.words.length)
    this.words.push(word)
    return this.words.length - 1
  }
}
