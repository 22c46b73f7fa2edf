import fc from 'fast-check'
import type { Block } from '../../../src/domain/block/block.ts'
import type { NewBlock } from '../../../src/ports/store/transaction.ts'
import { aBlock, anIndex } from '../../../src/testing/harness.ts'
import { batch, follows, hours, IDS, ids } from './follows.ts'

const named = fc.constantFrom<string>(...IDS, 'e', 'f', 'g')
const status = fc.constantFrom('inbox' as const, 'active' as const)

const fresh = fc
  .tuple(
    named,
    fc.record(
      { session: fc.constantFrom('s', 't'), status, scope: fc.constantFrom('X', 'Y') },
      { requiredKeys: ['session'] },
    ),
  )
  .map(([each, fields]): NewBlock => aBlock(each, fields))

/** As `follows` inserts them. */
function begun(): Map<string, Block> {
  return new Map(IDS.map((each, position) => [each, { ...aBlock(each), position }]))
}

follows('a block is inserted once, at the end of its session in its scope, and keeps its scope', {
  begin: begun,
  calls: (calling) => [
    calling(
      batch(fresh),
      (tx, given) => tx.insertBlocks(given),
      (blocks, given) =>
        given.map((each) => {
          const there = blocks.get(each.id)
          if (there) return { inserted: false, block: there }
          const series = [...blocks.values()].filter(
            ({ session, scope }) => session === each.session && scope === each.scope,
          )
          const block = { ...each, position: Math.max(-1, ...series.map(({ position }) => position)) + 1 }
          blocks.set(each.id, block)
          return { inserted: true, block }
        }),
    ),
    calling(
      batch(fresh),
      (tx, given) => tx.saveBlocks(given.map((each, position) => ({ ...each, position }))),
      (blocks, given) => {
        for (const [position, each] of given.entries()) {
          const { scope: _scope, ...fields } = each
          const { scope } = blocks.get(each.id) ?? {}
          if (blocks.has(each.id)) blocks.set(each.id, { ...fields, position, ...(scope && { scope }) })
        }
      },
    ),
    calling(
      fc.tuple(ids, hours),
      (tx, [given, at]) => tx.reinforceBlocks(given, at),
      (blocks, [given, lastReinforcedAt]) => {
        const used = [...new Set(given)].filter((each) => blocks.get(each)?.status === 'active')
        for (const each of used) {
          const block = blocks.get(each) as Block
          blocks.set(each, { ...block, reinforcementCount: block.reinforcementCount + 1, lastReinforcedAt })
        }
        return used
      },
    ),
  ],
  look: (tx) => tx.blocks([...IDS, 'e', 'f', 'g']),
  seen: (blocks) => [...IDS, 'e', 'f', 'g'].flatMap((each) => blocks.get(each) ?? []),
})

interface Sets {
  readonly blocks: Map<string, Block>
  inUse: Map<string, number>
  shadow: Map<string, number> | undefined
}

const vectorOf = (value: number) => new Float32Array([value])
const value = fc.integer({ min: 1, max: 3 })
/** So few that calls meet. */
const few = fc.constantFrom('a', 'b', 'nobody')

/** A block and words, most times those it has at first. */
const said = fc
  .tuple(few, fc.constantFrom('content of', 'content of', 'other words of'))
  .map(([each, words]) => [each, `${words} ${each}`] as const)
const made = fc.tuple(said, value).map(([each, vector]) => [...each, vector] as const)
const vectorsOf = (given: readonly (readonly [string, string, number])[]) =>
  given.map(([each, said, at]) => ({ id: each, content: said, vector: vectorOf(at) }))

/** A vector that is another, or none, takes the one of the shadow set along. */
function use({ inUse, shadow }: Sets, each: string, vector: number | undefined): void {
  if (inUse.get(each) !== vector) shadow?.delete(each)
  if (vector === undefined) inUse.delete(each)
  else inUse.set(each, vector)
}

function missingIn({ inUse, shadow }: Sets): string[] {
  return shadow === undefined ? [] : IDS.filter((each) => inUse.has(each) && !shadow.has(each))
}

follows(
  'a vector goes with the words it was made of, and its shadow with it; a whole shadow set may change places with the one in use',
  {
    begin: (): Sets => ({ blocks: begun(), inUse: new Map(), shadow: undefined }),
    calls: (calling) => [
      calling(
        fc.tuple(few, fc.option(value, { nil: undefined })),
        (tx, [each, vector]) =>
          tx.saveIndex([anIndex(each, vector === undefined ? {} : { vector: vectorOf(vector) })]),
        (sets, [each, vector]) => {
          if (sets.blocks.has(each)) use(sets, each, vector)
        },
      ),
      calling(
        fc.tuple(said, fc.constantFrom('inbox' as const, 'active' as const, 'archived' as const)),
        (tx, [[each, content], to]) =>
          tx.saveBlocks([{ ...aBlock(each, { content, status: to }), position: 0 }]),
        (sets, [[each, content], to]) => {
          const was = sets.blocks.get(each)
          if (was === undefined) return
          const isStale = was.status === 'inbox' && (to === 'archived' || was.content !== content)
          if (isStale) use(sets, each, undefined)
          if (isStale) sets.shadow?.delete(each)
          sets.blocks.set(each, { ...was, content, status: to })
        },
      ),
      calling(
        batch(made),
        (tx, given) => tx.saveWaitingVectors(vectorsOf(given)),
        (sets, given) => {
          for (const [each, [content, vector]] of new Map(given.map(([name, ...rest]) => [name, rest]))) {
            const block = sets.blocks.get(each)
            if (block?.status === 'inbox' && block.content === content) use(sets, each, vector)
          }
        },
      ),
      calling(
        fc.constant(undefined),
        (tx) => tx.dropWaitingVectors(),
        (sets) => {
          if ([...sets.inUse.keys()].some((each) => sets.blocks.get(each)?.status !== 'inbox')) return false
          sets.inUse.clear()
          sets.shadow?.clear()
          return true
        },
      ),
      calling(
        fc.nat(3),
        (tx, one) => (one > 0 ? tx.beginShadow() : tx.dropShadow()),
        (sets, one) => {
          sets.shadow = one > 0 ? new Map() : undefined
        },
      ),
      calling(
        batch(made),
        (tx, given) => tx.saveShadow(vectorsOf(given)),
        ({ blocks, inUse, shadow }, given) => {
          for (const [each, [content, vector]] of new Map(given.map(([name, ...rest]) => [name, rest])))
            if (inUse.has(each) && blocks.get(each)?.content === content) shadow?.set(each, vector)
        },
      ),
      calling(
        fc.constant(undefined),
        (tx) => tx.swapVectors(),
        (sets) => {
          const { inUse, shadow } = sets
          if (shadow === undefined || missingIn(sets).length > 0) return false
          sets.inUse = shadow
          sets.shadow = inUse
          return true
        },
      ),
    ],
    look: async (tx) => [
      await tx.vectors(IDS),
      (await tx.missingShadow(9)).map((block) => block.id),
      (await tx.vectorTotals()).missing,
    ],
    seen: (sets) => [
      new Map([...sets.inUse].map(([each, at]) => [each, vectorOf(at)])),
      missingIn(sets),
      sets.shadow && missingIn(sets).length,
    ],
  },
)
