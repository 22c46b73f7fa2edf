import type { Edge } from '../../src/graph/edge.ts'
import type { Act, Saying, Spot } from './acts.ts'
import type { Picture } from './picture.ts'

/** An operation of the memory with its input. */
export interface Call {
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
}

type Two = readonly [string, string]

/** What an act means in a memory that looks like this; the same calls go to every memory compared. */
export function callsOf(act: Act, picture: Picture): readonly Call[] {
  const idAt = (at: number): string => picture.blocks[at % picture.blocks.length]?.id ?? 'nobody'
  const archived = picture.blocks.filter(({ status }) => status === 'archived')
  const archivedAt = (at: number): string => archived[at % archived.length]?.id ?? idAt(at)
  switch (act.do) {
    case 'connect':
      return [{ name: 'connect', input: specOf(act.saying, spotIn(act.saying.spot, picture)) }]
    case 'connects':
      return [{ name: 'connects', input: { edges: specsOf(act.sayings, picture) } }]
    case 'disconnect': {
      const [source, target] = spotIn(act.spot, picture)
      const { guardRelation } = act
      return [
        {
          name: 'disconnect',
          input: { source, target, ...(guardRelation === undefined ? {} : { guardRelation }) },
        },
      ]
    }
    case 'outcome': {
      const helped = act.helped.map(idAt)
      const misled = act.misled.map(idAt).filter((id) => !helped.includes(id))
      const beside = act.beside.map(idAt).filter((id) => ![...helped, ...misled].includes(id))
      return [{ name: 'outcome', input: { helped, misled, beside, about: act.scope } }]
    }
    case 'recall': {
      const { query, topK, reinforce } = act
      return [
        ...(act.newSession ? [{ name: 'beginSession', input: {} }] : []),
        { name: 'recall', input: { query, topK, reinforce, minStrength: 0 } },
      ]
    }
    case 'learn':
      return [
        ...act.contents.map((content) => ({ name: 'remember', input: { content } })),
        ...(act.waits ? [] : [{ name: 'dream', input: {} }]),
      ]
    case 'resolve': {
      const [a, b] = spotIn(act.spot, picture)
      return [{ name: 'resolve', input: { a, b, keep: act.keep } }]
    }
    case 'forget':
    case 'restore':
      return [{ name: act.do, input: { blockId: act.gone ? archivedAt(act.block) : idAt(act.block) } }]
    case 'curate':
      return [{ name: 'curate', input: {} }]
    case 'pause':
      return []
  }
}

/** The two blocks of a spot. */
function spotIn(spot: Spot, { blocks, edges, pending, openPairs }: Picture): Two {
  const idAt = (at: number): string => blocks[at % blocks.length]?.id ?? 'nobody'
  if (spot.of === 'blocks') return [idAt(spot.one), idAt(spot.other)]
  const asserted = edges.map(({ edge }) => edge).filter(({ origin }) => origin === 'agent')
  const waitedFor = new Set(pending.flatMap(({ source, target }) => [source, target]))
  const found: Readonly<Record<typeof spot.of, readonly Two[]>> = {
    edge: edges.map(({ edge }) => endsOf(edge)),
    asserted: asserted.map(endsOf),
    blocking: asserted.filter(({ from, to }) => waitedFor.has(from) || waitedFor.has(to)).map(endsOf),
    waiting: pending.map(({ source, target }) => [source, target]),
    pair: openPairs.map(({ a, b }) => [a, b]),
  }
  const all = found[spot.of]
  const [one, other] = all[spot.at % all.length] ?? [idAt(0), idAt(spot.at)]
  return spot.turned ? [other, one] : [one, other]
}

function endsOf({ from, to }: Edge): Two {
  return [from, to]
}

function specOf({ spot: _spot, ...said }: Saying, [source, target]: Two): Call['input'] {
  return { source, target, ...said }
}

/** `again` speaks about the blocks of the saying before. */
function specsOf(
  sayings: readonly (Saying & { readonly again: boolean })[],
  picture: Picture,
): Call['input'][] {
  const specs: Call['input'][] = []
  let before: Two | undefined
  for (const { again, ...saying } of sayings) {
    const ends = again && before ? before : spotIn(saying.spot, picture)
    specs.push(specOf(saying, ends))
    before = ends
  }
  return specs
}
