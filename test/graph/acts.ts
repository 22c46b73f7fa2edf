import fc from 'fast-check'
import type { SettingsInput } from '../../src/engine/settings.ts'

/** Which two blocks are meant; numbers wrap around, so that every spot is somewhere. */
export type Spot =
  | { readonly of: 'blocks'; readonly one: number; readonly other: number }
  /**
   * The ends of an edge, an agent's edge, one that a waiting connection waits for, a waiting connection or an open
   * pair; two blocks where there is none.
   */
  | {
      readonly of: 'edge' | 'asserted' | 'blocking' | 'waiting' | 'pair'
      readonly at: number
      readonly turned: boolean
    }

/** What an agent says about two blocks. */
export interface Saying {
  readonly spot: Spot
  readonly relation?: string
  readonly weight?: number
  readonly note?: string
  readonly ifExists?: 'reinforce' | 'update' | 'skip' | 'error'
}

/** One random operation; blocks are named by their place among all that were ever learned. */
export type Act =
  | { readonly do: 'connect'; readonly saying: Saying }
  | { readonly do: 'connects'; readonly sayings: readonly (Saying & { readonly again: boolean })[] }
  | { readonly do: 'disconnect'; readonly spot: Spot; readonly guardRelation?: string }
  | {
      readonly do: 'outcome'
      readonly helped: readonly number[]
      readonly misled: readonly number[]
      readonly beside: readonly number[]
      readonly scope: 'blocks' | 'set'
    }
  | {
      readonly do: 'recall'
      readonly query: string
      readonly topK: number
      readonly reinforce: boolean
      readonly newSession: boolean
    }
  /** `waits`: no dream takes them in. */
  | { readonly do: 'learn'; readonly contents: readonly string[]; readonly waits?: boolean }
  | { readonly do: 'curate' }
  | {
      readonly do: 'forget' | 'restore'
      readonly block: number
      /** Count among the archived ones only. */
      readonly gone?: boolean
    }
  | { readonly do: 'resolve'; readonly spot: Spot; readonly keep: 'both' | 'a' | 'b' }
  | { readonly do: 'pause'; readonly hours: number }

/** A small memory and what is done to it. */
export interface Sequence {
  readonly settings: SettingsInput
  readonly contents: readonly string[]
  readonly acts: readonly Act[]
}

/** An arbitrary with how often it is taken. */
const often = <T>(weight: number, arbitrary: fc.Arbitrary<T>) => ({ weight, arbitrary })

const SUBJECTS = ['tea', 'port', 'rose']

/** The first block is everybody's neighbour, so that there is a hub to fill. */
const block = fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 5, arbitrary: fc.nat(9) })

const spot: fc.Arbitrary<Spot> = fc.oneof(
  often(4, fc.record({ of: fc.constant('blocks' as const), one: block, other: block })),
  often(
    4,
    fc.record({
      of: fc.constantFrom('edge' as const, 'asserted' as const, 'waiting' as const, 'pair' as const),
      at: fc.nat(9),
      turned: fc.boolean(),
    }),
  ),
)

/** What an agent takes back is mostly what it said, or what still waits. */
const asserted: fc.Arbitrary<Spot> = fc.record({
  of: fc.constantFrom('asserted' as const, 'blocking' as const, 'waiting' as const),
  at: fc.nat(9),
  turned: fc.boolean(),
})

const relation = fc.constantFrom(
  'similar',
  'co_occurs',
  'supports',
  'contradicts',
  'contradicts',
  'Grown From',
)

const saying = fc.record(
  {
    spot,
    relation,
    weight: fc.constantFrom(0, 0.05, 0.3, 0.65, 1),
    note: fc.constantFrom('seen', 'told'),
    ifExists: fc.constantFrom(
      'update' as const,
      'update' as const,
      'update' as const,
      'reinforce' as const,
      'skip' as const,
      'error' as const,
    ),
  },
  { requiredKeys: ['spot'] },
)

/** Texts that begin with the same word are alike by the degrees between them; see the placed embedder. */
const content = fc
  .tuple(
    fc.constantFrom(...SUBJECTS, 'tea'),
    fc.constantFrom(0, 15, 30, 45, 60),
    fc.constantFrom('kettle', 'harbour', 'garden', 'lantern'),
    fc.constantFrom('.', '!'),
  )
  .map(([subject, degrees, word, end]) => `${subject} @${degrees} of the ${word}${end}`)

