import fc from 'fast-check'
import type { Block } from '../../src/domain/block.ts'
import type { StoreWriter } from '../../src/ports/store.ts'
import type { SpareVector } from '../../src/ports/store-vectors.ts'
import { AT, aBlock, anEdge, anIndex, anOperation, aPair, aPending } from '../../src/testing/store/harness.ts'
import { type Look, look } from './store-looks.ts'
import { ends, hours, IDS, id, ids, session, status, tags, text, unit } from './store-values.ts'

type Step = (tx: StoreWriter) => Promise<unknown>

const fields = fc.record(
  {
    content: text,
    summary: text,
    cue: text,
    category: fc.constantFrom('knowledge', 'decision'),
    tags,
    source: text,
    status,
    session,
    alignment: unit,
    successes: hours,
    failures: hours,
    lastReinforcedAt: fc.constantFrom(0, 1, 2.5),
    lastUsefulAt: hours,
    decayLambda: unit,
  },
  { requiredKeys: [] },
)
const edge = fc
  .tuple(
    ends,
    fc.record(
      {
        weight: fc.constantFrom(0, 0.25, 1),
        lastActiveAt: fc.constantFrom(0, 1.5),
        origin: fc.constantFrom('agent' as const, 'co_retrieval' as const),
        relation: text,
        note: text,
      },
      { requiredKeys: [] },
    ),
  )
  .map(([[one, other], more]) => anEdge(one, other, more))
const pair = fc
  .tuple(ends, fc.record({ score: unit, resolved: fc.boolean() }))
  .map(([[one, other], more]) => aPair(one, other, more))
const pending = fc
  .tuple(ends, fc.record({ note: text, attempts: fc.nat(9) }, { requiredKeys: [] }))
  .map(([[source, target], more]) => aPending(source, target, more))
const disconnection = fc.tuple(ends, hours).map(([[from, to], at]) => ({ from, to, at }))
const index = fc
  .tuple(
    id,
    fc.record({ terms: text, asks: fc.boolean(), timed: fc.boolean() }),
    fc.option(fc.float32Array({ minLength: 1, maxLength: 4, noNaN: true })),
  )
  .map(([each, more, vector]) => anIndex(each, vector === null ? more : { ...more, vector }))
const spare = fc
  .tuple(id, fc.float32Array({ minLength: 1, maxLength: 4, noNaN: true }))
  .map(([each, vector]) => ({ id: each, content: `content of ${each}`, vector }))
const outcome = fc.tuple(id, unit).map(([blockId, signal]) => ({
  blockId,
  signal,
  weight: 1,
  source: 's',
  confidenceBefore: signal,
  confidenceAfter: 1,
  at: AT,
}))

const queued = fc.tuple(id, unit).map(([blockId, signal]) => ({ blockId, signal, weight: 1, source: 's' }))

const batch = <T>(each: fc.Arbitrary<T>) => fc.array(each, { maxLength: 5 })

/** Saves a block as it is but for some fields, as a stage of the flow would. */
const saveBlocks = batch(fc.tuple(id, fields)).map(
  (changes): Step =>
    async (tx) => {
      const found = await tx.blocks(changes.map(([each]) => each))
      const changed = found.map(
        (block): Block => ({ ...block, ...changes.find(([each]) => each === block.id)?.[1] }),
      )
      await tx.saveBlocks([...changed, { ...aBlock('nobody'), position: 0 }])
    },
)

