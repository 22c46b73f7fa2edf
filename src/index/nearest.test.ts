import fc from 'fast-check'
import { expect, test } from 'vitest'
import { loadScanKernel } from '../adapters/system/scan-kernel.ts'
import type { BlockFacts } from '../block/block.ts'
import { normalise } from './columns.ts'
import { type Compared, type IndexParts, nearestBlocks } from './rank.ts'
import { createIndexParts, putBlock } from './resident-index.ts'

interface Placed extends Compared {
  readonly session: string
  readonly tags: readonly string[]
  readonly waits: boolean
}

const unscoped = fc.record({
  vector: fc
    .array(fc.integer({ min: -3, max: 3 }), { minLength: 6, maxLength: 6 })
    .map((values) => normalise(Float32Array.from(values, (value, i) => value + (i === 0 ? 3.5 : 0)))),
  session: fc.constantFrom('a', 'b', 'c', 'd'),
  tags: fc.subarray(['red', 'green', 'blue'], { maxLength: 2 }),
  waits: fc.boolean(),
})

const placed: fc.Arbitrary<Placed> = fc
  .tuple(unscoped, fc.boolean())
  .map(([each, isScoped]) => (isScoped ? { ...each, scope: 'one' } : each))

function factsOf({ session, tags, scope, waits }: Placed, i: number): BlockFacts {
  return {
    ...{ id: `n${String(i).padStart(4, '0')}`, category: 'knowledge', tags, sourceClass: 'agent', session },
    ...{ status: waits ? 'inbox' : 'active', position: i, createdAt: '2026-05-08T10:00:00.000Z' },
    ...{ occurredAt: '2026-05-08T10:00:00.000Z', successes: 0, failures: 0, reinforcementCount: 0 },
    ...{ lastReinforcedAt: 0, lastUsefulAt: 0, decayLambda: 0.01, ...(scope && { scope }) },
  } as BlockFacts
}

function partsOf(blocks: readonly Placed[]): IndexParts {
  const parts = createIndexParts(loadScanKernel())
  for (const [i, each] of blocks.entries())
    putBlock(
      parts,
      factsOf(each, i),
      { id: `n${i}`, terms: '', vectors: { vector: each.vector }, flags: '0' },
      [],
    )
  return parts
}

interface Wanted {
  readonly count: number
  readonly floor: number
  readonly kinFloor: number
}

/** What `nearestBlocks` says, told by looking at every block. */
function naive(parts: IndexParts, blocks: readonly Placed[], asked: Placed, wanted: Wanted): string[] {
  const cosines = parts.vectors.cosines(asked.vector, blocks.length)
  const all = blocks.flatMap((other, i) => {
    if (other.waits || other.scope !== asked.scope) return []
    const isKin = other.session === asked.session || other.tags.some((tag) => asked.tags.includes(tag))
    return [{ i, cosine: cosines[i] as number, isKin }]
  })
  all.sort((a, b) => b.cosine - a.cosine || a.i - b.i)
  const near = all.filter(({ cosine }) => cosine >= wanted.floor).slice(0, wanted.count)
  const kin = all.filter(({ cosine, isKin }) => isKin && cosine >= wanted.kinFloor).slice(0, wanted.count)
  return all
    .filter((each) => near.includes(each) || kin.includes(each))
    .map(({ i, cosine, isKin }) => `n${String(i).padStart(4, '0')} ${cosine} ${isKin}`)
}

test('nearestBlocks finds the blocks that a comparison with each finds, also by session and tag', () => {
  const few = fc.array(placed, { minLength: 1, maxLength: 90 })
  const wanted = fc.record({
    count: fc.integer({ min: 1, max: 4 }),
    floor: fc.constantFrom(0.3, 0.7),
    kinFloor: fc.constantFrom(0.1, 0.3),
  })
  fc.assert(
    fc.property(few, fc.array(placed, { minLength: 1, maxLength: 4 }), wanted, (blocks, asked, options) => {
      const parts = partsOf(blocks)
      const found = nearestBlocks(parts, asked, options)
      for (const [i, each] of asked.entries())
        expect(found[i]?.map(({ id, cosine, isKin }) => `${id} ${cosine} ${isKin}`)).toEqual(
          naive(parts, blocks, each, options),
        )
    }),
    { numRuns: 150 },
  )
})