const query = fc
  .tuple(fc.constantFrom(...SUBJECTS, 'tea'), fc.constantFrom(0, 30, 60))
  .map(([subject, degrees]) => `${subject} @${degrees}`)

const act: fc.Arbitrary<Act> = fc.oneof(
  often(6, fc.record({ do: fc.constant('connect' as const), saying })),
  often(
    3,
    fc.record({
      do: fc.constant('connects' as const),
      sayings: fc.array(
        fc.tuple(saying, fc.boolean()).map(([said, again]) => ({ ...said, again })),
        { minLength: 1, maxLength: 5 },
      ),
    }),
  ),
  often(
    6,
    fc.tuple(fc.oneof(spot, asserted), fc.option(relation, { nil: undefined, freq: 6 })).map(
      ([where, guard]): Act => ({
        do: 'disconnect',
        spot: where,
        // Most disconnect whatever is there.
        ...(guard === undefined || where.of === 'blocking' ? {} : { guardRelation: guard }),
      }),
    ),
  ),
  often(
    4,
    fc.record({
      do: fc.constant('outcome' as const),
      helped: fc.uniqueArray(block, { maxLength: 4 }),
      misled: fc.uniqueArray(fc.nat(9), { maxLength: 3 }),
      beside: fc.uniqueArray(fc.nat(9), { maxLength: 2 }),
      scope: fc.constantFrom('blocks' as const, 'blocks' as const, 'blocks' as const, 'set' as const),
    }),
  ),
  often(
    5,
    fc.record({
      do: fc.constant('recall' as const),
      query,
      topK: fc.integer({ min: 2, max: 6 }),
      reinforce: fc.nat(5).map((one) => one > 0),
      newSession: fc.boolean(),
    }),
  ),
  often(
    4,
    fc.record({
      do: fc.constant('learn' as const),
      contents: fc.array(content, { minLength: 1, maxLength: 2 }),
      waits: fc.boolean(),
    }),
  ),
  often(4, fc.record({ do: fc.constant('curate' as const) })),
  often(2, fc.record({ do: fc.constantFrom('forget' as const, 'restore' as const), block: fc.nat(9) })),
  often(2, fc.record({ do: fc.constant('restore' as const), block: fc.nat(9), gone: fc.constant(true) })),
  often(
    2,
    fc.record({
      do: fc.constant('resolve' as const),
      spot: spot.map((one): Spot => (one.of === 'blocks' ? one : { ...one, of: 'pair' })),
      keep: fc.constantFrom('both' as const, 'a' as const, 'b' as const),
    }),
  ),
  often(
    3,
    fc.record({
      do: fc.constant('pause' as const),
      hours: fc.oneof(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 0, max: 600 })),
    }),
  ),
)

/** One act; or room is made for what waits, which a curation then admits. */
const stretch: fc.Arbitrary<readonly Act[]> = fc.oneof(
  often(
    9,
    act.map((one) => [one]),
  ),
  often(
    1,
    fc
      .nat(9)
      .map((at): Act[] => [
        { do: 'disconnect', spot: { of: 'blocking', at, turned: false } },
        { do: 'curate' },
      ]),
  ),
)

/** Small limits, so that every one of them is met within a few operations. */
const settings: fc.Arbitrary<SettingsInput> = fc.record({
  memory: fc.record({
    edgeDegreeCap: fc.integer({ min: 1, max: 4 }),
    similarityEdgesPerBlock: fc.integer({ min: 1, max: 2 }),
    coRetrievalThreshold: fc.integer({ min: 1, max: 2 }),
    curateIntervalHours: fc.constantFrom(40, 100_000),
  }),
  graph: fc.record({
    pendingMax: fc.integer({ min: 1, max: 6 }),
    edgeDecay: fc.constantFrom(true, true, true, false),
  }),
})

/** 6 to 9 blocks, some alike, and 5 to 15 operations over them. */
export const sequence: fc.Arbitrary<Sequence> = fc.record({
  settings,
  contents: fc.uniqueArray(content, { minLength: 6, maxLength: 9 }),
  acts: fc.array(stretch, { minLength: 5, maxLength: 14 }).map((stretches) => stretches.flat().slice(0, 15)),
})