/** Adds to the spare set, or begins one, or fills what it lacks; a full one changes places with the one in use. */
function spareStep(
  vectors: readonly SpareVector[],
  { begins, fills }: { readonly begins: boolean; readonly fills: boolean },
): Step {
  return async (tx) => {
    if (begins) await tx.beginSpare()
    await tx.saveSpare(vectors)
    const missing = fills ? await tx.missingSpare(99) : []
    await tx.saveSpare(missing.map(({ id, content }, i) => ({ id, content, vector: new Float32Array([i]) })))
    return tx.swapVectors()
  }
}

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.tuple(fc.constantFrom(...IDS), fields).map(
      ([each, more]): Step =>
        (tx) =>
          tx.insertBlock(aBlock(each, more)),
    ),
  },
  {
    weight: 2,
    arbitrary: batch(fc.tuple(fc.constantFrom(...IDS), fields)).map(
      (given): Step =>
        (tx) =>
          tx.insertBlocks(given.map(([each, more]) => aBlock(each, more))),
    ),
  },
  { weight: 2, arbitrary: saveBlocks },
  {
    weight: 2,
    arbitrary: batch(index).map(
      (entries): Step =>
        (tx) =>
          tx.saveIndex(entries),
    ),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.array(spare, { maxLength: 9 }), fc.boolean(), fc.boolean())
      .map(([vectors, begins, fills]): Step => spareStep(vectors, { begins, fills })),
  },
  fc.constant<Step>((tx) => tx.dropSpare()),
  {
    weight: 2,
    arbitrary: fc.tuple(ids, hours).map(
      ([each, at]): Step =>
        (tx) =>
          tx.reinforceBlocks(each, at),
    ),
  },
  {
    weight: 3,
    arbitrary: batch(edge).map(
      (edges): Step =>
        (tx) =>
          tx.saveEdges(edges),
    ),
  },
  batch(ends).map(
    (each): Step =>
      (tx) =>
        tx.removeEdges(each),
  ),
  fc.tuple(ids, hours).map(
    ([each, at]): Step =>
      (tx) =>
        tx.reinforceEdgesAmong(each, at),
  ),
  {
    weight: 4,
    arbitrary: fc
      .tuple(batch(ends), session, fc.integer({ min: 1, max: 3 }), fc.integer({ min: 0, max: 8 }))
      .map(
        ([each, name, threshold, most]): Step =>
          (tx) =>
            tx.stagePairs(each, { session: name, threshold, limit: most, disconnectedSince: 1 }),
      ),
  },
  {
    weight: 2,
    arbitrary: batch(edge).map(
      (edges): Step =>
        (tx) =>
          tx.removeUnusedEdges(edges),
    ),
  },
  {
    weight: 2,
    arbitrary: batch(pending).map(
      (connections): Step =>
        (tx) =>
          tx.savePendingConnections(connections),
    ),
  },
  batch(ends).map(
    (each): Step =>
      (tx) =>
        tx.removePendingConnections(each),
  ),
  {
    weight: 2,
    arbitrary: batch(disconnection).map(
      (disconnections): Step =>
        (tx) =>
          tx.saveDisconnections(disconnections),
    ),
  },
  batch(ends).map(
    (each): Step =>
      (tx) =>
        tx.removeDisconnections(each),
  ),
  hours.map(
    (since): Step =>
      (tx) =>
        tx.trimDisconnections(since),
  ),
  fc.constant<Step>((tx) => tx.removeStaleStaging()),
  batch(pair).map(
    (pairs): Step =>
      (tx) =>
        tx.savePairs(pairs),
  ),
  ends.map(
    ([one, other]): Step =>
      (tx) =>
        tx.resolvePair(one, other),
  ),
  batch(outcome).map(
    (records): Step =>
      (tx) =>
        tx.appendOutcomes(records),
  ),
  batch(queued).map(
    (outcomes): Step =>
      (tx) =>
        tx.queueOutcomes(outcomes),
  ),
  ids.map(
    (each): Step =>
      (tx) =>
        tx.takeQueuedOutcomes(each),
  ),
  batch(fc.record({ id, previousStatus: status })).map(
    (blocks): Step =>
      (tx) =>
        tx.bury(blocks),
  ),
  id.map(
    (each): Step =>
      (tx) =>
        tx.takeTombstone(each),
  ),
  batch(edge).map(
    (edges): Step =>
      (tx) =>
        tx.entomb(edges),
  ),
  fc.tuple(ids, hours, fc.constantFrom('edit', 'dream'), fc.jsonValue()).map(
    ([blockIds, at, operation, before]): Step =>
      (tx) =>
        tx.log(anOperation({ blockIds, hours: at, operation, before })),
  ),
  batch(fc.tuple(ids, hours, fc.jsonValue())).map(
    (given): Step =>
      (tx) =>
        tx.logAll(given.map(([blockIds, at, before]) => anOperation({ blockIds, hours: at, before }))),
  ),
  fc.tuple(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 0, max: 4 })).map(
    ([keep, most]): Step =>
      (tx) =>
        tx.trimLog(keep, most),
  ),
  fc.tuple(id, text).map(
    ([key, value]): Step =>
      (tx) =>
        tx.saveMeta(key, value),
  ),
  fc.tuple(session, hours, fc.boolean()).map(
    ([name, startHours, ended]): Step =>
      (tx) =>
        tx.saveSession({
          id: name,
          taskType: 't',
          startedAt: AT,
          startHours,
          ...(ended ? { endedAt: AT } : {}),
        }),
  ),
)

/** One write of several steps, which may fail at its end, and what is looked at afterwards. */
export interface Act {
  readonly steps: readonly Step[]
  readonly fails: boolean
  readonly looks: readonly Look[]
}

/** Any act over a handful of ids, so that calls meet each other's traces. */
export const act: fc.Arbitrary<Act> = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 4 }),
  fails: fc.nat(4).map((one) => one === 0),
  looks: fc.array(look, { maxLength: 4 }),
})
