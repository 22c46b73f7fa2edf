import fc from 'fast-check'
import { type Block, canMove } from '../../src/domain/block/block.ts'
import type { StoreWriter } from '../../src/ports/store/transaction.ts'
import {
  AT,
  aBlock,
  anEdge,
  anIndex,
  anOperation,
  aPair,
  aPending,
  trimLog,
} from '../../src/testing/harness.ts'
import { decisionLooks, decisionSteps } from './store-decision-calls.ts'
import { itemLooks, itemSteps } from './store-item-calls.ts'
import { type Look, lookOver } from './store-looks.ts'
import { batch, type Step, step, type Weighted } from './store-steps.ts'
import { hours, idsOf, LATER, type Names, status, tags, text, unit } from './store-values.ts'

const sessionOf = ({ sessions }: Names) => fc.constantFrom(...sessions)

/** Texts with what a careless search would take for a sign, or not find. */
const words = fc.oneof(text, fc.constantFrom('Ä_%', 'ä \\ É', 'CafÉ 100% x_y', 'É', 'ÄHRE content'))

function fieldsOver(names: Names) {
  return fc.record(
    {
      content: words,
      summary: words,
      cue: text,
      category: fc.constantFrom('knowledge', 'decision', 'mind', 'item', 'observation'),
      tags,
      source: words,
      sourceClass: fc.constantFrom('peer' as const, 'user' as const),
      createdAt: fc.constantFrom(LATER),
      scope: fc.constantFrom(...names.scopes),
      status,
      session: sessionOf(names),
      alignment: unit,
      scoredAt: fc.constantFrom('2026-01-01', '2026-02-01'),
      judgementPending: fc.constant(true as const),
      supersedes: text,
      successes: hours,
      failures: hours,
      lastReinforcedAt: fc.constantFrom(0, 1, 2.5),
      lastUsefulAt: hours,
      decayLambda: unit,
    },
    { requiredKeys: [] },
  )
}

function edgeOver(names: Names) {
  const more = fc.record(
    {
      weight: fc.constantFrom(0, 0.25, 1),
      lastActiveAt: fc.constantFrom(0, 1.5),
      origin: fc.constantFrom('agent' as const, 'co_retrieval' as const),
      relation: text,
      note: text,
    },
    { requiredKeys: [] },
  )
  return fc.tuple(idsOf(names).ends, more).map(([[one, other], fields]) => anEdge(one, other, fields))
}

function indexOver(names: Names) {
  const more = fc.record({ terms: text, asks: fc.boolean(), timed: fc.boolean() })
  const vector = fc.option(fc.float32Array({ minLength: 1, maxLength: 4, noNaN: true }))
  return fc
    .tuple(idsOf(names).id, more, vector)
    .map(([id, fields, given]) => anIndex(id, given === null ? fields : { ...fields, vector: given }))
}

function blockSteps(names: Names): Weighted[] {
  const { id, ids } = idsOf(names)
  const fields = fieldsOver(names)
  return [
    step(
      fc.tuple(fc.constantFrom(...names.own), fields),
      (tx, [each, more]) => tx.insertBlock(aBlock(each, more)),
      5,
    ),
    step(
      batch(fc.tuple(fc.constantFrom(...names.own), fields)),
      (tx, given) => tx.insertBlocks(given.map(([each, more]) => aBlock(each, more))),
      2,
    ),
    // As a stage of the flow would: a block as it is but for some fields.
    step(
      batch(fc.tuple(id, fields)),
      async (tx, changes) => {
        const found = await tx.blocks(changes.map(([each]) => each))
        const held = await tx.vectors(found.map(({ id }) => id))
        const changed = found.map((block): Block => {
          const fields = changes.find(([each]) => each === block.id)?.[1]
          const { status: wanted = block.status } = fields ?? {}
          // What was active comes back as active: nothing archived has a vector else.
          const isBack = wanted === 'active' || block.status !== 'archived' || !held.has(block.id)
          const moves = isBack && canMove(block.status, wanted)
          return { ...block, ...fields, status: moves ? wanted : block.status }
        })
        await tx.saveBlocks([...changed, { ...aBlock('nobody'), position: 0 }])
      },
      2,
    ),
    // As a dream would: what waits becomes active with its index.
    step(
      batch(indexOver(names)),
      async (tx, entries) => {
        const found = await tx.blocks(entries.map((each) => each.id))
        const archived = new Set(found.flatMap((block) => (block.status === 'archived' ? block.id : [])))
        await tx.saveIndex(entries.filter((each) => !archived.has(each.id)))
        const living = found.filter((block) => !archived.has(block.id))
        await tx.saveBlocks(living.map((block): Block => ({ ...block, status: 'active' })))
      },
      2,
    ),
    step(fc.tuple(ids, hours), (tx, [each, at]) => tx.reinforceBlocks(each, at), 2),
    step(batch(fc.record({ id, previousStatus: status })), (tx, blocks) => tx.archiveEdgesOf(blocks)),
    step(id, (tx, each) => tx.takeArchivedEdges(each)),
    step(batch(edgeOver(names)), (tx, edges) => tx.addArchivedEdges(edges)),
  ]
}

function edgeSteps(names: Names): Weighted[] {
  const { ids, ends } = idsOf(names)
  const edges = batch(edgeOver(names))
  const threshold = fc.integer({ min: 1, max: 3 })
  const most = fc.integer({ min: 0, max: 8 })
  return [
    step(edges, (tx, given) => tx.saveEdges(given), 3),
    step(batch(ends), (tx, given) => tx.removeEdges(given)),
    step(edges, (tx, given) => tx.removeUnusedEdges(given), 2),
    step(fc.tuple(ids, hours), (tx, [given, at]) => tx.reinforceEdgesAmong(given, at)),
    step(
      fc.tuple(batch(ends), sessionOf(names), threshold, most),
      (tx, [given, session, least, limit]) =>
        tx.stagePairs(given, { mark: session, threshold: least, limit, disconnectedSince: 1 }),
      4,
    ),
    step(fc.constant(undefined), (tx) => tx.removeStaleStaging()),
    step(
      fc.tuple(batch(ends), fc.constantFrom('given' as const, 'rule' as const)),
      (tx, [given, foundBy]) =>
        tx.saveGrounds(given.map(([blockId, ground]) => ({ blockId, ground, foundBy, createdAt: AT }))),
      2,
    ),
    step(batch(ends), (tx, given) =>
      tx.removeGrounds(given.map(([blockId, ground]) => ({ blockId, ground }))),
    ),
  ]
}

/**
 * Adds to the shadow set, or begins one, or fills what it lacks; a full one changes places with the one in use. Also the
 * vectors of blocks that wait.
 */
function spareSteps(names: Names): Weighted[] {
  const spare = fc
    .tuple(idsOf(names).id, fc.float32Array({ minLength: 1, maxLength: 4, noNaN: true }))
    .map(([id, vector]) => ({ id, content: `content of ${id}`, vector }))
  return [
    step(
      fc.tuple(fc.array(spare, { maxLength: 9 }), fc.boolean(), fc.boolean()),
      async (tx, [vectors, begins, fills]) => {
        if (begins) await tx.beginShadow()
        await tx.saveShadow(vectors)
        const missing = fills ? await tx.missingShadow(99) : []
        await tx.saveShadow(
          missing.map(({ id, content }, i) => ({ id, content, vector: new Float32Array([i]) })),
        )
        return tx.swapVectors()
      },
      2,
    ),
    step(fc.constant(undefined), (tx) => tx.dropShadow()),
    step(fc.array(spare, { maxLength: 9 }), (tx, vectors) => tx.saveWaitingVectors(vectors), 2),
    step(fc.constant(undefined), (tx) => tx.dropWaitingVectors()),
  ]
}

function pairSteps(names: Names): Weighted[] {
  const { ends } = idsOf(names)
  const pair = fc
    .tuple(
      ends,
      fc.record({
        score: unit,
        resolved: fc.boolean(),
        kind: fc.constantFrom('near_duplicate' as const, 'supersession' as const, 'contradiction' as const),
      }),
    )
    .map(([[one, other], more]) => aPair(one, other, more))
  const pending = fc
    .tuple(ends, fc.record({ note: text, attempts: fc.nat(9) }, { requiredKeys: [] }))
    .map(([[source, target], more]) => aPending(source, target, more))
  const disconnection = fc.tuple(ends, hours).map(([[from, to], at]) => ({ from, to, at }))
  return [
    step(batch(pair), (tx, pairs) => tx.savePairs(pairs), 3),
    step(ends, (tx, [one, other]) => tx.resolvePair(one, other)),
    step(batch(pending), (tx, connections) => tx.savePendingConnections(connections), 2),
    step(batch(ends), (tx, given) => tx.removePendingConnections(given)),
    step(batch(disconnection), (tx, disconnections) => tx.saveDisconnections(disconnections), 2),
    step(batch(ends), (tx, given) => tx.removeDisconnections(given)),
    step(hours, (tx, since) => tx.trimDisconnections(since)),
    step(
      fc.tuple(batch(fc.tuple(ends, unit)), fc.integer({ min: 0, max: 6 })),
      (tx, [given, keep]) =>
        tx.queueUnlabelled(
          given.map(([[from, to], cosine]) => ({ from, to, cosine })),
          keep,
        ),
      2,
    ),
    step(batch(ends), (tx, given) => tx.removeUnlabelled(given)),
  ]
}

function logSteps(names: Names): Weighted[] {
  const { id, ids } = idsOf(names)
  const queued = fc.tuple(id, unit).map(([blockId, signal]) => ({ blockId, signal, weight: 1, source: 's' }))
  const outcome = queued.map((each) => ({
    ...each,
    confidenceBefore: each.signal,
    confidenceAfter: 1,
    at: AT,
  }))
  const keep = fc.integer({ min: 0, max: 4 })
  const told = fc.oneof(fc.jsonValue(), fc.record({ edges: batch(edgeOver(names)) }))
  const trim = step(fc.tuple(fc.integer({ min: 0, max: 6 }), keep), (tx, [newest, most]) =>
    trimLog(tx, newest, most),
  )
  const session = fc.tuple(sessionOf(names), hours, fc.boolean()).map(([name, startHours, ended]) => ({
    id: name,
    taskType: 't',
    startedAt: AT,
    startHours,
    ...(ended ? { endedAt: AT } : {}),
  }))
  return [
    step(fc.tuple(batch(outcome), keep), (tx, [records, newest]) => tx.appendOutcomes(records, newest)),
    step(fc.tuple(batch(queued), keep), (tx, [outcomes, newest]) => tx.queueOutcomes(outcomes, newest)),
    step(ids, (tx, given) => tx.takeQueuedOutcomes(given)),
    step(
      fc.tuple(ids, hours, fc.constantFrom('edit', 'dream'), told),
      async (tx, [blockIds, at, operation, before]) => ({
        id: await tx.log(anOperation({ blockIds, hours: at, operation, before })),
        operation,
      }),
    ),
    ...(names.trimsLog ? [trim] : []),
    step(fc.tuple(fc.constantFrom(...names.own), text), (tx, [key, value]) => tx.saveMeta(key, value)),
    step(session, (tx, given) => tx.saveSession(given), 2),
    step(fc.tuple(keep, keep), (tx, [newest, most]) => tx.trimSessions(newest, most)),
  ]
}

/** Takes back a write whose changes are kept, and asks which of the later ones changed an edge. */
function undoSteps(names: Names): Weighted[] {
  const newest = async (tx: StoreWriter, at: number): Promise<number> => {
    const entries = await tx.operations({ limit: 30 })
    return [...new Set(entries.flatMap(({ kept }) => kept ?? []))][at] ?? 0
  }
  const trim = step(fc.integer({ min: 0, max: 9_000 }), (tx, bytes) => tx.trimChanges(bytes))
  return [
    step(
      fc.nat(2),
      async (tx, at) => {
        const reverted = await tx.revert(await newest(tx, at))
        return reverted && { ...reverted, blockIds: [...reverted.blockIds].sort() }
      },
      3,
    ),
    step(
      fc.tuple(batch(idsOf(names).ends), fc.nat(3)),
      async (tx, [edges, at]) =>
        (await tx.touchedEdges(edges, { after: await newest(tx, at), except: [] })).length,
    ),
    ...(names.spares ? [trim] : []),
  ]
}

/** One write of several steps, which may fail at its end, and what is looked at afterwards. */
export interface Act {
  readonly steps: readonly Step[]
  /** What it changes is kept with an entry that it logs, for an undo. */
  readonly undoable: boolean
  readonly fails: boolean
  readonly looks: readonly Look[]
}

/** Any act over some names. */
export function actOver(names: Names): fc.Arbitrary<Act> {
  const any = fc.oneof(
    ...blockSteps(names),
    ...edgeSteps(names),
    ...pairSteps(names),
    ...itemSteps(names),
    ...decisionSteps(names),
    ...(names.spares ? spareSteps(names) : []),
    ...logSteps(names),
    ...(names.undoes ? undoSteps(names) : []),
  )
  return fc.record({
    steps: fc.array(any, { minLength: 1, maxLength: 6, size: 'max' }),
    undoable: fc.boolean(),
    fails: fc.nat(4).map((one) => one === 0),
    looks: fc.array(fc.oneof(lookOver(names), ...itemLooks(names), ...decisionLooks(names)), {
      maxLength: 4,
    }),
  })
}
